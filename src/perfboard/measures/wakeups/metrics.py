# SPDX-License-Identifier: Apache-2.0
"""The metrics of playbacks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from perfboard.analysis.power.figures import whole_of
from perfboard.analysis.wakeups.advice import by_mode
from perfboard.analysis.wakeups.power import modelled_w
from perfboard.model.results.wakeups import Playback, PowerModel
from perfboard.model.run import Metric, Unit


def metrics(playbacks: Sequence[Playback], model: PowerModel | None) -> Iterator[Metric]:
    """A sample of each figure for each time that a thing was played.

    A modelled power is two metrics, the least and the greatest.
    """
    for (load, way, level), played in by_mode(playbacks).items():
        rows = [each for each in played if not each.refused]
        if not rows:
            continue
        labels = {"way": way, "level": level, "load": load}

        def metric(
            name: str,
            unit: Unit,
            values: Sequence[float | None],
            labels: Mapping[str, str] = labels,
            better: Literal["lower", "higher"] = "lower",
        ) -> Iterator[Metric]:
            known = tuple(value for value in values if value is not None)
            if known:
                yield Metric(
                    name=f"wakeups.{name}",
                    unit=unit,
                    labels=dict(labels),
                    better=better,
                    samples=known,
                )

        yield from metric("switches", "1/s", [each.switches / each.elapsed_s for each in rows])
        yield from metric(
            "idle", "1", [each.idle_s / each.elapsed_s for each in rows], better="higher"
        )
        wholes = [whole_of(each.energies) for each in rows]
        yield from metric("energy", "J", [each.joules if each else None for each in wholes])
        watts = [each.joules / each.seconds if each else None for each in wholes]
        yield from metric("power", "W", watts)
        if model is not None:
            for bound, value in zip(("least", "greatest"), modelled_w(model, rows), strict=True):
                yield Metric(
                    name="wakeups.power",
                    unit="W",
                    labels={**labels, "bound": bound},
                    samples=(value,),
                    evidence="modelled",
                )
        for state in dict.fromkeys(name for each in rows for name in each.states):
            shares = [each.states.get(state, 0.0) / each.elapsed_s for each in rows]
            yield from metric("state", "1", shares, {**labels, "state": state}, better="higher")
        if load == "copy":
            copies = [each.copies / each.elapsed_s for each in rows]
            yield from metric("copies", "1/s", copies, better="higher")
        if way == "none":
            continue
        yield from metric(
            "switches.writer", "1/s", [each.writer_switches / each.elapsed_s for each in rows]
        )
        yield from metric("wakes", "1/s", [each.wakes / each.elapsed_s for each in rows])
        yield from metric("missed", "1", [each.missed for each in rows])
        for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0)):
            yield from metric(f"latency.{name}", "s", [each.latency_at(share) for each in rows])
