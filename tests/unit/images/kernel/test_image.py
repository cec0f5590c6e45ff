# SPDX-License-Identifier: Apache-2.0
"""What lies in flash as the kernel: with a header, and as one makes it by hand."""

import shutil
import struct
import zlib
from pathlib import Path

import pytest

from perfboard.boards.loader import load_board
from perfboard.images.kernel.image import add_header, has_header, image_commands
from perfboard.images.recipe import Recipe
from perfboard.model.progress import SilentProgress
from tests.support.variants import variant_of

BOARD = load_board("verdex").board
_HEADER = 64


def _recipe(**levels: str) -> Recipe:
    return variant_of(**levels).recipe


@pytest.mark.skipif(shutil.which("mkimage") is None, reason="has no mkimage")
def test_a_header_says_where_the_kernel_lies_and_its_sums_are_right(tmp_path: Path) -> None:
    kernel = b"code of a kernel" * 9
    file = tmp_path / "a/b/xipImage"
    file.parent.mkdir(parents=True)
    file.write_bytes(kernel)
    image = add_header(_recipe(kernel="xip"), file, SilentProgress())
    assert has_header(image) and not has_header(kernel)
    magic, own, time, size, load, entry, data = struct.unpack_from(">7I", image)
    assert magic == 0x27051956 and image[_HEADER:] == kernel and size == len(kernel) and not time
    # U-Boot copies nothing where a kernel's data lie at its load address already.
    assert load == entry == 0x100000 + _HEADER
    assert data == zlib.crc32(kernel)
    assert own == zlib.crc32(image[:4] + bytes(4) + image[8:_HEADER])
    assert image[28:32] == bytes((5, 2, 2, 0))


def test_the_commands_that_make_it() -> None:
    assert image_commands(_recipe()) == (("make", "zImage"),)
    assert image_commands(_recipe(kernel="flash")) == (("make", "zImage"),)
    built, header = image_commands(_recipe(kernel="xip"))
    assert built == ("make", "xipImage")
    assert header[-6:] == ("-a", "0x100040", "-e", "0x100040", "-d", "xipImage", "uImage")[-6:]
    built, header = image_commands(_recipe(check="crc32"))
    assert header[-4:] == ("0x41000000", "-d", "zImage", "uImage")
    built, copied, header = image_commands(_recipe(compression="none"))
    assert copied[-2:] == ("vmlinux", "Image") and header[-4:] == (
        *("0x40008000", "-d", "Image", "uImage"),
    )
