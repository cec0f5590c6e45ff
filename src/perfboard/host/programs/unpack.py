# SPDX-License-Identifier: Apache-2.0
"""Compressed files, unpacked to a scratch folder by their content, within bounds."""

import bz2
import gzip
import lzma
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from perfboard.host.files.scratch import scratch_folder
from perfboard.host.programs.reader import tool_output
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.units import format_size

_PORTION = 1 << 20
# An archive names the memory that unpacks it; xz's own largest preset has 65 MiB.
_MEMORY = 256 << 20


@contextmanager
def unpacked(path: Path, most: int, named: Path) -> Iterator[Path | None]:
    """The content of a compressed file, in a scratch folder meanwhile; None if it is none such.

    Knows gzip, bzip2 and xz, and zstd by its tool. Raises UsageError, which names the file as the
    user did, if the archive is damaged or holds more than `most` bytes, and EnvironmentLacksError
    if the tool is missing.
    """
    with path.open("rb") as file:
        magic = file.read(6)
    portions = next((found for start, found in _KINDS.items() if magic.startswith(start)), None)
    if portions is None:
        yield None
        return
    with scratch_folder() as folder:
        target = folder / "content"
        try:
            with target.open("wb") as out:
                _copy(portions(path, named), out, most, named)
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, ValueError) as error:
            raise UsageError(
                f"{named}: its archive is damaged or cut off: {error}; unpack by hand what is whole"
            ) from error
        yield target


def _copy(portions: Iterable[bytes], out: BinaryIO, most: int, named: Path) -> None:
    size = 0
    for portion in portions:
        size += len(portion)
        if size > most:
            raise UsageError(
                f"{named}: unpacks to more than {format_size(most)}; unpack it, and cut the boot "
                "out of it"
            )
        out.write(portion)


def _gzip(path: Path, named: Path) -> Iterator[bytes]:
    with gzip.open(path) as file:
        yield from _read(file)


def _bzip2(path: Path, named: Path) -> Iterator[bytes]:
    yield from _streams(path, bz2.BZ2Decompressor)


def _xz(path: Path, named: Path) -> Iterator[bytes]:
    yield from _streams(path, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _MEMORY))


def _zstd(path: Path, named: Path) -> Iterator[bytes]:
    if shutil.which("zstd") is None:
        raise EnvironmentLacksError(
            f"{named}: zstd unpacks such files, and is not on this machine; on Debian: "
            "sudo apt-get install zstd"
        )
    with tool_output(("zstd", "-dcq", str(path.absolute())), "zstd", named) as stream:
        yield from _read(stream)


def _read(file: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    while portion := file.read(_PORTION):
        yield portion


def _streams(
    path: Path, opened: Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor]
) -> Iterator[bytes]:
    """One stream after the other, as these programs write several. Raises EOFError, ValueError."""
    with path.open("rb") as file:
        data = file.read(_PORTION)
        while data:
            stream = opened()
            while not stream.eof:
                if stream.needs_input and not data and not (data := file.read(_PORTION)):
                    raise EOFError("it ends in the middle")
                try:
                    yield stream.decompress(data, _PORTION)
                except OSError as error:
                    raise ValueError(error) from error
                data = b""
            # xz pads its streams with zeros.
            data = (stream.unused_data or file.read(_PORTION)).lstrip(b"\0")


_KINDS: dict[bytes, Callable[[Path, Path], Iterator[bytes]]] = {
    b"\x1f\x8b": _gzip,
    b"BZh": _bzip2,
    b"\xfd7zXZ\0": _xz,
    b"\x28\xb5\x2f\xfd": _zstd,
}
