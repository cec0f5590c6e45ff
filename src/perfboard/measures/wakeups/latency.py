# SPDX-License-Identifier: Apache-2.0
"""latency.wake: how late a real-time thread wakes, while the board is under a load."""

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Literal

from perfboard.analysis.statistics.summary import percentile_of
from perfboard.bench.job import WHOLE_DISK, Job, NotMeasurable
from perfboard.measures.base import (
    Example,
    Finding,
    Measure,
    Parameter,
    Quantity,
    Setting,
    ShownMetric,
)
from perfboard.measures.reading import refusals
from perfboard.model.rows import Count, Row, Word, read_rows, row_line
from perfboard.model.run import Metric
from perfboard.model.units import format_value

# Those of native/probe/commands/wake. A disk comes last: a board without one ends the script there.
LOADS = ("idle", "memory", "network", "fork", "disk")
# The shares of the wakes that are shown, and how many wakes each needs: ten beyond it.
_SHARES = {50.0: 20, 99.0: 1000, 99.9: 10_000}
_LONGEST = "the longest"
_WAKES, _EXACT_WAKES = 10_000, 1000
_MOST_WAKES = 100_000
# The most that the load `disk` writes: 64 KiB each 2.5 ms.
_BYTES_A_SECOND = 400 * 65_536
_AREA = 16 << 20


class WokeRow(Row):
    """How late each wake was, as native/probe/commands/wake/wake.c prints it."""

    row: Literal["woke"]
    load: Word
    late_ns: tuple[Count, ...]


class WakeLatency(Measure):
    """The probe's thread has SCHED_FIFO, sleeps until an instant, and looks how late it is."""

    name = "latency.wake"
    title = "Wake-up of a real-time thread"
    needs = ("root, or the right to have threads of SCHED_FIFO",)
    labels = MappingProxyType(
        {"load": LOADS, "of": (*(f"{share:g} %" for share in _SHARES), _LONGEST)}
    )
    parameters = (
        Parameter("loads", " ".join(LOADS), "meanwhile, one after the other", labels=False),
        Parameter(
            "wakes",
            0,
            f"under each load, up to {_MOST_WAKES}; 0: {_WAKES}, on a virtual board {_EXACT_WAKES}",
            labels=False,
        ),
        Parameter("period", 500, "us from one to the next, 100 to 100,000"),
    )
    metrics = (
        Quantity("latency.wake.time", "s", "how late each wake was: label load"),
        Quantity(
            "latency.wake.late",
            "s",
            "how late that share of them was at most: labels load, of",
        ),
    )
    examples = (
        Example(
            row_line("woke", load="idle", late_ns=[20_000] * 19 + [50_000]),
            {"latency.wake.time": 20e-6, "latency.wake.late": 20e-6},
            {"loads": "idle", "wakes": 20},
        ),
    )

    def job(self, setting: Setting) -> Job:
        loads, wakes, period = self._loads(setting), self._wakes(setting), setting.whole("period")
        if wakes > _MOST_WAKES or not 100 <= period <= 100_000:
            raise NotMeasurable(
                f"give up to {_MOST_WAKES} wakes, and a period of 100 to 100,000 us"
            )
        script = "".join(
            f'{WHOLE_DISK.script if load == "disk" else ""}"$PROBE" wake {load} {wakes} {period} '
            f"{'$source' if load == 'disk' else '.'} || exit 1\n"
            for load in loads
        )
        seconds = wakes * period / 1e6
        on_disk = "disk" in loads
        return Job(
            script,
            disk=_AREA if on_disk else 0,
            writes=int(seconds * _BYTES_A_SECOND) if on_disk else 0,
            limit_s=60 + 10 * seconds * len(loads),
        )

    def read(self, output: str, setting: Setting) -> Finding:
        loads, wakes = self._loads(setting), self._wakes(setting)
        rows = {row.load: row for row in read_rows(output, WokeRow)}
        refused = refusals(output)
        times, shown = list[Metric](), list[Metric]()
        for load in loads:
            if load not in rows:
                continue
            late = [ns / 1e9 for ns in rows[load].late_ns]
            if len(late) != wakes:
                raise NotMeasurable(f"{len(late)} of {wakes} wakes under {load} are there")
            times.append(self.metrics[0].metric(late, {"load": load}))
            shown += self._percentiles(load, late)
        lacks = [refused.get(load) or refused.get("place", "") for load in loads]
        reasons = {why: None for load, why in zip(loads, lacks, strict=True) if load not in rows}
        if not times:
            raise NotMeasurable("; ".join(filter(None, reasons)) or "no load was there")
        notes = tuple(
            f"latency.wake under {load}: not measured: {why or 'its row is missing'}."
            for load, why in zip(loads, lacks, strict=True)
            if load not in rows
        )
        figures = tuple(
            ShownMetric(f"{metric.labels['load']}, {metric.labels['of']}", metric)
            for metric in shown
        )
        worst = max(shown, key=lambda metric: metric.samples[0])
        short = f"{format_value(worst.samples[0], 's')} late at most, under {worst.labels['load']}"
        return Finding((*times, *shown), figures, short, notes=notes)

    def _percentiles(self, load: str, late: Sequence[float]) -> Iterator[Metric]:
        """Those of which ten wakes or more are beyond, and the longest."""
        quantity = self.metrics[1]
        for share, needed in _SHARES.items():
            if len(late) >= needed:
                labels = {"load": load, "of": f"{share:g} %"}
                yield quantity.metric((percentile_of(late, share),), labels)
        yield quantity.metric((max(late),), {"load": load, "of": _LONGEST})

    def _wakes(self, setting: Setting) -> int:
        return setting.whole("wakes", 0) or (_EXACT_WAKES if setting.facts.exact else _WAKES)

    def _loads(self, setting: Setting) -> tuple[str, ...]:
        asked = setting.text("loads").split()
        if not asked or set(asked) - set(LOADS):
            raise NotMeasurable(f"the loads are {', '.join(LOADS)}, not {' '.join(asked)}")
        return tuple(load for load in LOADS if load in asked)


MEASURES = (WakeLatency(),)
