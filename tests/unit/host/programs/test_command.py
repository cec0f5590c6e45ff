# SPDX-License-Identifier: Apache-2.0
"""Long commands: their output followed, and none left behind."""

import io
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from perfboard.host.programs.command import follow, run_tool
from perfboard.model.errors import BuildError, EnvironmentLacksError, PerfboardError


def test_code_last_lines_and_log(tmp_path: Path) -> None:
    log = io.StringIO()
    seen: list[str] = []

    def show(line: str) -> bool:
        seen.append(line)
        return line.startswith("status")

    script = "echo one; echo status 5 >&2; echo $WORD; exit 3"
    outcome = follow(
        ["sh", "-c", script], show, folder=tmp_path, variables={"WORD": "two"}, log=log
    )
    assert (outcome.code, outcome.last_lines) == (3, "one\ntwo")
    assert seen == ["one\n", "status 5\n", "two\n"]
    assert log.getvalue() == "one\ntwo\n"


def test_only_the_last_lines_are_kept(tmp_path: Path) -> None:
    outcome = follow(["seq", "1000"], lambda line: False, folder=tmp_path)
    assert outcome.last_lines.splitlines()[-1] == "1000"
    assert len(outcome.last_lines.splitlines()) < 100


@pytest.mark.parametrize("stubborn", ["", "trap '' TERM; "])
def test_an_interruption_ends_the_whole_group(tmp_path: Path, stubborn: str) -> None:
    child: list[int] = []

    def interrupt(line: str) -> bool:
        child.append(int(line))
        raise KeyboardInterrupt

    script = f"{stubborn}sleep 600 & echo $!; wait"
    with pytest.raises(KeyboardInterrupt):
        follow(["sh", "-c", script], interrupt, folder=tmp_path, grace_s=0.2)
    # What has ended is a zombie until its new parent, which is not ours, looks after it.
    deadline = time.monotonic() + 5
    with suppress(psutil.NoSuchProcess):
        while psutil.Process(child[0]).status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < deadline
            time.sleep(0.005)


def test_output_that_is_no_text(tmp_path: Path) -> None:
    outcome = follow(["printf", r"\377\n"], lambda line: False, folder=tmp_path)
    assert outcome.last_lines == "\N{REPLACEMENT CHARACTER}"


def _run(script: str, folder: Path) -> type[PerfboardError]:
    with pytest.raises(EnvironmentLacksError) as raised:
        run_tool(["sh", "-c", script], folder)
    assert "sh" in str(raised.value)
    return raised.type


def test_whose_fault_a_tools_failure_is(tmp_path: Path) -> None:
    assert _run("echo bad content; exit 1", tmp_path) is BuildError
    full = "echo 'write: No space left on device'; seq 100; exit 1"
    assert _run(full, tmp_path) is EnvironmentLacksError
    assert _run("kill -9 $$", tmp_path) is EnvironmentLacksError


def test_a_tool_that_fails_where_the_disk_is_full() -> None:
    # Nothing can be written there.
    with pytest.raises(EnvironmentLacksError, match="with 0 B left on the disk of /proc") as raised:
        run_tool(["sh", "-c", "echo cannot write; exit 1"], Path("/proc"))
    assert raised.type is EnvironmentLacksError
    assert str(raised.value).endswith("cannot write")
