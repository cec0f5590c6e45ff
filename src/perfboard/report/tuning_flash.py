# SPDX-License-Identifier: Apache-2.0
"""How fast the flash is read at each of its set-ups, beside what was published: study E's table."""

import statistics
from dataclasses import dataclass

from perfboard.model.run import Metric, Run
from perfboard.model.units import format_size, format_value

_METRIC, _LEVEL, _SIZE = "flash.read.bandwidth", "flash", "size"


@dataclass(frozen=True)
class FlashRow:
    """A set-up: what was measured in the largest blocks, and what was published; "" for none.

    `detail` says which blocks, `source` who published, and what for it was used.
    """

    level: str
    measured: str
    detail: str
    published: str
    source: str
    ratio: str


def flash_rows(run: Run) -> list[FlashRow]:
    """A row for each set-up that was measured or published; none where nothing was measured."""
    best: dict[str, tuple[int, float]] = {}
    for metric in run.metrics:
        if metric.name == _METRIC and metric.unit == "B/s" and metric.samples:
            found = _size(metric), statistics.median(metric.samples)
            level = metric.labels.get(_LEVEL, "")
            best[level] = max(best.get(level, found), found)
    published = {rate.level: rate for rate in (run.tuning.published_rates if run.tuning else ())}
    rows = []
    for level in dict.fromkeys([*best, *published]) if best else ():
        size, measured = best.get(level, (0, None))
        there = published.get(level)
        rows.append(
            FlashRow(
                level=level,
                measured=format_value(measured, "B/s") if measured is not None else "",
                detail=f"in blocks of {format_size(size)}" if size else "",
                published=format_value(there.value, "B/s") if there else "",
                source=f"{there.source} ({there.use})" if there else "",
                ratio=f"{measured / there.value:.2f}" if measured and there and there.value else "",
            )
        )
    return rows


def _size(metric: Metric) -> int:
    text = metric.labels.get(_SIZE, "")
    return int(text) if text.isdecimal() and len(text) < 19 else 0
