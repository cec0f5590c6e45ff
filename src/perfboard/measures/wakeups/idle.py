# SPDX-License-Identifier: Apache-2.0
"""idle.wakes: what wakes a system that has nothing to do, and how often."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import (
    Example,
    Finding,
    Measure,
    Parameter,
    Quantity,
    Setting,
    ShownMetric,
)
from perfboard.model.rows import Count, Positive, Row, Text, Word, read_rows, row_line
from perfboard.model.run import Metric
from perfboard.model.units import format_value

_MOST_S = 3600
# For a live target, and for a board that repeats exactly.
_SECONDS, _EXACT_SECONDS = 60, 60
# The job's own start has left nothing to do by then.
_SETTLED_S = 5
# Errors, which interrupt nobody.
_NO_INTERRUPTS = ("ERR", "MIS", "Err")
# The controller of an interrupt with a number, its own number there, and how it is triggered,
# before the devices: proc(5).
_DEVICES = re.compile(r".*?\S*(?:edge|level|fasteoi|none)\S* +(.+)", re.IGNORECASE)
_FIGURES = 8


class InterruptsRow(Row):
    """The interrupts of one cause, as native/probe/commands/idle.c prints them."""

    row: Literal["interrupts"]
    label: Word
    cause: Text
    count: Positive

    @property
    def name(self) -> str:
        """The device, or the words for an interrupt of the processor's own."""
        if not self.label.isdecimal():
            return self.cause or self.label
        devices = _DEVICES.fullmatch(self.cause)
        return devices[1] if devices else self.cause.rpartition(" ")[2] or self.label


class SleptRow(Row):
    """How long it slept, the context switches meanwhile, and whether interrupts were counted."""

    row: Literal["slept"]
    ns: Positive
    switches: Count
    counted: bool


@dataclass(frozen=True)
class _Sleep:
    """A sleep, and the interrupts in it by the names of their causes."""

    slept: SleptRow
    causes: dict[str, int]

    def rate(self, count: float) -> float:
        """So many a second."""
        return count * 1e9 / self.slept.ns


class IdleWakes(Measure):
    """The probe sleeps, and the kernel's own counts before and after it tell what happened."""

    name = "idle.wakes"
    title = "Wake-ups of the idle system"
    parameters = (
        Parameter(
            "seconds",
            0,
            f"of idling, up to {_MOST_S}; 0: {_SECONDS}, on a virtual board {_EXACT_SECONDS}",
            labels=False,
        ),
    )
    metrics = (
        Quantity("idle.wakes.interrupts", "1/s", "interrupts of all processors"),
        Quantity("idle.wakes.cause", "1/s", "those of one cause: label cause"),
        Quantity("idle.wakes.switches", "1/s", "context switches of all processors"),
    )
    examples = (
        Example(
            row_line("interrupts", label="27", cause="GIC-0 27 Level arch_timer", count=30)
            + row_line("interrupts", label="IPI0", cause="Rescheduling interrupts", count=10)
            + row_line("slept", ns=10**10, switches=120, counted=1),
            {
                "idle.wakes.interrupts": 4,
                "idle.wakes.cause": 3,
                "idle.wakes.switches": 12,
            },
        ),
    )

    def job(self, setting: Setting) -> Job:
        seconds = setting.whole("seconds", 0)
        seconds = seconds or (_EXACT_SECONDS if setting.facts.exact else _SECONDS)
        if seconds > _MOST_S:
            raise NotMeasurable(f"seconds is {seconds}; give up to {_MOST_S}")
        ms = seconds * 1000 // setting.repeats
        script = f'sync; sleep {_SETTLED_S}; "$PROBE" idle {ms} {setting.repeats} || exit 1\n'
        return Job(script, limit_s=seconds + 60)

    def read(self, output: str, setting: Setting) -> Finding:
        sleeps = _sleeps(output)
        if len(sleeps) != setting.repeats:
            raise NotMeasurable(f"{len(sleeps)} of {setting.repeats} sleeps have ended")
        every, of_cause, switches = self.metrics
        turns = switches.metric(sleep.rate(sleep.slept.switches) for sleep in sleeps)
        figures = [ShownMetric("context switches", turns)]
        if not all(sleep.slept.counted for sleep in sleeps):
            notes = ("idle.wakes: the target does not show its interrupts (/proc/interrupts).",)
            return Finding((turns,), tuple(figures), notes=notes)
        all_of = every.metric(sleep.rate(sum(sleep.causes.values())) for sleep in sleeps)
        causes = sorted(
            (
                of_cause.metric(
                    (sleep.rate(sleep.causes.get(name, 0)) for sleep in sleeps), {"cause": name}
                )
                for name in {name for sleep in sleeps for name in sleep.causes}
            ),
            key=lambda metric: (-sum(metric.samples), metric.labels["cause"]),
        )
        figures.insert(0, ShownMetric("interrupts", all_of))
        figures += [ShownMetric(metric.labels["cause"], metric) for metric in causes[:_FIGURES]]
        short = f"{format_value(median(all_of.samples), '1/s')} interrupts"
        return Finding((all_of, *causes, turns), tuple(figures), short, why=_most(causes))


def _most(causes: Sequence[Metric]) -> str:
    """The sentence on what wakes it the most."""
    if not causes:
        return "Nothing interrupted it."
    rate = format_value(median(causes[0].samples), "1/s")
    return f"The most are of {causes[0].labels['cause']}: {rate}."


def _sleeps(output: str) -> list[_Sleep]:
    """The sleeps; the causes of each come before it."""
    sleeps, causes = [], dict[str, int]()
    for row in read_rows(output, InterruptsRow, SleptRow):
        if isinstance(row, SleptRow):
            sleeps.append(_Sleep(row, causes))
            causes = {}
        elif isinstance(row, InterruptsRow) and row.label not in _NO_INTERRUPTS:
            causes[row.name] = causes.get(row.name, 0) + row.count
    return sleeps


MEASURES = (IdleWakes(),)
