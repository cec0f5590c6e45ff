# SPDX-License-Identifier: Apache-2.0
"""`perfboard boards` for someone who chooses a board."""

import json

import pytest

from perfboard.boards.loader import list_boards, load_board
from perfboard.boards.margins import margins_of
from perfboard.cli.command import main
from perfboard.model.timed_as import SEVERAL


def test_names_are_whole_and_fit_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["boards"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1 : len(list_boards()) + 1]] == [*list_boards()]
    assert max(map(len, lines)) <= 80
    rpi2 = next(line for line in lines if line.startswith("rpi2 "))
    share = margins_of(load_board("rpi2").board).margins[SEVERAL].share
    assert rpi2.split() == [
        *("rpi2", "4", "x", "Cortex-A7", "900", "1", "GiB", "card", "Ethernet"),
        *(f"\N{PLUS-MINUS SIGN}{share:.0%}", "$35,", "2015"),
    ]


@pytest.mark.parametrize("name", list_boards())
def test_a_board_is_described_in_24_lines(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["boards", "show", name]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24 and max(map(len, lines[:-1])) <= 80
    assert lines[-1].startswith("Its file, by --file: ")
    assert main(["boards", "show", name, "--file"]) == 0
    assert f'name = "{name}"' in capsys.readouterr().out


def test_a_price_has_its_year_and_a_board_that_lacks_one_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["boards", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["rpi-zero2"]["price"] == "$15, 2021" and rows["teres"]["price"] == ""
    assert rows["rpi2"]["ram"] == 2 * rows["rpi2"]["emulated_ram"] == 1 << 30
    assert main(["boards", "show", "teres"]) == 0
    assert "price            no public source found" in capsys.readouterr().out
