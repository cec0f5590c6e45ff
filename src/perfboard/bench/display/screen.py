# SPDX-License-Identifier: Apache-2.0
"""A session whose watcher looked at no pixel, completed with what the scope saw.

The watcher says what it did between which steps (native/display/plan.c); the scope says what the
screen showed between them. Out come the rows of a watcher that looked itself.
"""

from __future__ import annotations

import base64
import hashlib
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from perfboard.bench.display.home import ALIKE
from perfboard.bench.display.rows import ExitRow, PictureRow, TaskRow
from perfboard.instruments.screen import EmulatedScreen, ScreenSpan
from perfboard.model.rows import Count, Row, Text, Word, read_row, read_rows

if TYPE_CHECKING:
    from numpy import uint32
    from numpy.typing import NDArray

_Place = Annotated[int, Field(ge=0, lt=10_000)]
# The scope looks each 250 us, and learns the time within 20 us (screen.h, model.h).
_LOOK_NS = 270_000
_SCALE = 4
_FINAL = 0.001


class _StepsRow(Row):
    """A task between two steps, or an exit."""

    row: Literal["watched", "left"]
    label: Word
    outcome: Literal["ok", "calibration", "refused"]
    begin: Count
    end: Count
    reference: Word = "-"
    quiet_ns: Count = 0
    reason: Text


class _MaskRow(Row):
    """A rectangle that does not count."""

    row: Literal["mask"]
    x: _Place
    y: _Place
    x1: _Place
    y1: _Place


@dataclass
class _Reference:
    """The pictures that a reference was made of."""

    hashes: list[str] = field(default_factory=list)
    # The watcher makes as many as it needs, so that none of them may be missing.
    tries: int = 0
    picture: NDArray[uint32] | None = None

    @property
    def known(self) -> bool:
        wanted = min(self.tries, ALIKE)
        last = self.hashes[len(self.hashes) - wanted :]
        return 0 < wanted == len(last) and len(set(last)) == 1


def completed(output: str, path: Path, width: int, height: int, bits: int = 32) -> str:
    """The output with each task's times, hash and film, by the screen at `path`.

    Its pixels have as many `bits`, 16 or 32.
    Raises ValueError where that is broken, OSError where it is not there.
    """
    wanted = {row.begin: row.end for row in read_rows(output, _StepsRow)}
    masks = [(row.x, row.y, row.x1, row.y1) for row in read_rows(output, _MaskRow)]
    spans = EmulatedScreen(path, width, height, bits).spans(wanted, masks)
    references: dict[str, _Reference] = {}
    filmed: set[str] = set()
    found: list[str] = []
    for line in output.splitlines():
        row = read_row(line, _StepsRow)
        if row is None:
            found.append(f"{line}\n")
            continue
        span = spans.get(row.begin)
        if row.row == "left":
            shown: Iterable[Row] = [_exit(row, span)]
        else:
            shown = _task(row, span, references, filmed, (width, height))
        found += [each.line() for each in shown]
    return "".join(found)


def _exit(left: _StepsRow, span: ScreenSpan | None) -> ExitRow:
    took = span.ended_ns - span.began_ns if span else 0
    outcome: Literal["ok", "refused"] = "ok" if span and left.outcome == "ok" else "refused"
    return ExitRow(label=left.label, outcome=outcome, took_ns=took, reason=left.reason)


def _task(
    watched: _StepsRow,
    span: ScreenSpan | None,
    references: dict[str, _Reference],
    filmed: set[str],
    size: tuple[int, int],
) -> Iterator[TaskRow | PictureRow]:
    label, outcome, reason = watched.label, watched.outcome, watched.reason
    reference = references.setdefault(watched.reference, _Reference())
    reference.tries += outcome == "calibration"
    if span is None or not span.looks:
        what = "no pixel changed" if span else "the scope did not see its steps"
        yield TaskRow(label=label, outcome="refused", look_ns=_LOOK_NS, reason=reason or what)
        return
    picture = hashlib.sha256(span.after.tobytes()).hexdigest()[:16]
    if outcome != "refused":
        reason = _why_not(span, picture, watched, reference, size)
    if outcome == "calibration" and not reason:
        reference.hashes.append(picture)
        reference.picture = span.after
    if reason:
        outcome = "refused"
    looks = {"first": 0, "half": _final(span, 0.5, 0), "final": _final(span, 0, _FINAL)}
    looks["stable"] = len(span.looks) - 1
    times = {moment: span.looks[look].ns - span.began_ns for moment, look in looks.items()}
    yield TaskRow(
        label=label,
        outcome=outcome,
        began_ns=span.began_ns,
        first_ns=times["first"],
        final_ns=times["final"],
        stable_ns=times["stable"],
        look_ns=_LOOK_NS,
        hash=picture,
        reason=reason,
    )
    # The others only prepare what is measured.
    if outcome == "ok" and watched.reference != "-" and label not in filmed:
        filmed.add(label)
        for moment, look in looks.items():
            yield _picture(label, moment, times[moment], span.at(look), size)
    elif outcome == "refused":
        yield _picture(label, "refused", span.ended_ns - span.began_ns, span.after, size)


def _why_not(
    span: ScreenSpan,
    picture: str,
    watched: _StepsRow,
    reference: _Reference,
    size: tuple[int, int],
) -> str:
    """The reason why a task does not count, or ""."""
    width, height = size
    last = span.looks[-1]
    if span.ended_ns - last.ns < watched.quiet_ns:
        x, y = last.words % width, last.words // width
        return (
            f"not stable: {last.words.size} pixels at [{x.min()}, {y.min()}] to "
            f"[{x.max()}, {y.max()}] keep changing"
        )
    if watched.outcome != "ok" or watched.reference == "-":
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
) -> PictureRow:
    """The row that native/display/film.c prints."""
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
    return PictureRow(
        film=label,
        moment=moment,
        time_ns=time_ns,
        width=width,
        height=height,
        runs=base64.b64encode(runs).decode(),
    )
