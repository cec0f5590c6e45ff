# SPDX-License-Identifier: Apache-2.0
"""How fast the flash is read at each of its set-ups, and what the boot study of 2009 published."""

import statistics
from dataclasses import dataclass

from perfboard.model.results.tune import PublishedRate, TuneResult
from perfboard.model.run import Metric, Run
from perfboard.model.units import format_size, format_value
from perfboard.report.words.evidence import USE_WORDS

_METRIC, _LEVEL, _SIZE = "flash.read.bandwidth", "flash", "size"


@dataclass(frozen=True)
class FlashRow:
    """A set-up: what was measured, and what was published of blocks of that size; "" for none.

    `detail` says which blocks, `source` who published, and what for it was used.
    """

    level: str
    measured: str
    detail: str
    published: str
    source: str
    ratio: str


def flash_rows(run: Run, tuning: TuneResult) -> list[FlashRow]:
    """A row for each published figure, and one in the largest blocks for a set-up without any.

    None where nothing was measured. A figure whose blocks were not published stands next to the
    largest, too.
    """
    speeds: dict[str, dict[int, float]] = {}
    for metric in run.metrics:
        if metric.name == _METRIC and metric.unit == "B/s" and metric.samples:
            size, found = _size(metric), statistics.median(metric.samples)
            of_level = speeds.setdefault(metric.labels.get(_LEVEL, ""), {})
            of_level[size] = max(of_level.get(size, found), found)
    if not speeds:
        return []
    published = sorted(
        tuning.published_rates,
        key=lambda rate: (rate.level, rate.size or 0, rate.value, rate.source),
    )
    rows = []
    for level in dict.fromkeys([*speeds, *(rate.level for rate in published)]):
        largest = max(speeds.get(level, {}), default=0)
        rates: list[PublishedRate | None] = [each for each in published if each.level == level]
        for rate in rates or [None]:
            size = rate.size if rate and rate.size else largest
            rows.append(_row(level, size, speeds.get(level, {}).get(size), rate))
    return rows


def _row(level: str, size: int, measured: float | None, there: PublishedRate | None) -> FlashRow:
    return FlashRow(
        level=level,
        measured=format_value(measured, "B/s") if measured is not None else "",
        detail=f"in blocks of {format_size(size)}" if size else "",
        published=format_value(there.value, "B/s") if there else "",
        source=f"{there.source} ({USE_WORDS.get(there.use, there.use)})" if there else "",
        ratio=f"{measured / there.value:.2f}" if measured and there and there.value else "",
    )


def _size(metric: Metric) -> int:
    text = metric.labels.get(_SIZE, "")
    return int(text) if text.isdecimal() and len(text) < 19 else 0
