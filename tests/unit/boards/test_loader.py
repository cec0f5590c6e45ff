# SPDX-License-Identifier: Apache-2.0
"""Board files: what is accepted, and what is said of those that are not."""

from pathlib import Path

import pytest

from perfboard.boards.loader import list_boards, load_board
from perfboard.model.board.image import DebianBootloader, ReferenceRoot
from perfboard.model.board.kernel import BuiltKernel
from perfboard.model.board.virtual import DiskBoard, FlashBoard
from perfboard.model.errors import UsageError
from perfboard.model.timing.caches import SplitCaches, UnifiedCaches
from tests.support.board_files import VERDEX, flash_board, load, refusal

# The keys of verdex's root file system.
ROOT = """recipe = "reference"
packages = ["busybox", "libc6", "libgcc-s1", "libstdc++6"]"""


def test_every_built_in_board_loads_and_names_itself() -> None:
    assert "verdex" in list_boards()
    for name in list_boards():
        assert load_board(name).board.name == name


def test_verdex_is_the_board_of_the_issue() -> None:
    board = flash_board("verdex")
    assert board.machine.ram == 64 << 20
    assert [(bank.base, bank.size) for bank in board.flash.banks] == [
        (0, 64 << 20),
        (0x04000000, 64 << 20),
    ]
    assert board.console.baud == 115200
    assert "virtual" in board.description and "Cortex-A7" in board.description


def test_names_start_from_the_board_files_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "board.toml").write_text(VERDEX)
    (tmp_path / "verdex.config").touch()
    monkeypatch.chdir(tmp_path)
    loaded = load_board("board.toml")
    monkeypatch.chdir("/")
    assert loaded.file(Path("verdex.config")) == tmp_path / "verdex.config"


def test_unknown_board_names_those_there_are_and_a_close_one() -> None:
    with pytest.raises(UsageError) as caught:
        load_board("verdx")
    assert 'did you mean "verdex"?' in str(caught.value)
    assert "The boards are: " in str(caught.value)


def test_absent_file() -> None:
    with pytest.raises(UsageError, match=r"^/nonesuch.toml: No such file"):
        load_board("/nonesuch.toml")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("baud = 115200", 'baud = "fast"', 'console.baud: found "fast"; give a valid integer'),
        ("baud = 115200", "baudd = 115200", "console.baud: is missing; give it a value"),
        ("baud = 115200", "baudd = 115200", "console.baudd: is not a key of a board file"),
        ('ram = "64 MiB"', 'ram = "64 megs"', 'machine.ram: "64 megs" is not a size'),
        ("highmem=off", "dumpdtb=.bashrc", "machine.type: has `dumpdtb`, which names a file"),
        ("highmem=off", "highmem", 'machine.type: found "virt,highmem,dtb-randomness=off"; give'),
        ('ram = "64 MiB"', "ram = 1.5", "machine.ram: found 1.5; give a valid integer"),
        ('ram = "64 MiB"', 'ram = "5 GiB"', 'machine.ram: found "5 GiB"; give less than or equal'),
        ('offset = "256 KiB"', f"offset = {1 << 41}", "flash.root.offset: found 2199023255552; g"),
        ("icount_shift = 3", "icount_shift = 30", "machine.icount_shift: found 30; give less"),
        ('name = "verdex"', 'name = "Ver dex"', 'name: found "Ver dex"; give a text'),
        ("[framebuffer]", "[framebufer]", "framebufer: is not a key"),
        ('offset = "256 KiB"', 'offset = "64 MiB"', "flash.root ends at 0x5000000, beyond bank 1"),
        ('offset = "256 KiB"', "offset = 4096", "flash.environment and flash.root overlap"),
        ("exec:S99usable", "console:(", 'boot.usable: "(" is no regular expression'),
        ('"busybox",', "3,", "image.root.packages[0]: found 3; give a valid string"),
        (ROOT, 'file = "none"', "image.root.file: there is no file /"),
        (ROOT, "", "image.root: give either `file`, or `recipe`"),
        ('recipe = "reference"', 'file = "none"', "has `packages`, which does not go with `file`"),
        ('"perfboard.board/1"', '"perfboard.board/2"', "give 'perfboard.board/1'"),
        ('EXPERT = "y"', 'EXPERT = "m"', "image.kernel.slim.CONFIG_EXPERT: found \"m\"; give 'y'"),
        ('CONFIG_EXPERT = "y"', 'EXPERT = "y"', 'slim.EXPERT.[key]: found "EXPERT"; give a text'),
        ('config = "verdex.config"', 'file = "zImage"', "has `slim`, which does not go with"),
        ("delay = 0", 'variables = { bootcmd = "x" }', "which needs kernel.file"),
        ("delay = 0", 'variables = { bootdelay = "1" }', "set image.bootloader.delay"),
        ("delay = 0", 'variables = { verify = "\\n" }', "variables.verify: found"),
        ('  { base = 0x04000000, size = "64 MiB" },\n', "", "give 2 or more of them"),
    ],
)
def test_a_wrong_board_file_is_told_by_key(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in VERDEX
    assert said in refusal(tmp_path, VERDEX.replace(old, new))


def test_every_problem_has_its_own_line(tmp_path: Path) -> None:
    text = VERDEX.replace("baud = 115200", "baud = -1").replace("width = 640", "width = 0")
    with pytest.raises(UsageError) as caught:
        load(tmp_path, text)
    lines = str(caught.value).splitlines()
    assert len(lines) == 2
    assert all(line.startswith(f"{tmp_path / 'board.toml'}: ") for line in lines)


def test_malformed_toml_is_told_by_line(tmp_path: Path) -> None:
    assert refusal(tmp_path, "a = 1\nb = \n").startswith("is not TOML: line 2, column 5: ")
    assert refusal(tmp_path, 'a = "').startswith("is not TOML: at its end: ")
    assert "too deep" in refusal(tmp_path, "a = " + "[" * 100_000)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "board.toml"
    path.write_bytes(b"a = \xff")
    with pytest.raises(UsageError, match="is not UTF-8 text"):
        load_board(str(path))


def test_the_keys_of_a_file_say_of_which_kind_its_parts_are() -> None:
    verdex, converter = load_board("verdex").board, load_board("converter").board
    assert isinstance(verdex, FlashBoard) and isinstance(converter, DiskBoard)
    assert isinstance(verdex.image.bootloader, DebianBootloader)
    assert isinstance(verdex.image.kernel, BuiltKernel)
    assert isinstance(converter.image.root, ReferenceRoot)
    assert verdex.timing and isinstance(verdex.timing.caches, SplitCaches)
    assert converter.timing and isinstance(converter.timing.caches, UnifiedCaches)
    assert [*verdex.image.files()] == ["image.kernel.config"]
