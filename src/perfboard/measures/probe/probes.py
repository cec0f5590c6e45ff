# SPDX-License-Identifier: Apache-2.0
"""Each probe of the binary as a measure; its metrics are those that its source names."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import cast

from perfboard.bench.base import Bench
from perfboard.bench.job import NotMeasurable
from perfboard.binaries.probes import ProbeWords, all_probes
from perfboard.measures.base import (
    Finding,
    Measure,
    Parameter,
    Quantity,
    Setting,
    ShownMetric,
    Turn,
)
from perfboard.measures.probe.rounds import ProbeRounds, ProbeTime
from perfboard.model.run import Metric, Unit
from perfboard.model.units import format_size, format_value, parse_size

# mbw's methods, and its array in the bring-up study of 2010: a cache may hold less.
_METHODS = {"memcpy": "memcpy, as mbw", "dumb": "word by word, as mbw", "block": "by blocks of mbw"}
_ARRAY = 4 << 20


class Probe(Measure):
    """One probe, run in rounds of fresh processes until its metrics are known well enough."""

    parameters = (Parameter("seconds", 6, "s that its processes may take together", labels=False),)

    def __init__(self, probe: ProbeWords) -> None:
        self.name, self.title = probe.name, probe.title
        self.metrics = tuple(
            Quantity(
                name, cast("Unit", unit), probe.summary, "lower" if better == "lower" else "higher"
            )
            for name, unit, better in probe.metrics
        )

    def measure(self, name: str, bench: Bench, setting: Setting, turn: Turn) -> Finding:
        seconds = setting.whole("seconds")
        with bench.probe() as session, turn.step(seconds) as step:
            probes = [each for each in session.probes() if each.name == self.name]
            measuring = ProbeRounds(session, probes, ProbeTime(seconds, setting.facts.exact))
            words = measuring.run(step)
        metrics, processes = measuring.merger.metrics(), tuple(measuring.merger.processes)
        if not metrics:
            refused = {one.refused: None for one in processes}
            raise NotMeasurable("; ".join(filter(None, refused)) or "it measured nothing")
        return self.conclude(Finding(metrics, notes=(words,), processes=processes))

    def conclude(self, found: Finding) -> Finding:
        """The finding with the figures of the first screen, if the probe has some."""
        return found


class CopyProbe(Probe):
    """Copies as mbw does, at mbw's size or above, or else at the largest size (bring-up study)."""

    def conclude(self, found: Finding) -> Finding:
        figures = []
        for method, words in _METHODS.items():
            of_it = [
                m
                for m in found.metrics
                if m.labels.get("method") == method
                and m.labels.get("loop") in ("libc", "c")
                and "size" in m.labels
            ]
            if of_it:
                figures.append(_copied(words, of_it))
        if not figures:
            return found
        large = [figure for figure in figures if _size(figure.metric) >= _ARRAY]
        best = max(large or figures, key=lambda figure: median(figure.metric.samples))
        short = f"copies {format_value(median(best.metric.samples), 'B/s')}"
        why = f"{best.title}: the fastest of mbw's methods here."
        if not large:
            short += f" at {format_size(_size(best.metric))}, which a cache may hold"
            least = format_size(_ARRAY)
            why += f" No array of {least} or more was copied: time or room was too short."
        limit = "the processor and its memory" if large else ""
        return replace(found, figures=tuple(figures), short=short, limit=limit, why=why)


def _size(metric: Metric) -> int:
    return parse_size(metric.labels["size"])


def _copied(words: str, metrics: Sequence[Metric]) -> ShownMetric:
    """The least size that does not fall below mbw's, or else the largest."""
    by_size = {_size(metric): metric for metric in metrics}
    size = min((size for size in by_size if size >= _ARRAY), default=max(by_size))
    held = "" if size >= _ARRAY else ", which a cache may hold"
    return ShownMetric(f"{words}, {format_size(size)}{held}", by_size[size])


MEASURES = tuple(
    CopyProbe(each) if each.name == "memory.copy" else Probe(each) for each in all_probes()
)
