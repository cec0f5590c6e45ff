# SPDX-License-Identifier: Apache-2.0
"""The check that an own kernel has the virtual machine's drivers."""

import gzip
import lzma
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.boards.loader import load_board
from perfboard.boards.roots import RootKind, root_kind
from perfboard.images.kernel.build import keep_kernel
from perfboard.images.kernel.image import has_tree
from perfboard.images.kernel.needs import check_needs, configuration, needs_of
from perfboard.images.kernel.system_map import SystemMap
from perfboard.model.errors import UsageError
from perfboard.model.progress import SilentProgress
from tests.support.kernels import FOR_VIRT, make_kernel, make_zimage

RPI2 = load_board("rpi2").board
SQUASHFS = RootKind("squashfs", "xz")
NEEDS = needs_of(RPI2, (SQUASHFS,))
ALL = [option for need in NEEDS for option in need.options if option != "CONFIG_MTD_BLOCK_RO"]
NAMES = dict.fromkeys(FOR_VIRT, 1)


def kernel_with(config: str) -> bytes:
    """A zImage with CONFIG_IKCONFIG, which has that configuration."""
    own = b"IKCFG_ST" + gzip.compress(config.encode()) + b"IKCFG_ED"
    return make_zimage(make_kernel()[0] + own)


def config_of(options: list[str]) -> str:
    return "# made\n" + "".join(f"{option}=y\n" for option in options)


def test_a_kernel_with_all_that_the_machine_needs_passes() -> None:
    assert len(NEEDS) == 10 and len(ALL) == 10
    check_needs(NEEDS, kernel_with(config_of(ALL)), None, "zImage")
    other = [option for option in ALL if option != "CONFIG_MTD_BLOCK"]
    check_needs(NEEDS, kernel_with(config_of([*other, "CONFIG_MTD_BLOCK_RO"])), None, "zImage")
    check_needs(NEEDS, b"", SystemMap(NAMES, frozenset()), "zImage")


@pytest.mark.parametrize("option", ALL)
def test_each_option_that_is_missing_is_named(option: str) -> None:
    config = config_of([each for each in ALL if each != option])
    with pytest.raises(UsageError, match=rf"^zImage: lacks.* configuration in it.*{option}\b"):
        check_needs(NEEDS, kernel_with(config), None, "zImage")
    with pytest.raises(UsageError, match=rf"{option}\b.* a module comes too late"):
        check_needs(NEEDS, kernel_with(f"{config}{option}=m\n"), None, "zImage")


@pytest.mark.parametrize("name", NAMES)
def test_a_map_tells_what_a_kernel_without_its_configuration_lacks(name: str) -> None:
    names = {each: address for each, address in NAMES.items() if each != name}
    lacks = r"lacks, by its System\.map, .* needs: CONFIG_\w+[^(]*\([^()]*\)\. "
    with pytest.raises(UsageError, match=lacks):
        check_needs(NEEDS, make_zimage(make_kernel()[0]), SystemMap(names, frozenset()), "zImage")


def test_what_neither_tells_passes() -> None:
    check_needs(NEEDS, make_zimage(make_kernel()[0]), None, "zImage")
    check_needs(NEEDS, make_zimage(b"", b"\x89LZO\x00\x0d\x0a\x1a\x0a"), None, "zImage")
    assert configuration(make_kernel()[0] + b"IKCFG_ST no gzip") is None


def test_boards_need_different_things() -> None:
    options = {
        name: " ".join(str(need) for need in needs_of(load_board(name).board, ()))
        for name in ("rpi2", "teres", "settop-web")
    }
    assert "CONFIG_CPU_V7" in options["rpi2"] and "CONFIG_CPU_V7" not in options["teres"]
    assert "CONFIG_MTD_BLOCK" in options["teres"] and "MTD" not in options["settop-web"]
    assert "CONFIG_SERIAL_8250_CONSOLE" in options["settop-web"]


@pytest.mark.parametrize(
    ("head", "kind", "option"),
    [
        (b"hsqs" + bytes(16) + b"\x06\x00", RootKind("squashfs", "zstd"), "CONFIG_SQUASHFS_ZSTD"),
        (b"\x45\x3d\xcd\x28", RootKind("cramfs"), "CONFIG_CRAMFS"),
        (b"-rom1fs-", RootKind("romfs"), "CONFIG_ROMFS_FS"),
        (b"\x85\x19", RootKind("jffs2"), "CONFIG_JFFS2_FS"),
        (bytes(1024) + b"\xe2\xe1\xf5\xe0", RootKind("erofs"), "CONFIG_EROFS_FS"),
        (b"070701", RootKind("cpio"), "CONFIG_BLK_DEV_INITRD"),
        (gzip.compress(b"070701", mtime=0), RootKind("cpio", "gzip"), "CONFIG_RD_GZIP"),
        (lzma.compress(b"070701"), RootKind("cpio", "xz"), "CONFIG_RD_XZ"),
    ],
)
def test_a_root_file_system_is_known_by_its_beginning(
    head: bytes, kind: RootKind, option: str
) -> None:
    assert root_kind(head) == kind
    assert option in " ".join(str(need) for need in needs_of(RPI2, (kind,)))


@given(st.binary() | st.binary().map(lambda rest: b"\x1f\x8b\x08" + rest))
def test_any_beginning_is_known_or_not(head: bytes) -> None:
    kind = root_kind(head)
    assert kind is None or kind.system


def test_a_boards_own_tree_behind_the_kernel_is_refused(tmp_path: Path) -> None:
    zimage = bytearray(make_zimage(make_kernel()[0]))
    struct.pack_into("<2I", zimage, 0x28, 0, len(zimage))
    assert not has_tree(bytes(zimage)) and not has_tree(bytes(zimage[:0x28]))
    file = tmp_path / "zImage"
    file.write_bytes(zimage + b"\xd0\x0d\xfe\xed" + bytes(99))
    with pytest.raises(UsageError, match="has a device tree after the kernel"):
        keep_kernel(RPI2.machine.architecture, file, None, SilentProgress())
