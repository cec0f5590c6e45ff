# SPDX-License-Identifier: Apache-2.0
"""The order in which probes run, for how long, and when it is enough.

In a round each probe runs once, as a fresh process, in an order drawn anew. After the
rounds that are always made, only those run again that have a metric which is not known
well enough, until all are or the time is spent.
"""

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from perfboard.analysis.compare.comparison import label_name
from perfboard.analysis.statistics.bootstrap import FEWEST_PROCESSES, estimate
from perfboard.model.errors import UsageError
from perfboard.model.progress import Step
from perfboard.probes.exchange import ProbeAnswer
from perfboard.probes.records import Merger, ProbeEntry, ProcessReport, read_process

ROUNDS = FEWEST_PROCESSES
# The share of the time for the rounds that are always made: the rest is for wide intervals.
_FIRST_SHARE = 0.65
_LEAST_S = 0.05
# Half an interval over the median: what counts as known well enough.
PRECISION = 0.02
# By how much a process is thought to exceed its time, before any has run.
_FIRST_EXCESS = 1.5
_SEED = 1
# The probe that measures little, and says much of what it runs on.
FACTS = "system.facts"
_FACTS_LIMIT_S = 30
# The time that a process may take beyond ten times its share.
_SLACK_S = 30


class Runner(Protocol):
    """Runs probes, as a ProbeSession does."""

    def run(self, probe: str, arguments: Sequence[str], limit_s: float) -> ProbeAnswer:
        """Runs a probe as a fresh process."""


@dataclass(frozen=True)
class ProbeTime:
    """`time_s` is what all may take, in seconds.

    With `target_time`, they are seconds of the target's clock, as the probes count them: a
    virtual board's are longer than the host's, and as many whatever the host.
    """

    time_s: float
    target_time: bool = False


class ProbeRounds:
    """Runs the plan; `merger` holds what was measured, whatever stops it.

    `place` names the probe that runs, and its round.
    """

    def __init__(
        self,
        runner: Runner,
        probes: Sequence[ProbeEntry],
        plan: ProbeTime,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """The time that is spent counts from here, by `clock`."""
        self.merger = Merger()
        self.place = "no probe yet"
        self._runner = runner
        self._plan = plan
        self._random = random.Random(_SEED)  # noqa: S311 - an order, not a secret
        self._probes = list(probes)
        self._seconds: dict[str, float] = {}
        self._took: dict[str, float] = {}
        self._precision: dict[str, list[tuple[float, str]]] = {}
        self._asked = 0.0
        self._counted = 0.0
        self._round = 0
        self._cpu: int | None = None
        self._clock = clock
        self._began = clock()

    def pin(self, cpu: int) -> None:
        """Has all probes run on that processor. Raises UsageError where they cannot."""
        self._cpu = cpu
        report = self._facts()
        if report.process.cpu != cpu:
            why = "; ".join([*report.process.notes, report.process.refused or ""]).strip("; ")
            raise UsageError(
                f"no probe can run on CPU {cpu} of this target ({why}); it may use "
                f"{report.facts.get('processors', 'an unknown number of')} processors. Leave --cpu "
                "out, and it takes the last of the fastest ones"
            )

    def describe(self) -> None:
        """Takes down what the target says of itself: its governor and mitigations, say.

        The metrics of that probe are left out, since nobody asked for them.
        """
        self.merger.facts |= self._facts().facts

    def _facts(self) -> ProcessReport:
        arguments = ["--seconds", str(_LEAST_S), *self._pinned()]
        answer = self._runner.run(FACTS, arguments, _FACTS_LIMIT_S)
        return read_process(FACTS, 0, answer.lines, answer.end)

    def _pinned(self) -> list[str]:
        """The arguments by which all processes measure the same processor."""
        return [] if self._cpu is None else ["--cpu", str(self._cpu)]

    def run(self, step: Step) -> str:
        """Measures; says why it stopped, and how well the metrics are known.

        `step` is of as many units as that time has seconds.
        """
        for _ in range(ROUNDS):
            self._share_time()
            self._run_round(self._probes, step)
        while wide := [probe for probe in self._probes if self._is_wide(probe)]:
            affordable = [probe for probe in wide if self._fits(probe)]
            if not affordable:
                break
            self._run_round(affordable, step)
        return self._outcome(bool(wide))

    @property
    def _spent(self) -> float:
        return self._counted if self._plan.target_time else self._clock() - self._began

    def _share_time(self) -> None:
        """Gives each probe its seconds of the next round, by weight, from what is left."""
        left = max(0.0, self._plan.time_s * _FIRST_SHARE - self._spent)
        # A process takes more than it was asked to: what starting and answering takes, say.
        excess = max(0.5, self._spent / self._asked) if self._round else _FIRST_EXCESS
        room = left / (ROUNDS - self._round) / excess
        weights = sum(probe.weight for probe in self._probes) or 1
        for probe in self._probes:
            self._seconds[probe.name] = max(_LEAST_S, room * probe.weight / weights)

    def _fits(self, probe: ProbeEntry) -> bool:
        return self._spent + self._took[probe.name] <= self._plan.time_s

    def _run_round(self, probes: Sequence[ProbeEntry], step: Step) -> None:
        always = self._round < ROUNDS
        for probe in self._random.sample(probes, len(probes)):
            if always or self._fits(probe):
                self.place = f"{probe.name}, round {self._round + 1}"
                step.update(min(self._spent, self._plan.time_s), self.place)
                self._run_one(probe)
        self._round += 1

    def _run_one(self, probe: ProbeEntry) -> None:
        name, seconds = probe.name, self._seconds[probe.name]
        before = self._spent
        arguments = ["--seconds", f"{seconds:.3f}", *self._pinned()]
        answer = self._runner.run(name, arguments, 10 * seconds + _SLACK_S)
        self._asked += seconds
        report = read_process(name, self._round, answer.lines, answer.end)
        # One that was killed does not say how long it took.
        self._counted += max(report.process.elapsed_s, _LEAST_S)
        self.merger.add(report)
        if self._cpu is None:
            self._cpu = report.process.cpu
        if not report.usable:
            self._probes.remove(probe)
        self._took[name] = self._spent - before
        self._precision[name] = [
            (estimate(metric).precision, label_name(metric)) for metric in self.merger.metrics(name)
        ]

    def _is_wide(self, probe: ProbeEntry) -> bool:
        known = self._precision[probe.name]
        return any(precision > PRECISION for precision, _ in known)

    def _outcome(self, any_wide: bool) -> str:
        known = [item for metrics in self._precision.values() for item in metrics]
        narrow = sum(precision <= PRECISION for precision, _ in known)
        given = f"the time of {self._plan.time_s:g} s"
        why = f"{given} is spent"
        if self._round == ROUNDS and self._spent > self._plan.time_s:
            why = f"the {ROUNDS} that are always made took {self._spent:.2g} s, beyond {given}"
        if not any_wide:
            why = "what can be measured again is known well enough"
        processes = len(self.merger.processes)
        words = f"Stopped after {self._round} rounds and {processes} process"
        words += "es" if processes != 1 else ""
        if not known:
            return f"{words}: no probe has measured a metric."
        words += f", because {why}: {narrow} of {len(known)} metrics are within ±{PRECISION:.0%}"
        widest, name = max(known, default=(0.0, ""))
        if widest > PRECISION:
            known_by = f"±{widest:.1%}" if math.isfinite(widest) else "measured too seldom to say"
            words += f"; the widest is {name}, {known_by}"
        return f"{words}."
