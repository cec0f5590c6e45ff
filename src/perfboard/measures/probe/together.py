# SPDX-License-Identifier: Apache-2.0
"""Probes that run in turn with each other, so that a drift of the board is in all alike."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfboard.bench.base import Bench
from perfboard.measures.base import Finding, Turn
from perfboard.measures.loop import Findings, Item
from perfboard.measures.probe.conditions import Conditions, condition_notes, read_conditions
from perfboard.measures.probe.probes import Probe
from perfboard.measures.probe.rounds import FACTS, ProbeRounds, ProbeTime
from perfboard.model.errors import TargetError
from perfboard.model.results.probes import ProbeProcess
from perfboard.model.run import Evidence

if TYPE_CHECKING:
    from perfboard.bench.lab import Lab
    from perfboard.probes.session import Session

_NOT_THERE = "the probe's server ran none of that name"


@dataclass
class ProbeTurns:
    """The probes of some items on a bench, whose server runs; and how long they may take."""

    items: Sequence[Item]
    bench: Bench
    session: "Session"
    measuring: ProbeRounds
    time_s: float

    def run(self, into: Findings, lab: "Lab") -> None:
        """Measures all of them. The findings are there however it ends."""
        turn = into.turn = Turn("measuring", lab.progress)
        try:
            with turn.step(self.time_s) as step:
                # A probe that was asked for may do that itself.
                if all(item.measure.name != FACTS for item in self.items):
                    self.measuring.describe()
                into.notes += (self.measuring.run(step),)
            into.turn = None
        finally:
            turn.place = self.measuring.place
            self._tell(into)

    def _tell(self, into: Findings) -> None:
        merger = self.measuring.merger
        into.processes = tuple(merger.processes)
        into.facts = dict(merger.facts)
        self.bench.learn(self.session, merger.facts)
        for item in self.items:
            name = item.measure.name
            refused = {p.refused: None for p in merger.processes if p.probe == name}
            found = Finding(merger.metrics(name))
            if not found.metrics:
                reason = " ".join(filter(None, refused)) if refused else _NOT_THERE
                found = Finding(reason=reason)
            elif isinstance(item.measure, Probe):
                found = item.measure.conclude(found)
            into.found[item.key] = found
        hypervisor = merger.facts.get("hypervisor")
        if hypervisor and self.bench.facts.evidence is Evidence.SILICON:
            into.notes += (
                f"The target says that it is a virtual machine (hypervisor: {hypervisor}): what is "
                "called a real board's here is what its host gives it.",
            )


@contextmanager
def probe_rounds(
    items: Sequence[Item], bench: Bench, time_s: float, cpu: int | None, into: Findings, lab: "Lab"
) -> Iterator[ProbeTurns]:
    """The rounds, ready to run. Raises UsageError where no probe can run on that `cpu`.

    With the context the server ends, and notes on the target's conditions go to `into`.
    """
    with probe_server(bench, into) as (session, ran):
        known = {probe.name: probe for probe in session.probes()}
        probes = [known[each.measure.name] for each in items if each.measure.name in known]
        measuring = ProbeRounds(session, probes, ProbeTime(time_s, bench.facts.exact), lab.clock)
        if cpu is not None:
            measuring.pin(cpu)
        try:
            yield ProbeTurns(items, bench, session, measuring, time_s)
        finally:
            ran += measuring.merger.processes


@contextmanager
def probe_server(bench: Bench, into: Findings) -> Iterator[tuple["Session", list[ProbeProcess]]]:
    """The probe's server, and a list for the processes that it ran.

    With the context the server ends, and notes on the target's conditions go to `into`.
    """
    # Nothing holds a virtual board back. A console has one program at a time: the target's
    # conditions are read before the server is started, and after it has ended.
    before = None if bench.facts.exact else _conditions(bench)
    ran: list[ProbeProcess] = []
    complete = False
    try:
        with bench.probe() as session:
            yield session, ran
            complete = True
    finally:
        if before is not None:
            after = None
            # One that does not answer any more was measured all the same.
            with suppress(TargetError):
                after = _conditions(bench) if complete else None
            into.notes += tuple(condition_notes(before, after, ran))


def _conditions(bench: Bench) -> Conditions:
    with bench.shell() as shell:
        return read_conditions(shell)
