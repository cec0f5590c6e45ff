# SPDX-License-Identifier: Apache-2.0
"""The pictures of a virtual board's screen, as native/scope/record/screen.h has them written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import int64, uint32
    from numpy.typing import NDArray

# The name of the scope's record among the artifacts.
SCREEN = "screen.bin"
_LOOK, _STEP, _SHAPE = 1, 2, 3
_HEAD = 4
_COLOUR = 0xFFFFFF
_MOST_WORDS = 1 << 26


@dataclass(frozen=True)
class Look:
    """The words of the framebuffer that had changed at `ns`, and their values."""

    ns: int
    words: NDArray[int64]
    values: NDArray[uint32]


@dataclass
class ScreenSpan:
    """The changes of a screen between two steps; `looks` are those that found a pixel changed.

    Pixels are numbered by rows. `before` and `after` are their colours, without those that are
    masked.
    """

    began_ns: int
    ended_ns: int
    before: NDArray[uint32]
    after: NDArray[uint32]
    looks: list[Look] = field(default_factory=list)

    def at(self, look: int) -> NDArray[uint32]:
        """The picture after that look."""
        picture = self.before.copy()
        for each in self.looks[: look + 1]:
            picture[each.words] = each.values
        return picture


class EmulatedScreen:
    """The pictures of a screen of a known size, by the steps between which they changed."""

    def __init__(self, path: Path, width: int, height: int, bits: int = 32) -> None:
        """A pixel has as many `bits`: 32, or the 16 of a board's framebuffer.

        Raises ValueError for what is no whole record, OSError where there is no file.
        """
        import numpy

        if path.stat().st_size % 4:
            raise ValueError(f"{path.name}: its last word is torn")
        self._words = numpy.fromfile(path, dtype=numpy.uint32)
        self._width, self._height, self._bits = width, height, bits

    def spans(
        self, wanted: dict[int, int], masks: list[tuple[int, int, int, int]]
    ) -> dict[int, ScreenSpan]:
        """The spans from each step of `wanted` to another, by the first; in one pass.

        They may not overlap. A span of which a step is not there is left out. `masks` are
        rectangles (x, y, x1, y1) that do not count. Raises ValueError for a broken record.
        """
        import numpy

        pixels = self._width * self._height
        counts = numpy.ones((self._height, self._width), dtype=bool)
        for x, y, x1, y1 in masks:
            counts[y:y1, x:x1] = False
        counted = counts.reshape(-1)
        picture = numpy.zeros(pixels, dtype=numpy.uint32)
        shape = (0, self._width)
        found: dict[int, ScreenSpan] = {}
        open_span: tuple[int, ScreenSpan] | None = None
        for kind, ns, item in self._records():
            if isinstance(item, Look):
                look = self._pixels(item, shape, counted)
                changed = picture[look.words] != look.values
                look = Look(ns, look.words[changed], look.values[changed])
                picture[look.words] = look.values
                if open_span and look.words.size:
                    open_span[1].looks.append(look)
            elif kind == _SHAPE:
                shape = (ns & 0xFFFFFFFF, max(1, ns >> 32))
            elif item in wanted:
                open_span = (item, ScreenSpan(ns, ns, picture.copy(), picture))
            elif open_span and wanted[open_span[0]] == item:
                span = open_span[1]
                span.ended_ns, span.after = ns, picture.copy()
                found[open_span[0]] = span
                open_span = None
        return found

    def _pixels(self, look: Look, shape: tuple[int, int], counted: NDArray[uint32]) -> Look:
        """The same by pixels, where the file has its head and the ends of its lines."""
        begin, line = shape
        places, values = look.words - begin, look.values
        if self._bits == 16:
            places, values = _halves(places, values)
            line *= 2
        rows, columns = places // line, places % line
        inside = (places >= 0) & (rows < self._height) & (columns < self._width)
        pixels = (rows * self._width + columns)[inside]
        colours = values[inside] & _COLOUR
        shown = counted[pixels].astype(bool)
        return Look(look.ns, pixels[shown], colours[shown])

    def _records(self) -> Iterator[tuple[int, int, Look | int]]:
        import numpy

        words, at = self._words, 0
        while at < words.size:
            if at + _HEAD > words.size:
                raise ValueError("the screen's last record is torn")
            kind, low, high, number = (int(word) for word in words[at : at + _HEAD])
            ns, at = high << 32 | low, at + _HEAD
            if kind in (_STEP, _SHAPE):
                yield kind, ns, number
                continue
            if kind != _LOOK:
                raise ValueError(f"the screen has a record of kind {kind}")
            places, values = [], []
            for _ in range(number):
                if at + 2 > words.size:
                    raise ValueError("the screen's last record is torn")
                first, count = (int(word) for word in words[at : at + 2])
                at += 2
                if first + count > _MOST_WORDS or at + count > words.size:
                    raise ValueError("the screen's last record is torn")
                places.append(numpy.arange(first, first + count, dtype=numpy.int64))
                values.append(words[at : at + count])
                at += count
            yield kind, ns, Look(ns, numpy.concatenate(places), numpy.concatenate(values))


def _halves(
    places: NDArray[int64], values: NDArray[uint32]
) -> tuple[NDArray[int64], NDArray[uint32]]:
    """Two pixels of each word, the lower half first, with colours of 5, 6 and 5 bits widened."""
    import numpy

    pixels = numpy.stack((values & 0xFFFF, values >> 16), axis=1).reshape(-1)
    red, green, blue = pixels >> 11, pixels >> 5 & 0x3F, pixels & 0x1F
    red, green, blue = red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2
    colours = (red << 16 | green << 8 | blue).astype(numpy.uint32)
    return numpy.repeat(2 * places, 2) + numpy.tile((0, 1), places.size), colours
