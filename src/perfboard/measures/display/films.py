# SPDX-License-Identifier: Apache-2.0
"""The pictures that a watcher printed (native/display/film.c), as PNG files."""

import base64
import binascii
import struct
import zlib
from collections.abc import Iterator

from perfboard.bench.display.rows import PictureRow
from perfboard.model.blocks import Picture
from perfboard.model.rows import read_rows

_MOST_PICTURES = 64


def pictures_of(output: str) -> dict[str, tuple[Picture, ...]]:
    """The pictures in a workload's output, by the name of their film; a torn one is left out."""
    films: dict[str, tuple[Picture, ...]] = {}
    count = 0
    for row in read_rows(output, PictureRow):
        pixels = _pixels(row.runs, row.width * row.height)
        if pixels is not None and count < _MOST_PICTURES:
            count += 1
            data = base64.b64encode(png(row.width, row.height, pixels)).decode()
            picture = Picture(moment=row.moment, time_s=row.time_ns / 1e9, png=data)
            films[row.film] = (*films.get(row.film, ()), picture)
    return films


def _pixels(runs: str, count: int) -> bytes | None:
    """Three bytes for each pixel of runs of a colour in 5, 6 and 5 bits; None if they are torn."""
    try:
        data = base64.b64decode(runs, validate=True)
    except binascii.Error:
        return None
    if len(data) % 3 or sum(data[::3]) != count:
        return None
    return b"".join(_run(*each) for each in struct.iter_unpack(">BH", data))


def _run(length: int, colour: int) -> bytes:
    red, green, blue = colour >> 11, colour >> 5 & 63, colour & 31
    # The highest bits again below, so that white is white.
    return bytes((red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2)) * length


def png(width: int, height: int, pixels: bytes, level: int = 9) -> bytes:
    """A PNG file of three bytes a pixel (RFC 2083), compressed at that level of zlib's."""
    line = 3 * width
    # A filter of 2 stores the difference from the line above.
    above = [bytes(line), *(pixels[line * y : line * (y + 1)] for y in range(height - 1))]
    rows = b"".join(
        b"\2" + bytes(map(_difference, pixels[line * y : line * (y + 1)], above[y]))
        for y in range(height)
    )
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, level)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunks(parts))


def _difference(value: int, above: int) -> int:
    return value - above & 255


def _chunks(parts: tuple[tuple[bytes, bytes], ...]) -> Iterator[bytes]:
    for name, data in parts:
        yield struct.pack(">I", len(data)) + name + data
        yield struct.pack(">I", zlib.crc32(name + data))
