# SPDX-License-Identifier: Apache-2.0
"""A Debian system by an emulator that only says what the real one would."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from perfboard.boards.loader import load_board
from perfboard.images.debian.build import build_debian_root
from perfboard.images.root.recipe import Debian
from perfboard.model.board.virtual import FlashBoard
from perfboard.model.errors import BuildError
from perfboard.model.progress import SilentProgress

from ..packages.test_root import Seeded

# The board's memory is a file, at whose end the disk is; here a byte of its boot block is written.
RAM = 512 << 20
EMULATOR = """\
#!/bin/sh
case "$*" in *--version*) exit 0;; esac
for word in "$@"; do
    case $word in *mem-path=*) path=${word#*mem-path=} path=${path%%,*} ;; esac
done
printf X | dd of="$path" bs=1 seek=PLACE conv=notrunc 2>/dev/null
echo "Setting up tool (1) ..."
echo "perfboard-configure: ENDS"
"""
CONTROL = "Package: tool\nVersion: 1\nArchitecture: armhf\n"


def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str) -> Path:
    program = tmp_path / "qemu-system-arm"
    program.write_text(EMULATOR.replace("PLACE", str(RAM + 10)).replace("ENDS", ends))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}:/usr/sbin")
    board = load_board("rpi2").board
    assert isinstance(board, FlashBoard) and board.machine.ram == RAM
    state = Seeded({"tool": {"DEBIAN/control": CONTROL, "usr/bin/tool": ends}})
    kernel = tmp_path / "zImage"
    return build_debian_root(state, board, kernel, Debian(), (), SilentProgress()).image


def test_the_disk_is_as_the_board_left_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = build(tmp_path, monkeypatch, "done")
    content = image.read_bytes()
    assert content[10:11] == b"X" and content[0x438:0x43A] == b"\x53\xef"
    # It has holes where the disk has nothing.
    assert image.stat().st_blocks * 512 < len(content) // 2
    shown = subprocess.run(
        ["debugfs", "-R", "cat /usr/bin/tool", str(image)], capture_output=True, check=True
    )
    assert shown.stdout == b"done"
    assert [path.name for path in image.parent.iterdir() if path.suffix != ".jsonl"] == ["disk.img"]


def test_the_disk_is_the_same_for_every_user_and_at_any_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build(tmp_path, monkeypatch, "done").read_bytes()
    # Its times are whole seconds.
    time.sleep(1.1)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another"))
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    before = os.umask(0o077)
    try:
        second = build(tmp_path, monkeypatch, "done")
    finally:
        os.umask(before)
    assert second.is_relative_to(tmp_path / "another") and second.read_bytes() == first


def test_a_package_that_cannot_be_configured_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BuildError, match=r"failed \(dpkg failed\); its last lines:\nSetting up"):
        build(tmp_path, monkeypatch, "dpkg failed")
