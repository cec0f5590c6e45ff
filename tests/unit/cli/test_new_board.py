# SPDX-License-Identifier: Apache-2.0
"""`perfboard boards new`: a board file for an own image."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from perfboard.boards.loader import load_board
from perfboard.model.board.image import OwnRoot
from perfboard.model.board.kernel import OwnKernel
from perfboard.model.board.virtual import FlashBoard
from tests.support.command import call
from tests.support.kernels import make_kernel, make_wide_kernel, make_zimage, with_header

NEW = ("boards", "new", "mine", "--like", "rpi2", "--kernel", "zImage", "--root", "root.squashfs")


def squashfs(compressor: int) -> bytes:
    return b"hsqs" + bytes(16) + bytes((compressor, 0)) + bytes(5000)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    image, system_map = make_kernel()
    (tmp_path / "zImage").write_bytes(make_zimage(image))
    (tmp_path / "System.map").write_text(system_map)
    (tmp_path / "root.squashfs").write_bytes(b"hsqs" + bytes(5000))
    return tmp_path


def test_it_boots_the_files_timed_as_the_named_board(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (files / "root.squashfs").open("r+b") as file:
        file.truncate(40 << 20)
    assert call(*NEW, "--system-map", "System.map", "--usable", "exec:S99app") == 0
    assert "perfboard study boot --board ./mine.toml" in capsys.readouterr().out
    loaded, rpi2 = load_board("./mine.toml"), load_board("rpi2").board
    board = loaded.board
    assert isinstance(board, FlashBoard) and isinstance(rpi2, FlashBoard)
    assert board.name == "mine" and board.machine == rpi2.machine
    assert board.model_dump()["timing"] == rpi2.model_dump()["timing"]
    assert isinstance(board.image.kernel, OwnKernel) and isinstance(board.image.root, OwnRoot)
    assert board.image.kernel.arguments == "rootfstype=squashfs"
    assert loaded.file(board.image.kernel.file).samefile("zImage")
    assert board.boot.usable == "exec:S99app"
    # It fits the flash of rpi2 only in a wider region.
    assert board.flash.root is not None and board.flash.root.size >= 40 << 20
    assert board.flash.kernel == rpi2.flash.kernel
    # A board like that one, from its file; and nothing is overwritten.
    assert call("boards", "new", "next", "--like", "./mine.toml", *NEW[5:]) == 0
    text = (files / "mine.toml").read_text()
    assert call(*NEW) == 2
    assert (files / "mine.toml").read_text() == text


@pytest.mark.parametrize("usable", ["login:", "console:login:"])
def test_a_line_of_the_console_ends_its_boot(files: Path, usable: str) -> None:
    assert call(*NEW, "--usable", usable) == 0
    assert load_board("./mine.toml").board.boot.usable == "console:login:"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_an_archive_is_booted_from_memory(files: Path, pack: Callable[[bytes], bytes]) -> None:
    (files / "root.squashfs").write_bytes(pack(b"070701" + bytes(5000)))
    assert call(*NEW) == 0
    loaded, rpi2 = load_board("./mine.toml"), load_board("rpi2").board
    board = loaded.board
    assert isinstance(board, FlashBoard) and isinstance(rpi2, FlashBoard)
    assert board.image.root is None and board.flash.root is None
    assert board.image.initrd and loaded.file(board.image.initrd.file).samefile("root.squashfs")
    assert board.flash.initrd == rpi2.flash.root
    assert board.image.bootloader.initrd_address == 0x50000000
    # And a board like that one has a root in flash again.
    (files / "next.squashfs").write_bytes(b"hsqs" + bytes(5000))
    words = ("--kernel", "zImage", "--root", "next.squashfs")
    assert call("boards", "new", "next", "--like", "./mine.toml", *words) == 0
    board = load_board("./next.toml").board
    assert isinstance(board, FlashBoard) and isinstance(board.image.root, OwnRoot)
    assert board.image.initrd is None and board.flash.root == rpi2.flash.root


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("zImage", Path("/bin/ls").read_bytes(), "zImage: is not a kernel for armhf as zImage"),
        ("zImage", make_wide_kernel()[0], "zImage: is not a kernel for armhf as zImage"),
        ("zImage", with_header(make_wide_kernel()[0], 22), "by which it is no kernel for armhf"),
        ("System.map", b"c0008000 T", "System.map: line 1: found"),
        ("System.map", make_kernel(grown=4)[1].encode(), "is the System.map of another kernel"),
        ("root.squashfs", squashfs(6), "lacks, by its System.map, what the virtual machine needs"),
        ("root.squashfs", squashfs(6), "CONFIG_SQUASHFS_ZSTD (a squashfs in zstd)"),
        ("root.squashfs", b"-rom1fs-" + bytes(99), "CONFIG_ROMFS_FS (a root in romfs)"),
        ("zImage", b"\xd0\x0d\xfe\xed" + bytes(60), "is a device tree"),
        ("root.squashfs", bytes(0x438) + b"\x53\xef" + bytes(99), "is ext4, which needs a disk"),
        ("root.squashfs", b"\x27\x05\x19\x56" + bytes(99), "has a header for U-Boot"),
        ("root.squashfs", gzip.compress(bytes(99), mtime=0), "is none of squashfs"),
        ("root.squashfs", b"", "is none of squashfs"),
    ],
)
def test_what_cannot_be_booted_is_refused(
    files: Path, name: str, content: bytes, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / name).write_bytes(content)
    assert call(*NEW, "--system-map", "System.map") == 2
    assert said in capsys.readouterr().err
    assert not (files / "mine.toml").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["boards", "new", "Mine", *NEW[3:]], "give at most 40"),
        (["boards", "new", "mine", "--like", "settop-web", *NEW[5:]], "needs a board with flash"),
        ([*NEW, "--system-map", "absent"], "--system-map absent: No such file"),
        ([*NEW, "--usable", "exec:S99app"], "boot.usable: exec:S99app is the start of a program"),
        ([*NEW, "--usable", "("], 'boot.usable: "(" is no regular expression'),
        ([*NEW, "--usable", "exec:"], '"exec:" names no line and no program'),
    ],
)
def test_a_wrong_word_is_refused(
    files: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*words) == 2
    assert said in capsys.readouterr().err
    assert not list(files.glob("*.toml"))
