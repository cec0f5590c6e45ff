# SPDX-License-Identifier: Apache-2.0
"""The picture of `systemd-analyze plot`, an SVG: its bars have all times of it."""

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from perfboard.analysis.boot.phases import FIRMWARE_END
from perfboard.analysis.boot.reading.services import STEP
from perfboard.importers.base import LONGEST_NS, FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.lines import lines_of
from perfboard.importers.systemd.analyze import duration_in, parts_of, total_notes
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot, Mark, Span
from perfboard.model.text import printable

_NUMBER = r"(-?\d{1,9}(?:\.\d{1,6})?)"
_TICK = re.compile(rf'<text class="sec" x="{_NUMBER}"[^>]{{0,80}}>{_NUMBER}s</text>')
_BAR = re.compile(rf'<rect class="([a-z]{{1,20}})" x="{_NUMBER}" y="{_NUMBER}" width="{_NUMBER}"')
_NAME = re.compile(rf'<text class="(?:left|right)" x="{_NUMBER}" y="{_NUMBER}">([^<]{{1,300}})<')
_UNIT = re.compile(r"(\S{1,200}\.[a-z]{3,9})(?: \((.{1,60})\))?")
_HEAD = re.compile(
    rb"systemd-analyze SVG file|<svg [^>]{0,300}>.{0,4000}rect\.activating", re.DOTALL
)
_MOST = 5000
# The words stand at the picture's beginning.
_WORDS = 1 << 16
# A bar and a label that differ by more than this share are of two times.
_UNLIKE = 0.02
_NAMED = 5


class _PlotBar(NamedTuple):
    kind: str
    x: float
    y: float
    width: float


def _bars(text: str) -> Iterator[_PlotBar]:
    for number, match in enumerate(_BAR.finditer(text)):
        if number >= 4 * _MOST:
            return
        yield _PlotBar(match[1], float(match[2]), float(match[3]), float(match[4]))


def _scale(text: str) -> tuple[float, float] | None:
    """Nanoseconds of a unit of the picture, and the place of its second 0; by two labels."""
    ticks = [(float(match[1]), float(match[2])) for match in _TICK.finditer(text)]
    if len(ticks) < 2 or ticks[-1][0] <= ticks[0][0] or ticks[-1][1] <= ticks[0][1]:
        return None
    (x, seconds), (other_x, other_s) = ticks[0], ticks[-1]
    each_s = (other_s - seconds) / (other_x - x)
    return each_s * 1e9, x - seconds / each_s


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    text = b"".join(lines_of(file)).decode("utf-8", "replace")
    scale = _scale(text)
    if scale is None:
        raise UsageError(
            f"{file.path}: has no labels of seconds, as systemd-analyze plot draws them"
        )
    each_ns, zero_x = scale
    # The digits of a place, and a unit's rounding.
    precision_ns = round(each_ns / 1000) + 1
    bars = [*_bars(text)]
    if any(abs(bar.x - zero_x) + bar.width > LONGEST_NS / each_ns for bar in bars):
        raise UsageError(f"{file.path}: has a bar that is longer than any boot, by its labels")
    stages: dict[str, tuple[int, int]] = {}
    for bar in bars:
        start_ns = round((bar.x - zero_x) * each_ns)
        stages.setdefault(bar.kind, (start_ns, start_ns + round(bar.width * each_ns)))
    marks = tuple(_marks(stages, precision_ns))
    if not marks:
        raise UsageError(
            f"{file.path}: has no bars of the kernel and of user space, in their order"
        )
    spans, differ = _spans(text, bars, each_ns, zero_x, stages)
    parts, total_ns = parts_of(unescape(text[:_WORDS]))
    notes = [*total_notes(parts, total_ns)]
    drawn_ns = max(mark.t_ns for mark in marks)
    if total_ns and abs(total_ns - drawn_ns) > max(_UNLIKE * total_ns, 2 * precision_ns):
        notes.append(
            f"The picture's bars are {drawn_ns / 1e9:.3f} s long together; its words say "
            f"{total_ns / 1e9:.3f} s."
        )
    if differ:
        notes.append(
            f"The bars of {len(differ)} units are not as long as the times with their names, "
            f"which count: {', '.join(differ[:_NAMED])}."
        )
    return FileContent(boots=(Boot(marks=marks, spans=spans),), notes=tuple(notes), joins=True)


def _marks(stages: dict[str, tuple[int, int]], precision_ns: int) -> Iterator[Mark]:
    """The marks of the boot, counted from the earliest, which the picture has left of its zero."""
    if "kernel" not in stages or "active" not in stages:
        return
    first_ns = min(start for start, _ in stages.values())
    found: dict[str, int] = {}
    if stages.get("firmware", stages.get("loader")):
        found |= dict.fromkeys(("kernel.entry", FIRMWARE_END), stages["kernel"][0])
        found["reset"] = first_ns
    found["kernel.clock"] = stages["kernel"][0]
    found["init.exec"] = stages["kernel"][1]
    if "initrd" in stages:
        found[f"{STEP}initramfs"] = stages["initrd"][0]
        found[f"{STEP}system"] = stages["active"][0]
    found["usable"] = stages["active"][1]
    order = [stages["kernel"][0], stages["kernel"][1], *stages["active"]]
    if order != sorted(order) or any(not first_ns <= t <= order[-1] for t in found.values()):
        return
    for name, t_ns in sorted(found.items(), key=lambda each: each[1]):
        yield Mark(
            name=name,
            t_ns=t_ns - first_ns,
            clock="kernel",
            source="systemd",
            precision_ns=precision_ns,
        )


def _spans(
    text: str,
    bars: list[_PlotBar],
    each_ns: float,
    zero_x: float,
    stages: dict[str, tuple[int, int]],
) -> tuple[tuple[Span, ...], list[str]]:
    """The units that took a time to start, and the names of those whose bar says another time.

    The bar is on the line of a unit's name. That of a unit which starts again, or still does when
    the picture is made, goes on to its end: the time with the name counts.
    """
    first_ns = min(start for start, _ in stages.values())
    activating = {round(bar.y): bar for bar in bars if bar.kind == "activating"}
    found: dict[str, Span] = {}
    differ: list[str] = []
    for match in _NAME.finditer(text):
        unit = _UNIT.fullmatch(unescape(match[3]))
        # The text stands lower in the line than the bar.
        line = float(match[2])
        bar = next((activating[y] for y in _lines(line) if y in activating), None)
        if unit is None or bar is None or unit[1] in found or len(found) >= _MOST:
            continue
        start_ns = round((bar.x - zero_x) * each_ns) - first_ns
        duration_ns = round(bar.width * each_ns)
        if start_ns < 0 or duration_ns <= 0:
            continue
        stated_ns = duration_in(unit[2] or "")
        if stated_ns and abs(stated_ns - duration_ns) > max(_UNLIKE * stated_ns, 2 * each_ns):
            differ.append(printable(unit[1]))
            duration_ns = stated_ns
        found[unit[1]] = Span(
            kind="service",
            name=printable(unit[1]),
            start_ns=start_ns,
            duration_ns=duration_ns,
            returned=0,
        )
    return tuple(found.values()), differ


def _lines(y: float) -> range:
    """The places of the bar whose line a text is on: bars are 20 apart, the text is 14 below."""
    return range(round(y) - 15, round(y) - 12)


IMPORTER = Importer(
    "systemd-plot",
    "the picture of systemd-analyze plot (SVG)",
    lambda head: 1.0 if _HEAD.search(head[:20_000]) else 0.0,
    _read,
)
