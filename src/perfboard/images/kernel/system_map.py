# SPDX-License-Identifier: Apache-2.0
"""A kernel's System.map, and whether it belongs to a given kernel.

A mark is set at the address that the System.map gives. With the map of another
kernel it would fall on some other instruction and report a wrong time without
any sign, so a map is checked against the kernel's own bytes first.
"""

import lzma
import re
import struct
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from perfboard.host.files.files import read_file
from perfboard.model.board.architecture import ARCHITECTURES
from perfboard.model.errors import UsageError

_LINE = re.compile(rb"([0-9a-fA-F]{8,16}) ([A-Za-z?-]) (\S*)(?:[ \t].*)?")
# Debian ships this instead of the map: one line that names another package.
_STAND_IN = re.compile(rb"\s*[0-9a-fA-F]{8,16} . The real System\.map is in [^\n]*\s*")
_BANNER = b"Linux version "
_BASES = ("_text", "stext")
# No ARM kernel with all that Debian's has comes near this; bombs, all together, are stopped by it.
_LARGEST = 256 << 20
_LARGEST_MAP = 64 << 20
# A kernel's compressed part comes first; what looks like the beginning of one is rare.
_MOST_TRIES = 100
_PART = 1 << 20
_WORD = 4
_LARGEST_32 = 0xFFFFFFFF
_ZIMAGE = next(known for known in ARCHITECTURES if known.kernel_name == "zImage")
_ODD = ~1  # clears the lowest bit, which marks Thumb code in a function's address
_LZ4_BLOCK = 8 << 20
_UNREADABLE = {
    b"\x89LZO\x00\x0d\x0a\x1a\x0a": "LZO",
    b"\x28\xb5\x2f\xfd": "Zstandard",
}


@dataclass(frozen=True)
class SystemMap:
    """A System.map: the first address of each name, and all code addresses."""

    addresses: dict[str, int]
    code: frozenset[int]


def read_map(path: Path) -> SystemMap:
    """Reads a System.map; one that is Debian's stand-in for it is empty.

    Raises UsageError with file and line where a line is not one of a System.map.
    """
    content = read_file(path, _LARGEST_MAP, "a System.map")
    addresses: dict[str, int] = {}
    code: set[int] = set()
    if not _STAND_IN.fullmatch(content):
        for number, line in enumerate(content.splitlines(), 1):
            match = _LINE.fullmatch(line)
            if match is None:
                raise UsageError(
                    f"{path}: line {number}: found {line[:60]!r}; give an address, a letter and "
                    "a name, as nm and the kernel's own build write them"
                )
            address = int(match[1], 16)
            # Code that the linker adds, to branch far, say, may have no name.
            if match[3]:
                addresses.setdefault(match[3].decode(errors="replace"), address)
            if match[2] in b"TtWw":
                code.add(address)
        if not addresses:
            raise UsageError(f"{path}: is empty; give the kernel's System.map, or leave it out")
    return SystemMap(addresses, frozenset(code))


def check_map(found: SystemMap, kernel: bytes, name: str) -> None:
    """Raises UsageError where the map is not that of `kernel`, a zImage or an Image.

    `name` is the map's file name for the message. An empty map passes.

    Two things are looked up in the kernel's bytes. At `linux_banner` must stand
    the banner: that fails with almost any other kernel. But data begins on a
    coarse boundary after the code, so that a kernel whose code has grown a
    little keeps its banner's address, while every function after the change has
    moved. So each entry of the table of system calls and of the table of
    initcalls must be the address of code in the map, too: these point at
    hundreds of functions all over the kernel. On 64-bit ARM an entry for an initcall is
    relative to its own address, and the system calls' are filled in at boot, so that
    they are left out.
    """
    if not found.addresses:
        return
    try:
        base = next(found.addresses[key] for key in _BASES if key in found.addresses)
        banner = found.addresses["linux_banner"] - base
        wide = base > _LARGEST_32
        tables = [_table(found, "__initcall_start", "__initcall_end")]
        if not wide:
            tables.insert(0, _table(found, "sys_call_table", None))
    except (KeyError, StopIteration):
        raise UsageError(
            f"{name}: lacks one of _text, linux_banner, sys_call_table, __initcall_start, "
            "__initcall_end; give the whole System.map of an ARM kernel"
        ) from None
    image = unpack_kernel(kernel)
    wrong = f"{name}: is the System.map of another kernel; give the one made with this kernel"
    if banner < 0 or not image.startswith(_BANNER, banner):
        raise UsageError(f"{wrong}: at its linux_banner the kernel holds no banner")
    for start, end in tables:
        words = image[start - base : end - base]
        # A short slice or an unaligned one: the table lies outside of this kernel.
        if start < base or not words or len(words) != end - start or len(words) % _WORD:
            raise UsageError(f"{wrong}: a table of functions lies outside of the kernel")
        for at, (word,) in enumerate(struct.iter_unpack("<i" if wide else "<I", words)):
            code = start + at * _WORD + word if wide else word & _ODD
            if code not in found.code:
                raise UsageError(f"{wrong}: the kernel has code at {code:#x}, the map not")


def _table(found: SystemMap, start: str, end: str | None) -> tuple[int, int]:
    """The place of a table; without a symbol for its end, up to the next symbol."""
    first = found.addresses[start]
    if end is not None:
        return first, found.addresses[end]
    ordered = sorted(found.addresses.values())
    return first, ordered[min(bisect_right(ordered, first), len(ordered) - 1)]


def unpack_kernel(kernel: bytes) -> bytes:
    """The Image inside a zImage that is compressed with gzip, XZ, LZMA or LZ4, or `kernel` itself.

    Raises UsageError for a zImage that is compressed in another way.
    """
    if not kernel.startswith(_ZIMAGE.magic, _ZIMAGE.magic_at):
        return kernel
    left, tries, whole = _LARGEST, 0, memoryview(kernel)
    for magic, unpack in _UNPACKERS.items():
        at = kernel.find(magic)
        while at >= 0:
            found = bytearray()
            try:
                for part in unpack(whole[at:]):
                    found += part
                    left -= len(part)
                    if left < 0:
                        break
            except (zlib.error, lzma.LZMAError, ValueError):
                found.clear()
            tries += 1
            if left < 0 or tries > _MOST_TRIES:
                raise UsageError(
                    "the kernel has more compressed data than any kernel, so that its System.map "
                    "cannot be checked; is it one, and whole?"
                )
            if _BANNER in found:
                return bytes(found)
            at = kernel.find(magic, at + 1)
    guess = next((how for magic, how in _UNREADABLE.items() if magic in kernel), "an unknown way")
    raise UsageError(
        f"the kernel is compressed with {guess}, so that its System.map cannot be checked; use a "
        "kernel compressed with gzip, XZ, LZMA or LZ4, or leave image.kernel.system_map out of the "
        "board file: the marks then come from the console"
    )


def _gzip(data: memoryview) -> Iterator[bytes]:
    unpacker, rest = zlib.decompressobj(16 + zlib.MAX_WBITS), bytes(data)
    while not unpacker.eof and (part := unpacker.decompress(rest, _PART)):
        yield part
        rest = unpacker.unconsumed_tail


def _xz(data: memoryview, format: int = lzma.FORMAT_XZ) -> Iterator[bytes]:
    unpacker = lzma.LZMADecompressor(format, _LARGEST)
    part = unpacker.decompress(data, _PART)
    while part:
        yield part
        part = b"" if unpacker.eof else unpacker.decompress(b"", _PART)


def _lzma(data: memoryview) -> Iterator[bytes]:
    return _xz(data, lzma.FORMAT_ALONE)


def _lz4(data: memoryview) -> Iterator[bytes]:
    """The legacy frame that `lz4 -l` writes: each block but the last is full."""
    from lz4.block import LZ4BlockError, decompress

    at, full = _WORD, True
    while full:
        end = at + _WORD + int.from_bytes(data[at : at + _WORD], "little")
        try:
            block = decompress(data[at + _WORD : end], uncompressed_size=_LZ4_BLOCK)
        except LZ4BlockError as error:
            raise ValueError("no LZ4") from error
        yield block
        at, full = end, len(block) == _LZ4_BLOCK


_UNPACKERS = {
    b"\x1f\x8b\x08": _gzip,
    b"\xfd7zXZ\x00": _xz,
    b"\x5d\x00\x00": _lzma,
    b"\x02\x21\x4c\x18": _lz4,
}
