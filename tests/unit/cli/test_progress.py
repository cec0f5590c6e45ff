# SPDX-License-Identifier: Apache-2.0
"""Progress on a terminal of 80 columns, and as lines."""

import io
import re
from math import inf

import pytest
from rich.cells import cell_len
from rich.console import Console

from perfboard.cli.progress import LogProgress, TerminalProgress

NOTE = (
    "best 865.2 ms, at most 163 tries, 12 min left\n"
    "compression=lz4 console=quiet flash=cached root=cramfs-xip-application: booting: init.exec"
)


def _frame(width: int, title: str, total: float, done: float, note: str) -> list[str]:
    """What stands on the terminal at the end of a step."""
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=True, color_system=None)
    with TerminalProgress(console).step(title, total) as step:
        step.update(done, note)
    lines = re.sub(r"\x1b\[[0-9?;]*[A-Za-z]", "", file.getvalue()).splitlines()
    place = max(place for place, line in enumerate(lines) if line.startswith(title))
    return [line.rstrip() for line in lines[place:] if line.strip()]


def test_a_note_of_two_lines_fits_a_terminal_of_80_columns() -> None:
    first, second = _frame(80, "tuning verdex", inf, 0, NOTE)
    assert max(cell_len(first), cell_len(second)) <= 80
    assert first.endswith("best 865.2 ms, at most 163 tries, 12 min left")
    assert second.startswith("  compression=lz4 console=quiet flash=cached root=cramfs-xip-")
    assert second.endswith("…")


def test_a_wider_terminal_shows_all_of_it() -> None:
    first, second = _frame(120, "tuning verdex", inf, 0, NOTE)
    assert first.endswith("12 min left")
    assert second.endswith("booting: init.exec")


@pytest.mark.parametrize("width", [80, 120])
def test_a_bar_and_its_note_are_one_line(width: int) -> None:
    note = "drivers/mtd/chips/cfi_cmdset_0001_with_a_long_name.o"
    (line,) = _frame(width, "building the kernel", 100, 40, note)
    assert cell_len(line) <= width
    assert "40%" in line and "left" in line
    assert note[:10] in line


def test_lines_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with LogProgress(every_s=0).step("tuning verdex", inf) as step:
        step.update(0, NOTE)
        step.update(0, "best 865.2 ms\n")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "tuning verdex ..."
    assert lines[1] == "tuning verdex: best 865.2 ms, at most 163 tries, 12 min left"
    assert lines[2].startswith("  compression=lz4")
    assert lines[3] == "tuning verdex: best 865.2 ms"
    assert len(lines) == 5
