# SPDX-License-Identifier: Apache-2.0
"""The results of probes as rows: figures by group, and disturbances."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perfboard.model.results.probes import ProbeProcess
from perfboard.model.run import Metric
from perfboard.model.units import format_value
from perfboard.report.words.figures import group_of

# The groups that a report begins with; others follow as recorded.
_FIRST = ("Memory", "Files", "Between processes", "Kernel", "Processor", "System")
_NUMBERS = re.compile(r"[0-9][0-9.e+-]*")


def by_group(metrics: Iterable[Metric]) -> dict[str, list[Metric]]:
    """Metrics with samples by the heading of their group; those of one name stand together."""
    found: dict[str, dict[str, list[Metric]]] = {title: {} for title in _FIRST}
    for metric in metrics:
        if metric.samples:
            names = found.setdefault(group_of(metric), {})
            names.setdefault(metric.name, []).append(metric)
    return {
        title: [metric for same in names.values() for metric in same]
        for title, names in found.items()
        if names
    }


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
    """The disturbances in words: states as a span, events summed; those that happened alone."""
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
    """Each text once, with the number of processes that have it.

    Texts that differ in numbers count as one, of which the first is shown.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        found[_NUMBERS.sub("#", text)].append(text)
    return tuple(
        alike[0] + ("" if len(alike) == of and len({*alike}) == 1 else _share(alike, of))
        for alike in found.values()
    )


def _share(alike: Sequence[str], of: int) -> str:
    if len({*alike}) == 1:
        return f" ({len(alike)} of {of} processes)"
    return f" (and {len(alike) - 1} like it, in {of} processes)"
