# SPDX-License-Identifier: Apache-2.0
"""System.map: reading it, and telling that of another kernel."""

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import lz4.block
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfboard.images.kernel.system_map import SystemMap, check_map, read_map, unpack_kernel
from perfboard.model.errors import UsageError
from tests.support.kernels import BASE, make_kernel, make_wide_kernel, make_zimage

STAND_IN = b"ffffffffffffffff B The real System.map is in the linux-image-<version>-dbg package\n"


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str | bytes], SystemMap]:
    """Reads a System.map of that text."""

    def read_text(text: str | bytes) -> SystemMap:
        path = tmp_path / "System.map"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_map(path)

    return read_text


Read = Callable[[str | bytes], SystemMap]


def test_names_addresses_and_code(read: Read) -> None:
    found = read("c0008000 T _text\nc0008010 t f.0\nc0009000 d f.0\nc000a000 W weak\t[mod]\n")
    assert found.addresses == {"_text": 0xC0008000, "f.0": 0xC0008010, "weak": 0xC000A000}
    assert found.code == {0xC0008000, 0xC0008010, 0xC000A000}


def test_code_without_a_name_is_code(read: Read) -> None:
    # As in a kernel of verdex's: "c03296e0 t ".
    found = read("c0008000 T _text\nc0008010 t \n")
    assert found.addresses == {"_text": 0xC0008000}
    assert found.code == {0xC0008000, 0xC0008010}


def test_debians_stand_in_is_empty(read: Read) -> None:
    assert read(STAND_IN).addresses == {}
    check_map(read(STAND_IN), b"anything", "System.map")


@pytest.mark.parametrize("text", ["", "hello\n", "c0008000 T\n", "c0008000 T _text\n\x00\n"])
def test_what_is_no_system_map_is_told(read: Read, text: str) -> None:
    with pytest.raises(UsageError, match=r"System\.map: "):
        read(text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary() | st.text(alphabet="0123456789abcdefT _\n").map(str.encode))
def test_any_bytes_are_read_or_refused(read: Read, content: bytes) -> None:
    try:
        found = read(content)
    except UsageError:
        return
    assert found.addresses or content == STAND_IN


@pytest.mark.parametrize("thumb", [False, True])
def test_a_kernels_own_map_passes(read: Read, thumb: bool) -> None:
    image, text = make_kernel(thumb=thumb)
    check_map(read(text), make_zimage(image), "System.map")
    check_map(read(text), image, "System.map")


def test_a_64_bit_kernels_own_map_passes_and_anothers_is_told(read: Read) -> None:
    image, text = make_wide_kernel()
    check_map(read(text), image, "System.map")
    with pytest.raises(UsageError, match=r"another kernel.*code at 0xffff8000"):
        check_map(read(make_wide_kernel(grown=4)[1]), image, "System.map")


def test_a_map_with_the_banner_elsewhere_is_told(read: Read) -> None:
    image, text = make_kernel()
    moved = text.replace(f"{BASE + 0x8000:08x} D linux_banner", f"{BASE:08x} D linux_banner")
    assert moved != text
    with pytest.raises(UsageError, match=r"another kernel.*no banner"):
        check_map(read(moved), image, "System.map")


@pytest.mark.parametrize("grown", [4, 32])
def test_a_map_of_a_kernel_whose_code_has_grown_is_told(read: Read, grown: int) -> None:
    """Banner and tables keep their addresses; only the functions have moved."""
    image, _ = make_kernel()
    _, other = make_kernel(grown=grown)
    with pytest.raises(UsageError, match=r"another kernel.*code at"):
        check_map(read(other), make_zimage(image), "System.map")


def test_a_table_beyond_the_kernel_is_told(read: Read) -> None:
    image, text = make_kernel()
    banner_only = image[: 0x8000 + 0x40]
    with pytest.raises(UsageError, match=r"another kernel.*lies outside"):
        check_map(read(text), banner_only, "System.map")


@pytest.mark.parametrize("name", ["_text", "linux_banner", "sys_call_table", "__initcall_end"])
def test_a_map_without_what_the_check_needs_is_told(read: Read, name: str) -> None:
    image, text = make_kernel()
    lines = [line for line in text.splitlines() if not line.endswith(f" {name}")]
    with pytest.raises(UsageError, match="lacks one of"):
        check_map(read("\n".join(lines)), image, "System.map")


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_kernel_bytes_crash_the_check(read: Read, data: st.DataObject) -> None:
    image, text = make_kernel()
    kernel = bytearray(make_zimage(image))
    for at in data.draw(st.lists(st.integers(0, len(kernel) - 1), max_size=6)):
        kernel[at] ^= data.draw(st.integers(1, 255))
    try:
        check_map(read(text), bytes(kernel), "System.map")
    except UsageError as error:
        assert str(error)


@pytest.mark.parametrize("form", [lzma.FORMAT_XZ, lzma.FORMAT_ALONE])
def test_other_compressions_that_linux_uses(form: int) -> None:
    image, _ = make_kernel()
    zimage = make_zimage(image, lzma.compress(image, format=form))
    assert unpack_kernel(zimage) == image


def in_lz4(content: bytes) -> bytes:
    """As `lz4 -l` writes it, and the content's size behind it, as in a kernel."""
    blocks = [
        lz4.block.compress(content[at : at + (8 << 20)], store_size=False)
        for at in range(0, len(content), 8 << 20)
    ]
    sized = b"".join(len(block).to_bytes(4, "little") + block for block in blocks)
    return b"\x02\x21\x4c\x18" + sized + len(content).to_bytes(4, "little")


@pytest.mark.parametrize("more", [0, 8 << 20])
def test_a_map_is_held_against_a_kernel_in_lz4(read: Read, more: int) -> None:
    image, text = make_kernel()
    zimage = make_zimage(image, in_lz4(image + bytes(more)))
    check_map(read(text), zimage, "System.map")
    with pytest.raises(UsageError, match="another kernel"):
        check_map(read(make_kernel(grown=4)[1]), zimage, "System.map")


@given(st.binary(max_size=300))
def test_what_only_looks_like_lz4_is_refused(content: bytes) -> None:
    with pytest.raises(UsageError, match="is compressed with"):
        unpack_kernel(make_zimage(b"", b"\x02\x21\x4c\x18" + content))


def test_a_false_start_of_a_payload_is_passed_over() -> None:
    image, _ = make_kernel()
    payload = b"\x1f\x8b\x08 not gzip" + make_zimage(image)[0x68:]
    assert unpack_kernel(make_zimage(image, payload)) == image


def test_an_unreadable_compression_is_named_with_the_way_out() -> None:
    with pytest.raises(UsageError, match=r"compressed with LZO.*leave image.kernel.system_map out"):
        unpack_kernel(make_zimage(b"", b"\x89LZO\x00\x0d\x0a\x1a\x0a and so on"))


@pytest.mark.parametrize("content", [gzip.compress(bytes(40 << 20), 1) * 20, b"\x5d\0\0" * 10**6])
def test_many_bombs_together_are_refused_as_soon_as_one(content: bytes) -> None:
    with pytest.raises(UsageError, match="more compressed data than any kernel"):
        unpack_kernel(make_zimage(b"")[:64] + content)
