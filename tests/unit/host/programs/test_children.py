# SPDX-License-Identifier: Apache-2.0
"""Programs that end with Perfboard, whatever ends that."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from perfboard.host.programs.children import run
from tests.support.killed import has_ended, kill_at_work, soon, text_of

# Its child, whose number stands in a file, goes on for long.
LONG = "sleep 600 & echo $! > new; mv new child; wait"
RUN = """
import sys
from perfboard.host.programs.children import run
run(["sh", "-c", sys.argv[1]])
"""
FOLLOW = """
import sys
from pathlib import Path
from perfboard.host.programs.command import follow
follow(["sh", "-c", sys.argv[1]], lambda line: False, folder=Path.cwd())
"""
READER = """
import sys
from pathlib import Path
from perfboard.host.programs.reader import tool_output
words = ["sh", "-c", f"cd {Path.cwd()}; {sys.argv[1]}"]
with tool_output(words, "sh", Path("file")) as stream:
    stream.read()
"""


@pytest.mark.parametrize("code", [RUN, FOLLOW, READER], ids=["run", "follow", "tool_output"])
def test_what_runs_ends_with_a_killed_perfboard(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    child = kill_at_work(code, LONG, number=lambda: text_of(tmp_path / "child"))
    assert soon(lambda: has_ended(child))


def test_only_what_is_still_guarded_ends_with_us() -> None:
    code = """
import subprocess
from contextlib import ExitStack
from perfboard.host.programs.children import guarded
stacks = [ExitStack() for _ in range(3)]
sleeps = [guarded(["sleep", "600"], stdout=subprocess.DEVNULL) for _ in stacks]
groups = [stack.enter_context(sleep) for stack, sleep in zip(stacks, sleeps)]
stacks[1].close()
print(*(group.pid for group in groups))
"""
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, env=variables, stdout=subprocess.PIPE, text=True, check=True)
    first, left, last = map(int, done.stdout.split())
    try:
        assert soon(lambda: has_ended(first) and has_ended(last))
        assert not has_ended(left)
    finally:
        os.kill(left, signal.SIGKILL)


def test_an_interruption_while_a_program_is_begun_is_not_lost() -> None:
    """A hook of a fork, as Python's libraries have them: what is raised there is ignored."""
    code = """
import os, signal
from perfboard.host.programs.children import run
signal.signal(signal.SIGINT, signal.default_int_handler)
os.register_at_fork(after_in_parent=lambda: signal.raise_signal(signal.SIGINT) or None)
try:
    run(["sleep", "600"])
except KeyboardInterrupt:
    print("interrupted")
"""
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, env=variables, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_an_outcome_has_both_streams_and_reads_what_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "given").write_bytes(b"given\xff")
    words = ["sh", "-c", "cat; echo $WORD >&2; pwd; exit 3"]
    with (tmp_path / "given").open("rb") as file:
        done = run(words, folder=tmp_path, environment={"WORD": "one"}, given=file)
    assert (done.returncode, done.stderr) == (3, "one\n")
    assert done.stdout == f"given\N{REPLACEMENT CHARACTER}{tmp_path}\n"
    assert run(["cat"]).stdout == ""


def test_a_program_gets_no_variable_of_our_own_libraries() -> None:
    code = """
import os
from perfboard.host.programs.environment import set_up_environment
set_up_environment()
from perfboard.host.programs.children import run
print(os.environ["OPENBLAS_NUM_THREADS"])
print(run(["sh", "-c", 'echo "$OPENBLAS_NUM_THREADS"']).stdout, end="")
"""
    usual = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    usual.pop("OPENBLAS_NUM_THREADS", None)
    words = [sys.executable, "-c", code]
    for users, seen in ({}, "1\n\n"), ({"OPENBLAS_NUM_THREADS": "2"}, "2\n2\n"):
        done = subprocess.run(words, env=usual | users, stdout=subprocess.PIPE, text=True)
        assert done.stdout == seen


def test_a_program_that_is_not_there_is_guarded_no_more() -> None:
    with pytest.raises(FileNotFoundError):
        run(["perfboard-no-such-program"])
    assert run(["echo", "there"]).stdout == "there\n"
