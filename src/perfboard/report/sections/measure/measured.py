# SPDX-License-Identifier: Apache-2.0
"""What probes measured, as rows: figures by group, and what came between."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perfboard.analysis.statistics.bootstrap import Estimate, estimate, process_medians
from perfboard.analysis.statistics.outliers import odd_samples
from perfboard.analysis.statistics.summary import REPEATS, Interval
from perfboard.model.run import Evidence, Metric, ProbeProcess, Run
from perfboard.model.units import format_size, format_value

GROUPS = {
    "memory": "Memory",
    "file": "Files",
    "ipc": "Between processes",
    "kernel": "Kernel",
    "cpu": "Processor",
    "system": "System",
}
_SIZE = re.compile(r"[0-9]{1,18}")
_NUMBERS = re.compile(r"[0-9][0-9.e+-]*")
_FRACTION = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
# Labels whose numbers are bytes.
_BYTES = ("size", "stride", "block")


@dataclass(frozen=True)
class Figure:
    """A metric's estimate; the interval is the range of the processes on a virtual board.

    `odd` counts the samples that are far from the others.
    """

    metric: Metric
    estimate: Estimate
    interval: Interval | None
    odd: int

    @property
    def labels(self) -> str:
        """The labels in words, as in "size 4 KiB, stride 64 B"."""
        return ", ".join(label_words(self.metric.labels))

    def value(self, value: float) -> str:
        """A value of the metric, with its unit."""
        return quantity(value, self.metric.unit)

    @property
    def spread(self) -> str:
        """The interval in words, or an en dash where there is none."""
        if self.interval is None:
            return "\N{EN DASH}"
        low, high = self.value(self.interval.low), self.value(self.interval.high)
        return low if low == high else f"{low} to {high}"

    @property
    def half_width(self) -> str:
        """Half of the interval as a share of the median; empty where there is none."""
        if self.interval is None or not self.estimate.median:
            return ""
        half = (self.interval.high - self.interval.low) / 2 / abs(self.estimate.median)
        return f"{half:.1%}"


def quantity(value: float, unit: str) -> str:
    """As format_value, with rates as in "3.100 G/s"."""
    return format_value(value, "/s" if unit == "1/s" else unit)


def probed(run: Run) -> bool:
    """Whether probes measured anything of the run, or tried to."""
    return bool(run.processes) or any(metric.processes for metric in run.metrics)


def figure(metric: Metric, evidence: Evidence) -> Figure:
    """The metric's figure. Raises ValueError without samples."""
    found = estimate(metric)
    interval = found.interval
    if evidence in REPEATS:
        medians = process_medians(metric)
        interval = Interval(min(medians), max(medians))
    return Figure(metric, found, interval, len(odd_samples(metric.samples)))


def by_group(metrics: Iterable[Metric]) -> dict[str, list[Metric]]:
    """Metrics with samples by the first word of their names: the groups' titles as keys.

    The groups are in the order of GROUPS, then others as recorded; metrics of one
    name stand together.
    """
    found: dict[str, dict[str, list[Metric]]] = {title: {} for title in GROUPS.values()}
    for metric in metrics:
        if metric.samples:
            names = found.setdefault(group_of(metric.name), {})
            names.setdefault(metric.name, []).append(metric)
    return {
        title: [metric for same in names.values() for metric in same]
        for title, names in found.items()
        if names
    }


def group_of(name: str) -> str:
    """The title of the group that a metric's name puts it in."""
    first = name.partition(".")[0]
    return GROUPS.get(first, first)


def label_words(labels: dict[str, str]) -> list[str]:
    """Labels in words, sizes and times with their units."""
    return [f"{key} {_label_value(key, value)}" for key, value in labels.items()]


def _label_value(key: str, value: str) -> str:
    if key in _BYTES and _SIZE.fullmatch(value):
        return format_size(int(value))
    if key == "interval" and _FRACTION.fullmatch(value):
        return format_value(float(value), "s")
    return value


@dataclass(frozen=True)
class ProbeRow:
    """The processes of one probe together: what disturbed them, refused, and was noted.

    `cpus` says in words where they ran; it is empty where they do not say.
    """

    probe: str
    processes: int
    elapsed_s: float
    cpus: str
    disturbances: tuple[str, ...]
    refused: tuple[str, ...]
    notes: tuple[str, ...]


def probe_rows(processes: Iterable[ProbeProcess]) -> list[ProbeRow]:
    """A row a probe, as first run."""
    found: dict[str, list[ProbeProcess]] = defaultdict(list)
    for process in processes:
        found[process.probe].append(process)
    return [
        ProbeRow(
            probe=probe,
            processes=len(group),
            elapsed_s=sum(process.elapsed_s for process in group),
            cpus=cpu_words(group),
            disturbances=tuple(_disturbances(group)),
            refused=_counted(
                (
                    text.removeprefix(f"{probe}: ")
                    for process in group
                    for text in (process.refused or "").split("; ")
                    if text
                ),
                len(group),
            ),
            notes=_counted((note for process in group for note in process.notes), len(group)),
        )
        for probe, group in found.items()
    ]


def cpu_words(processes: Iterable[ProbeProcess]) -> str:
    """The processors that the processes were pinned to, as in "CPU 0, 1"; "" where unknown."""
    cpus = sorted({process.cpu for process in processes if process.cpu is not None})
    return f"CPU {', '.join(map(str, cpus))}" if cpus else ""


def clock_words(processes: Sequence[ProbeProcess]) -> list[str]:
    """The clocks that timed the processes: name, tick, and what reading one costs."""
    found: dict[str, list[ProbeProcess]] = defaultdict(list)
    for process in processes:
        if process.clock and process.tick_s is not None:
            found[process.clock].append(process)
    return [
        f"{clock}, tick {_span([p.tick_s for p in group if p.tick_s is not None], 's')}, "
        f"a reading takes {_span([p.cost_s for p in group if p.cost_s is not None], 's')}"
        for clock, group in found.items()
    ]


def _disturbances(group: Sequence[ProbeProcess]) -> list[str]:
    """What came between, in words: states as a span, events summed, and none that was not."""
    values: dict[str, list[float]] = defaultdict(list)
    for process in group:
        for name, value in process.disturbances.items():
            values[re.sub(r"_(before|after)(?=_|$)", "", name)].append(value)
    words = []
    for name, seen in values.items():
        title, _, unit = name.rpartition("_")
        if unit == "hz" and title:
            words.append(f"{title.replace('_', ' ')} {_span(seen, 'Hz')}")
        elif unit == "c" and title:
            words.append(f"{title.replace('_', ' ')} {_plain_span(seen)} °C")
        elif unit == "state" and title:
            words += [f"{title.replace('_', ' ')} state {_plain_span(seen)}"] * any(seen)
        elif any(seen):
            amount = sum(map(abs, seen))
            if unit == "s" and title:
                words.append(f"{title.replace('_', ' ')} {format_value(amount, 's')}")
            else:
                words.append(f"{name.replace('_', ' ')} {format_value(amount, '1')}")
    return words


def _span(values: Sequence[float], unit: str) -> str:
    if not values:
        return "unknown"
    low, high = (format_value(value, unit) for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def _plain_span(values: Sequence[float]) -> str:
    low, high = f"{min(values):.0f}", f"{max(values):.0f}"
    return low if low == high else f"{low} to {high}"


def _counted(texts: Iterable[str], of: int) -> tuple[str, ...]:
    """Each text once, and how many of the processes said it; those that differ in numbers count
    as one, of which the first is shown."""
    found: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        found[_NUMBERS.sub("#", text)].append(text)
    return tuple(
        alike[0] + ("" if len(alike) == of and len({*alike}) == 1 else _said(alike, of))
        for alike in found.values()
    )


def _said(alike: Sequence[str], of: int) -> str:
    if len({*alike}) == 1:
        return f" ({len(alike)} of {of} processes)"
    return f" (and {len(alike) - 1} like it, in {of} processes)"
