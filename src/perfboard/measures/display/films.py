# SPDX-License-Identifier: Apache-2.0
"""The pictures that a watcher printed (native/display/film.c), as PNG files."""

import base64
import binascii
import re
import struct
import zlib
from collections.abc import Iterator

from perfboard.model.blocks import Picture

_LINE = re.compile(
    r"@picture ([\w-]{1,40}) ([a-z]{1,10}) (\d{1,19}) (\d{1,4}) (\d{1,4}) ([A-Za-z0-9+/]{4,})"
)
_MOST_SIDE = 2048
_MOST_PICTURES = 64


def pictures_of(output: str) -> dict[str, tuple[Picture, ...]]:
    """The pictures in a workload's output, by the name of their film; a torn one is left out."""
    films: dict[str, tuple[Picture, ...]] = {}
    count = 0
    for line in output.splitlines():
        match = _LINE.fullmatch(line)
        if match is None or count == _MOST_PICTURES:
            continue
        width, height = int(match[4]), int(match[5])
        pixels = _pixels(match[6], width * height)
        if 0 < width <= _MOST_SIDE and 0 < height <= _MOST_SIDE and pixels is not None:
            count += 1
            data = base64.b64encode(png(width, height, pixels)).decode()
            picture = Picture(moment=match[2], time_s=int(match[3]) / 1e9, png=data)
            films[match[1]] = (*films.get(match[1], ()), picture)
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
