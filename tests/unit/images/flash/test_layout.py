# SPDX-License-Identifier: Apache-2.0
"""The flash layout and U-Boot's environment."""

import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.images.flash.layout import (
    boot_command,
    check_addresses,
    environment_block,
    flash_devices,
    kernel_arguments,
    write_banks,
)
from perfboard.images.root.recipe import RootRecipe
from perfboard.model.board.image import Initrd
from perfboard.model.errors import UsageError
from tests.support.board_files import flash_board

BOARD = flash_board()
TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=126))
NAMES = TEXT.filter(lambda name: name != "" and "=" not in name)


@given(st.dictionaries(NAMES, TEXT, max_size=8), st.integers(4096, 0x40000))
def test_environment_reads_back_and_its_sum_is_right(variables: dict[str, str], size: int) -> None:
    block = environment_block(variables, size)
    assert len(block) == size
    assert struct.unpack_from("<I", block)[0] == zlib.crc32(block[4:])
    texts, _, padding = block[4:].partition(b"\0\0")
    if not variables:
        assert not block[4:].strip(b"\0")
        return
    assert not padding.strip(b"\0")
    read = dict(text.decode().split("=", 1) for text in texts.split(b"\0"))
    assert read == variables


@pytest.mark.parametrize("value", ["two\nlines", "a\0b", "ü", "\x1b[0m"])
def test_environment_refuses_what_it_cannot_hold(value: str) -> None:
    with pytest.raises(UsageError, match="cannot hold"):
        environment_block({"bootargs": value}, 4096)


def test_environment_too_long_names_the_region() -> None:
    with pytest.raises(UsageError, match=r"flash\.environment: holds 64 bytes"):
        environment_block({"bootargs": "x" * 64}, 64)


def test_environment_that_just_fits() -> None:
    variables = {"a": "b"}
    assert environment_block(variables, 4 + 5)[4:] == b"a=b\0\0"
    with pytest.raises(UsageError):
        environment_block(variables, 4 + 4)


def test_boot_command_copies_whole_words_and_starts_the_kernel() -> None:
    command = boot_command(BOARD, "bootz", 4097, None)
    assert command.startswith("cp.l 0x100000 0x41000000 401; ")
    assert command.endswith("; bootz 0x41000000 - ${fdtcontroladdr}")
    assert "fdt set /framebuffer@43f00000 stride <1280>" in command


def test_a_kernel_that_is_not_copied_is_started_where_it_lies() -> None:
    command = boot_command(BOARD, "bootm", None, None, ((1,),))
    assert "cp.l" not in command
    assert "; fdt set /flash@0 reg <0 0x4000000 0 0x4000000>; bootm 0x100000 - $" in command


def test_boot_command_with_an_initrd_gives_its_exact_size() -> None:
    bootloader = BOARD.image.bootloader.model_copy(update={"initrd_address": 0x42000000})
    image = BOARD.image.model_copy(
        update={"bootloader": bootloader, "initrd": Initrd(file=Path("x")), "root": None}
    )
    flash = BOARD.flash.model_copy(update={"initrd": BOARD.flash.root, "root": None})
    board = BOARD.model_copy(update={"image": image, "flash": flash, "framebuffer": None})
    assert boot_command(board, "bootz", 8, 5) == (
        "cp.l 0x100000 0x41000000 2; cp.l 0x4040000 0x42000000 2; "
        "bootz 0x41000000 0x42000000:0x5 ${fdtcontroladdr}"
    )
    assert kernel_arguments(board) == "console=ttyAMA0,115200"


def test_kernel_arguments_of_verdex() -> None:
    assert kernel_arguments(BOARD, ("quiet",)) == (
        "console=ttyAMA0,115200 mem=64512K mtdparts=0.flash:1024k@0x0(bootloader),"
        "15360k@0x100000(kernel),256k@0x4000000(environment),16384k@0x4040000(root) "
        "root=/dev/mtdblock3 ro rootfstype=squashfs quiet"
    )


def test_partitions_of_one_bank_begin_at_its_start() -> None:
    assert (
        "mtdparts=4000000.flash:256k@0x0(environment),16384k@0x40000(root) root=/dev/mtdblock1 ro"
        in kernel_arguments(BOARD, (), ((1,),))
    )


def test_banks_that_are_devices_of_their_own_keep_the_numbers_of_their_partitions() -> None:
    root = RootRecipe(system="cramfs-linear")
    devices = flash_devices((0, 1), root)
    assert devices == ((0,), (1,)) and flash_devices((1,), root) == ((1,),)
    assert (
        "mtdparts=0.flash:1024k@0x0(bootloader),15360k@0x100000(kernel);"
        "4000000.flash:256k@0x0(environment),16384k@0x40000(root) "
        "root=mtd:root ro rootfstype=cramfs"
    ) in kernel_arguments(BOARD, (), devices, root)
    # The kernel numbers them as they stand, and a new one stands first.
    command = boot_command(BOARD, "bootz", 4, None, devices)
    assert "; fdt rm /flash@0; fdt mknode / flash@4000000; " in command
    assert "fdt set /flash@4000000 reg <0 0x4000000 0 0x4000000>; " in command
    assert command.index("mknode / flash@4000000") < command.index("mknode / flash@0")


def test_a_root_in_memory_lies_behind_the_kernel() -> None:
    root = RootRecipe(system="initramfs", init="application")
    command = boot_command(BOARD, "bootz", 4, None, root_size=9)
    assert "cp.l 0x4040000 0x41f00000 3; " in command
    assert "; bootz 0x41000000 0x41f00000:0x9 $" in command
    arguments = kernel_arguments(BOARD, (), root=root)
    assert arguments.endswith("(root) rdinit=/usr/bin/rectangles")


def test_the_boards_own_arguments_come_last() -> None:
    kernel = BOARD.image.kernel.model_copy(update={"arguments": "root=/dev/nfs"})
    board = BOARD.model_copy(update={"image": BOARD.image.model_copy(update={"kernel": kernel})})
    assert kernel_arguments(board, ("quiet",)).endswith(" quiet root=/dev/nfs")


def test_banks_hold_each_part_at_its_place(tmp_path: Path) -> None:
    parts = {"bootloader": b"boot", "kernel": b"kern", "environment": b"env", "root": b"root"}
    first, second = write_banks(BOARD, parts, tmp_path)
    assert first.stat().st_size == second.stat().st_size == 64 << 20
    assert first.stat().st_blocks * 512 < 1 << 20
    with first.open("rb") as file:
        assert file.read(4) == b"boot"
        file.seek(1 << 20)
        assert file.read(5) == b"kern\0"
    with second.open("rb") as file:
        assert file.read(3) == b"env"
        file.seek(256 << 10)
        assert file.read(4) == b"root"


def test_a_region_without_a_part_stays_empty(tmp_path: Path) -> None:
    parts = {"bootloader": b"boot", "kernel": b"kern", "environment": b"env"}
    _, second = write_banks(BOARD, parts, tmp_path)
    assert second.stat().st_size == 64 << 20
    with second.open("rb") as file:
        assert file.read(512 << 10).rstrip(b"\0") == b"env"


def test_a_part_without_a_region_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="initrd"):
        write_banks(BOARD, {"initrd": b""}, tmp_path)


def test_a_part_larger_than_its_region_is_told(tmp_path: Path) -> None:
    parts = {"bootloader": bytes((1 << 20) + 1), "kernel": b"", "environment": b"", "root": b""}
    with pytest.raises(UsageError) as caught:
        write_banks(BOARD, parts, tmp_path)
    said = str(caught.value)
    assert said.startswith("flash.bootloader: the bootloader is 1048577 bytes")
    assert "holds 1048576" in said and "make flash.bootloader.size larger" in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("update", "said"),
    [
        ({"address": 0x44000000}, "framebuffer: found 0x44000000"),
        ({"address": 0x43F00001}, "framebuffer: found 0x43f00001"),
        ({"size": 4096}, "framebuffer: 640 x 480 pixels"),
    ],
)
def test_a_framebuffer_outside_of_ram_is_told(update: dict[str, int], said: str) -> None:
    assert BOARD.framebuffer is not None
    frame = BOARD.framebuffer.model_copy(update=update)
    with pytest.raises(UsageError) as caught:
        check_addresses(BOARD.model_copy(update={"framebuffer": frame}))
    assert str(caught.value).startswith(said)


def test_a_kernel_address_outside_of_ram_is_told() -> None:
    bootloader = BOARD.image.bootloader.model_copy(update={"kernel_address": 0x1000})
    image = BOARD.image.model_copy(update={"bootloader": bootloader})
    with pytest.raises(UsageError, match=r"image\.bootloader\.kernel_address: found 0x1000"):
        check_addresses(BOARD.model_copy(update={"image": image}))
    check_addresses(BOARD)


def test_a_command_line_that_was_advised_is_not_added_to_again() -> None:
    board = flash_board("rpi2")
    extra = ("perfboard_hwcap.clear=0x1000", "perfboard_net.irq=9")
    whole = kernel_arguments(board, extra)
    bootloader = board.image.bootloader.model_copy(update={"variables": {"bootargs": whole}})
    image = board.image.model_copy(update={"bootloader": bootloader})
    assert kernel_arguments(board.model_copy(update={"image": image}), extra) == whole
