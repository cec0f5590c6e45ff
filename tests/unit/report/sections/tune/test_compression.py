# SPDX-License-Identifier: Apache-2.0
"""Compressors predicted and measured, from the tries of a tune."""

import pytest

from perfboard.model.results.boot import Boot
from perfboard.model.results.tune import Try, TuneResult
from perfboard.report.html import render
from perfboard.report.sections.tune.compression import compression
from tests.support.runs import MARKS, make_boot
from tests.support.tuned_runs import make_tune, make_tuned

# The sizes in bytes and the seconds to unpack them of made-up compressors.
PACKED = {"gzip": (2_000_000, 0.3), "none": (4_000_000, 0.0), "xz": (1_500_000, 1.0)}
RATES = {"tuned": 2e6, "cached": 2e7}
START_S = 0.1


def _boot(size: int, rate: float, unpack_s: float) -> Boot:
    copy = round(size / rate * 1e9) - (MARKS["kernel.entry"] - MARKS["boot.command"])
    unpack = round((unpack_s + START_S) * 1e9)
    unpack -= MARKS["kernel.sched_init"] - MARKS["kernel.entry"]
    return make_boot({"kernel.entry": copy, "kernel.sched_init": unpack})


def make_compressed(names: tuple[str, ...] = tuple(PACKED)) -> TuneResult:
    """A tune of those compressors at each set-up of the flash."""
    tries: list[Try] = []
    boots: list[Boot] = []
    for flash, rate in RATES.items():
        for name in names:
            size, unpack_s = PACKED[name]
            given = {"compression": name, "flash": flash}
            levels = {f: v for f, v in given.items() if v not in ("gzip", "tuned")}
            tries.append(
                Try(
                    levels=levels,
                    stage="together" if len(levels) == 2 else "alone",
                    outcome="booted",
                    boot=len(boots),
                    flash={"kernel": size},
                )
            )
            boots.append(_boot(size, rate, unpack_s))
    # A factor that changes the loading in another way tells nothing of compressors.
    odd = {"compression": "xz", "kernel": "flash"}
    for levels in ({"kernel": "flash"}, odd):
        tries.append(
            Try(
                levels=levels, stage="alone", outcome="booted", boot=len(boots), flash={"kernel": 9}
            )
        )
        boots.append(_boot(9, 1.0, 0.0))
    start = {"compression": "gzip", "flash": "tuned", "kernel": "copied"}
    return TuneResult(titles={}, start=start, tries=tuple(tries), best=0, tried=tuple(boots))


def test_the_prediction_meets_boots_that_are_as_the_equation_says() -> None:
    found = compression(make_compressed())
    assert found is not None
    assert len(found.rows) == 6
    assert {row.off for row in found.rows} <= {"+0.0%", "-0.0%"}
    measured = {line.label: line for line in found.graph.lines}
    points = [value for point in measured["xz, measured"].points for value in point]
    assert points == pytest.approx([2e6, 1.75, 2e7, 1.075])


def test_the_crossings_are_told() -> None:
    found = compression(make_compressed())
    assert found is not None
    text = "\n".join(found.sentences)
    # (4 MB - 2 MB) / 0.3 s, and (2 MB - 1.5 MB) / (1 s - 0.3 s).
    assert "gzip is faster than none below 6.667 MB/s" in text
    assert "xz is faster than gzip below 714.3 kB/s" in text
    assert "where reading and unpacking overlap, below 13.33 MB/s" in text
    first = (
        "Below 714.3 kB/s of flash, xz wins; from 714.3 kB/s to 6.667 MB/s of flash, gzip wins; "
    )
    assert first + "from 6.667 MB/s of flash, none wins." in text
    # 2 MB in the 1 s of xz, 4 MB in the 0.3 s of gzip.
    first = (
        "Overlapped: below 2.000 MB/s of flash, xz wins; from 2.000 MB/s to 13.33 MB/s of flash, "
    )
    assert first + "gzip wins; from 13.33 MB/s of flash, none wins." in text
    assert "less 100.0 ms that the kernel takes there without" in text


def test_the_chart_has_both_forms_and_where_they_cross() -> None:
    found = compression(make_compressed())
    assert found is not None
    lines = {line.label: line for line in found.graph.lines}
    for bandwidth, seconds in lines["xz, overlapped"].points:
        assert seconds == pytest.approx(max(1.5e6 / bandwidth, 1.0))
    crossings = {label: line.points for label, line in lines.items() if " wins" in label}
    (point,) = crossings["below 714.3 kB/s of flash, xz wins"]
    # Both take as long there: 1.5 MB and 1 s, 2 MB and 0.3 s.
    assert point == pytest.approx((5e5 / 0.7, 1.5e6 / (5e5 / 0.7) + 1))
    (point,) = crossings["overlapped: below 2.000 MB/s of flash, xz wins"]
    assert point == pytest.approx((2e6, 1.0))
    assert len(crossings) == 4
    speeds = {row.name: row.speed for row in found.rows}
    assert speeds == {"gzip": "6.667 MB/s", "none": "", "xz": "1.500 MB/s"}


def test_one_compressor_tells_nothing() -> None:
    assert compression(make_compressed(("gzip",))) is None
    assert compression(make_tune()) is None


def test_it_is_in_the_report() -> None:
    html = render(make_tuned(make_compressed()))
    assert "Compressors over the flash&#39;s read bandwidth" in html
    assert "none wins" in html
