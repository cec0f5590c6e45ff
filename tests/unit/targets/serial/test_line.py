# SPDX-License-Identifier: Apache-2.0
"""Lines that another program holds, that are pulled out, or that are no real board's."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from perfboard.model.errors import EnvironmentLacksError, TargetError, UsageError
from perfboard.model.run import Evidence
from perfboard.targets.base import meant
from perfboard.targets.serial.holders import holders
from perfboard.targets.serial.line import open_line
from tests.support.serial_board import board_on_a_line


def test_a_line_that_another_program_holds_is_not_opened(tmp_path: Path) -> None:
    with board_on_a_line(tmp_path / "reset") as target:
        path = target.removeprefix("serial://")
        with Path(path).open("rb") as line:
            program = subprocess.Popen(["sleep", "60"], stdin=line)
        try:
            name = f"sleep (pid {program.pid})"
            assert holders(path) == [name]
            with (
                pytest.raises(EnvironmentLacksError, match=f"{path} is open in {name[:5]}"),
                open_line(target),
            ):
                pass
        finally:
            program.kill()
            program.wait()
        with open_line(target):
            assert holders(path) == []


def test_a_line_that_is_pulled_out_is_named() -> None:
    ours, theirs = pty.openpty()
    path = os.ttyname(theirs)
    with open_line(f"serial://{path}") as line:
        os.close(theirs)
        os.close(ours)
        with pytest.raises(TargetError, match=f"{path} is gone") as caught:
            line.read(1)
    assert caught.value.kind == "lost"


def test_a_pseudo_terminal_is_no_real_board(tmp_path: Path) -> None:
    with board_on_a_line(tmp_path / "reset") as target, open_line(target) as line:
        assert line.evidence is Evidence.HOST


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("/dev/ttyUSB0", " Did you mean serial:///dev/ttyUSB0?"),
        ("ttyACM0", " Did you mean serial:///dev/ttyACM0?"),
        ("serial:/dev/ttyS0?baud=9600", " Did you mean serial:///dev/ttyS0?baud=9600?"),
        ("serial://dev/serial/by-id/x", " Did you mean serial:///dev/serial/by-id/x?"),
        ("virtual", ""),
        ("/dev/null", ""),
    ],
)
def test_the_line_that_the_user_meant(text: str, question: str) -> None:
    assert meant(text) == question


def test_a_wrong_text_says_which_line_may_be_meant() -> None:
    with (
        pytest.raises(UsageError, match="Did you mean serial:///dev/ttyS0"),
        open_line("serial:/dev/ttyS0"),
    ):
        pass
