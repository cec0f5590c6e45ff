# SPDX-License-Identifier: Apache-2.0
"""The answer of a shell, with `printf` in the shell's place; and scripts that are interrupted."""

import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import psutil
import pytest

from perfboard.model.errors import TargetError
from perfboard.targets.base import Reply
from perfboard.targets.pipe.process import Process
from perfboard.targets.pipe.shell import PipeShell
from perfboard.targets.pipe.ssh import remote
from tests.support.killed import has_ended, kill_at_work, soon, text_of

PATIENCE_S = 60
# Asked to end, it tidies up; what it has started has to be ended by force.
SCRIPT = """\
trap 'echo tidied > tidied; exit 1' TERM
sh -c 'trap "" TERM; echo $$ > new; mv new stubborn; while :; do sleep 0.1; done' &
sleep 600
"""


def answering(status: str) -> PipeShell:
    def command(script: str) -> list[str]:
        mark = script.split()[1]
        return ["printf", "%s", f"Welcome\n{mark}\nsaid\n{mark} {status}\n"]

    def damaged(said: str) -> TargetError:
        return TargetError("lost", "the answer is damaged")

    return PipeShell(command, damaged, Process(["true"], damaged))


def test_a_status_is_a_number() -> None:
    assert answering("3").run("true") == Reply(3, "said")


@pytest.mark.parametrize("status", ["", " ", "x", "-1", "1x", "²", "9" * 5000])
def test_an_answer_whose_status_is_none_is_lost(status: str) -> None:
    with pytest.raises(TargetError, match="damaged"):
        answering(status).run("true")


KILLED = """
from perfboard.model.progress import SilentProgress
from perfboard.targets.folder import working_folder
from perfboard.targets.pipe import local
with local.connect("local", SilentProgress(), None, {}) as target:
    with working_folder(target.shell) as folder:
        target.shell.run(f"cd {folder}; sleep 600 & echo $! > new; mv new child; wait")
"""


def test_a_script_ends_and_its_folder_goes_with_a_killed_perfboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    child = kill_at_work(
        KILLED, number=lambda: "".join(map(text_of, tmp_path.glob("perfboard-*/child")))
    )
    assert soon(lambda: has_ended(child))
    assert soon(lambda: not list(tmp_path.iterdir()))


def interrupt_when(there: Path) -> Thread:
    """A thread that types ^C once that file is there."""

    def wait() -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not there.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = Thread(target=wait)
    thread.start()
    return thread


@pytest.mark.parametrize("words", [("sh",), ("bash",), ("busybox", "sh")], ids=" ".join)
@pytest.mark.parametrize("far", [False, True], ids=["here", "elsewhere"])
def test_an_interrupted_script_ends_with_all_that_it_has_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: Sequence[str], far: bool
) -> None:
    """Elsewhere nothing of this machine can end it: only the end of its input tells."""
    if shutil.which(words[0]) is None:
        pytest.skip(f"no {words[0]} here")
    monkeypatch.chdir(tmp_path)
    first = ["setsid", "--wait"] if far else []

    def lost(said: str) -> TargetError:
        return TargetError("lost", said)

    shell = PipeShell(lambda script: [*first, *words, "-c", script], lost, Process(["true"], lost))
    thread = interrupt_when(tmp_path / "stubborn")
    with pytest.raises(KeyboardInterrupt):
        shell.run(SCRIPT, timeout_s=PATIENCE_S)
    thread.join()
    stubborn = int((tmp_path / "stubborn").read_text())
    deadline = time.monotonic() + PATIENCE_S
    while psutil.pid_exists(stubborn) and psutil.Process(stubborn).status() != "zombie":
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert (tmp_path / "tidied").exists()


def test_a_login_shell_that_leads_no_group_starts_one_that_does() -> None:
    """As dropbear starts it, next to what has the connection."""
    done = subprocess.run(
        ["sh", "-c", f"sh -c {shlex.quote(remote('kill -0 -$$ && echo leads'))}; echo here"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "leads\nhere\n"
