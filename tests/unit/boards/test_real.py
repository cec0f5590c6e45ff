# SPDX-License-Identifier: Apache-2.0
"""Files of real boards: what they say, what is wrong with them, and who needs a virtual one."""

import json
from pathlib import Path

import pytest

from perfboard.boards.loader import LoadedReal, read_board
from perfboard.cli.command import main
from perfboard.model.errors import UsageError

SHELF = """
schema = "perfboard.board/1"
name = "shelf-3"
title = "The gateway on the shelf"
description = "Board 3 of the first series."
target = "serial:///dev/ttyUSB7?baud=921600"
usable = "login:"
reset = "uhubctl -a cycle -l 1-1 -p 2"
write = "./flash.sh 'first bank'"
virtual = "./gateway.toml"

[facts]
memory = "64 MiB"
"""
NULL = ("study", "boot", "--target", "serial:///dev/null")


def file_of(folder: Path, text: str = SHELF) -> str:
    (folder / "shelf.toml").write_text(text)
    return str(folder / "shelf.toml")


def test_files_that_it_names_are_found_from_its_folder(tmp_path: Path) -> None:
    loaded = read_board(file_of(tmp_path))
    assert isinstance(loaded, LoadedReal)
    board = loaded.board
    assert (board.name, board.usable, board.facts) == ("shelf-3", "login:", {"memory": "64 MiB"})
    assert board.reset == ("uhubctl", "-a", "cycle", "-l", "1-1", "-p", "2")
    assert board.write == (str(tmp_path / "flash.sh"), "first bank")
    assert board.virtual == str(tmp_path / "gateway.toml")


def test_the_line_that_ends_its_boot_may_be_written_as_a_virtual_board_does(tmp_path: Path) -> None:
    loaded = read_board(file_of(tmp_path, SHELF.replace('"login:"', '"console:login:"')))
    assert isinstance(loaded, LoadedReal) and loaded.board.usable == "login:"


def test_its_price_is_no_option_of_a_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = file_of(tmp_path, SHELF.replace("usable =", "price = 19\nusable ="))
    words = ["choose", "media-recorder", "--price", "other=3", "--board", file]
    assert main(words) == 2
    assert "--price other: that board is not measured here" in capsys.readouterr().err
    assert main(words[:2] + words[-2:]) == 2
    assert "--reset uhubctl: there is no such program" in capsys.readouterr().err


def test_a_key_that_is_left_out_is_not_asked_for(tmp_path: Path) -> None:
    lines = SHELF.splitlines()[:6]
    loaded = read_board(file_of(tmp_path, "\n".join(lines)))
    assert isinstance(loaded, LoadedReal) and not loaded.board.usable + loaded.board.virtual
    assert (loaded.board.reset, loaded.board.write) == ((), ())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('usable = "("', 'usable: "(" is no regular expression'),
        ("usable = 3", "usable: found 3; give a valid string"),
        ('usable = "exec:app"', 'usable: "exec:app" is the start of a program'),
        ('reset = "\'"', 'reset: "\'" is not a command'),
        ('reset = ""', "reset: it is empty"),
        ('reset = ["true"]', "reset: found ['true']; give a command"),
        ('target = "local"', 'target: found "local"'),
        ('machine = "virt"', "machine: is not a key of a board file"),
        ('name = "Shelf 3"', "name: found"),
    ],
)
def test_what_is_wrong_is_said_with_its_key(tmp_path: Path, line: str, words: str) -> None:
    key = line.partition(" ")[0]
    kept = [other for other in SHELF.splitlines() if not other.startswith(f"{key} ")]
    text = "\n".join([kept[0], line, *kept[1:]])
    with pytest.raises(UsageError) as caught:
        read_board(file_of(tmp_path, text))
    assert f"shelf.toml: {words}" in str(caught.value)


@pytest.mark.parametrize(
    "words",
    [
        ["build", "FILE"],
        ["try", "FILE", "--", "true"],
        ["boards", "verify", "FILE"],
        ["boards", "slim", "FILE"],
        ["study", "boot", "--target", "virtual:FILE"],
        ["measure", "--target", "virtual:FILE"],
    ],
)
def test_a_command_that_needs_a_virtual_board_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    file = file_of(tmp_path)
    assert main([word.replace("FILE", file) for word in words]) == 2
    assert f"{file}: this is the file of a real board" in capsys.readouterr().err


def test_it_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = file_of(tmp_path)
    assert main(["boards", "show", file]) == 0
    assert "shelf-3: The gateway on the shelf" in capsys.readouterr().out
    assert main(["boards", "show", file, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["schema"], shown["usable"]) == ("perfboard.board/1", "login:")


@pytest.mark.parametrize(
    ("left_out", "words", "said"),
    [
        ("target", ["study", "boot"], "shelf.toml: target: is missing"),
        ("usable", ["study", "boot"], "`usable` in the board's file"),
        ("", ["study", "boot"], "--reset uhubctl: there is no such program"),
        ("", ["study", "boot", "--reset", "true"], "/dev/ttyUSB7 cannot be opened"),
        ("", ["study", "standard"], "/dev/ttyUSB7 cannot be opened"),
        ("", [*NULL, "--reset", "true"], "/dev/null is no serial line"),
        ("", ["study", "boot", "--target", "local"], "study boot measures virtual:BOARD or serial"),
        ("virtual", ["tune", "boot"], "shelf.toml: virtual: is missing"),
        ("target", ["tune", "boot"], "shelf.toml: target: is missing"),
        ("write", ["tune", "boot"], "needs --write"),
        ("", ["tune", "boot"], "--write FOLDER/flash.sh: there is no such program"),
        ("", ["tune", "boot", "--write", "/nowhere"], "--write /nowhere: there is no such program"),
    ],
)
def test_the_file_says_what_the_options_do_not(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    left_out: str,
    words: list[str],
    said: str,
) -> None:
    lines = [line for line in SHELF.splitlines() if not line.startswith(f"{left_out} =")]
    assert main([*words, "--board", file_of(tmp_path, "\n".join(lines))]) in (2, 3)
    assert said.replace("FOLDER", str(tmp_path)) in " ".join(capsys.readouterr().err.split())
