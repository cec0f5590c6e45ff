# SPDX-License-Identifier: Apache-2.0
"""What is made of a shell's answer, with `printf` in the shell's place."""

from pathlib import Path

import pytest

from perfboard.model.errors import TargetError
from perfboard.targets.base import Reply
from perfboard.targets.pipe.process import Process
from perfboard.targets.pipe.shell import PipeShell
from tests.support.killed import has_ended, kill_at_work, soon, text_of


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
