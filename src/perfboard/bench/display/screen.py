# SPDX-License-Identifier: Apache-2.0
"""A session whose watcher looked at no pixel, completed with what the scope saw.

The watcher says what it did between which steps (native/display/plan.c); the scope says what the
screen showed between them. Out come the words of a watcher that looked itself.
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from perfboard.bench.display.home import ALIKE
from perfboard.instruments.screen import EmulatedScreen, ScreenSpan

if TYPE_CHECKING:
    from numpy import uint32
    from numpy.typing import NDArray

_WATCHED = re.compile(
    r"@watched (?P<label>\S+) (?P<kind>ok|calibration|refused) (?P<begin>\d{1,9}) (?P<end>\d{1,9}) "
    r"(?P<reference>\S+) (?P<quiet>\d{1,19}) (?P<reason>.*)"
)
_LEFT = re.compile(r"@left (\S+) (\d{1,9}) (\d{1,9}) (ok|refused) (.*)")
_MASK = re.compile(r"@mask (\d{1,4}) (\d{1,4}) (\d{1,4}) (\d{1,4})")
# The scope looks each 250 us, and learns the time within 20 us (screen.h, model.h).
_LOOK_NS = 270_000
_SCALE = 4
_FINAL = 0.001


@dataclass
class _Reference:
    """The pictures that a reference was made of."""

    hashes: list[str] = field(default_factory=list)
    # The watcher makes as many as it wants, so that none of them may be missing.
    tries: int = 0
    picture: NDArray[uint32] | None = None

    @property
    def known(self) -> bool:
        wanted = min(self.tries, ALIKE)
        last = self.hashes[len(self.hashes) - wanted :]
        return 0 < wanted == len(last) and len(set(last)) == 1


def completed(output: str, path: Path, width: int, height: int) -> str:
    """The output with each task's times, hash and film, by the screen at `path`.

    Raises ValueError where that is broken, OSError where it is not there.
    """
    lines = output.splitlines()
    matches = [match for line in lines if (match := _WATCHED.fullmatch(line))]
    exits = [match for line in lines if (match := _LEFT.fullmatch(line))]
    wanted = {int(match["begin"]): int(match["end"]) for match in matches}
    wanted |= {int(match[2]): int(match[3]) for match in exits}
    masks = [match for line in lines if (match := _MASK.fullmatch(line))]
    rectangles = [(int(m[1]), int(m[2]), int(m[3]), int(m[4])) for m in masks]
    spans = EmulatedScreen(path, width, height).spans(wanted, rectangles)
    references: dict[str, _Reference] = {}
    filmed: set[str] = set()
    found: list[str] = []
    for line in lines:
        if match := _WATCHED.fullmatch(line):
            span = spans.get(int(match["begin"]))
            found += _task(match, span, references, filmed, (width, height))
        elif match := _LEFT.fullmatch(line):
            left = spans.get(int(match[2]))
            took = left.ended_ns - left.began_ns if left else 0
            found.append(
                f"@exit {match[1]} {match[4] if left else 'refused'} took={took} {match[5]}"
            )
        else:
            found.append(line)
    return "".join(f"{line}\n" for line in found)


def _task(
    match: re.Match[str],
    span: ScreenSpan | None,
    references: dict[str, _Reference],
    filmed: set[str],
    size: tuple[int, int],
) -> Iterator[str]:
    label, kind, reason = match["label"], match["kind"], match["reason"]
    reference = references.setdefault(match["reference"], _Reference())
    reference.tries += kind == "calibration"
    if span is None or not span.looks:
        what = "no pixel changed" if span else "the scope did not see its steps"
        yield f"@task {label} refused {_times(None, 0, 0, 0, '0')} {reason or what}"
        return
    picture = hashlib.sha256(span.after.tobytes()).hexdigest()[:16]
    if kind != "refused":
        reason = _why_not(span, picture, match, reference, size)
    if kind == "calibration" and not reason:
        reference.hashes.append(picture)
        reference.picture = span.after
    outcome = "refused" if reason else kind
    first, half, final = 0, _final(span, 0.5, 0), _final(span, 0, _FINAL)
    last = len(span.looks) - 1
    yield f"@task {label} {outcome} {_times(span, first, final, last, picture)} {reason}"
    # The others only prepare what is measured.
    if outcome == "ok" and match["reference"] != "-" and label not in filmed:
        filmed.add(label)
        moments = {"first": first, "half": half, "final": final, "stable": last}
        for moment, look in moments.items():
            time_ns = span.looks[look].ns - span.began_ns
            yield _picture(label, moment, time_ns, span.at(look), size)
    elif outcome == "refused":
        yield _picture(label, "refused", span.ended_ns - span.began_ns, span.after, size)


def _times(span: ScreenSpan | None, first: int, final: int, stable: int, picture: str) -> str:
    times = [span.looks[n].ns - span.began_ns if span else 0 for n in (first, final, stable)]
    words = "first={} final={} stable={}".format(*times)
    return f"began={span.began_ns if span else 0} {words} look={_LOOK_NS} hash={picture}"


def _why_not(
    span: ScreenSpan,
    picture: str,
    match: re.Match[str],
    reference: _Reference,
    size: tuple[int, int],
) -> str:
    """The reason why a task does not count, or ""."""
    width, height = size
    last = span.looks[-1]
    if span.ended_ns - last.ns < int(match["quiet"]):
        x, y = last.words % width, last.words // width
        return (
            f"not stable: {last.words.size} pixels at [{x.min()}, {y.min()}] to "
            f"[{x.max()}, {y.max()}] keep changing"
        )
    if match["kind"] != "ok" or match["reference"] == "-":
        return ""
    if not reference.known:
        return "its reference is not known: the pictures for it differ, or one was refused"
    if picture != reference.hashes[-1]:
        rows = (span.after != reference.picture).nonzero()[0] // width
        low, high = (100 * int(row) // height for row in (rows.min(), rows.max() + 1))
        return f"another picture than its reference, from {low} % to {high} % of the height"
    return ""


def _final(span: ScreenSpan, share: float, of_screen: float) -> int:
    """The look from which at most that share of the changed pixels, or of all, differed again."""
    import numpy

    last = numpy.full(span.before.size, -1, dtype=numpy.int64)
    for number, look in enumerate(span.looks):
        last[look.words] = number
    counts = numpy.bincount(last[last >= 0], minlength=len(span.looks))
    most = share * counts.sum() + of_screen * span.before.size
    after = 0
    for number in range(len(span.looks) - 1, 0, -1):
        after += int(counts[number])
        if after > most:
            return number
    return 0


def _picture(
    label: str, moment: str, time_ns: int, picture: NDArray[uint32], size: tuple[int, int]
) -> str:
    """A line as native/display/film.c prints it."""
    import numpy

    width, height = (side // _SCALE for side in size)
    rows = picture.reshape(size[1], size[0])[: height * _SCALE, : width * _SCALE]
    colour = numpy.zeros((height, width), dtype=numpy.uint32)
    for shift, drop, place in ((16, 3, 11), (8, 2, 5), (0, 3, 0)):
        squares = (rows >> shift & 0xFF).reshape(height, _SCALE, width, _SCALE)
        mean = squares.sum(axis=(1, 3), dtype=numpy.uint32) // _SCALE**2
        colour |= mean >> drop << place
    flat = colour.reshape(-1)
    ends = numpy.append((flat[1:] != flat[:-1]).nonzero()[0] + 1, flat.size)
    runs, begin = bytearray(), 0
    for end in map(int, ends):
        while begin < end:
            length = min(255, end - begin)
            runs += struct.pack(">BH", length, int(flat[begin]))
            begin += length
    return f"@picture {label} {moment} {time_ns} {width} {height} {base64.b64encode(runs).decode()}"
