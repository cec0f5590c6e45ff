# SPDX-License-Identifier: Apache-2.0
"""The probes of a guide: one server for all areas, whose probes run in turn with each other."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from perfboard.bench.base import Bench
from perfboard.bench.lab import Lab
from perfboard.measures.base import Finding, Turn
from perfboard.measures.loop import Findings, Item
from perfboard.measures.probe.probes import Probe
from perfboard.measures.probe.rounds import ProbeRounds, ProbeTime
from perfboard.measures.probe.together import probe_server
from perfboard.model.results.probes import ProbeProcess
from perfboard.probes.records import Merger, ProbeEntry
from perfboard.probes.session import Session

_NOT_THERE = "the probe's server ran none of that name"
_ENDED = "the run ended before its last round"


@dataclass
class GuideProbes:
    """The server, and the processes that it ran so far."""

    bench: Bench
    session: Session
    ran: list[ProbeProcess]
    cpu: int | None
    lab: Lab

    def describe(self, into: Findings) -> None:
        """Takes down what the target says of itself.

        Raises UsageError where no probe can run on the processor that the user named.
        """
        asked = self._rounds((), 1.0)
        if self.cpu is not None:
            asked.pin(self.cpu)
        asked.describe()
        into.facts = dict(asked.merger.facts)
        self.bench.learn(self.session, into.facts)

    def measure(self, areas: Mapping[str, Sequence[Item]], time_s: float, into: Findings) -> None:
        """Measures the probes of each area, which share the seconds by the probes' weights.

        The findings are there however it ends; one that was interrupted has its reason.
        """
        known = {probe.name: probe for probe in self.session.probes()}
        weights = {
            title: sum(known[each.measure.name].weight for each in items if _is_in(each, known))
            for title, items in areas.items()
        }
        whole = sum(weights.values()) or 1
        for number, (title, items) in enumerate(areas.items(), 1):
            seconds = time_s * weights[title] / whole
            left = sum(time_s * weights[each] / whole for each in list(areas)[number - 1 :])
            words = f"probing: {title} ({number} of {len(areas)} areas, about {left:.0f} s left)"
            turn = into.turn = Turn(words, self.lab.progress)
            probes = [known[each.measure.name] for each in items if _is_in(each, known)]
            measuring, ended = self._rounds(probes, seconds), _ENDED
            began = self.lab.clock()
            try:
                with turn.step(seconds) as step:
                    if self.cpu is not None:
                        measuring.pin(self.cpu)
                    measuring.run(step)
                ended, into.turn = "", None
            finally:
                turn.place = measuring.place
                self.ran += measuring.merger.processes
                for item in items:
                    into.found[item.key] = _finding(item, measuring.merger, ended)
                    # They run in turn, so each has its share.
                    into.host_s[item.key] = (self.lab.clock() - began) / len(items)

    def _rounds(self, probes: Sequence[ProbeEntry], seconds: float) -> ProbeRounds:
        time = ProbeTime(seconds, self.bench.facts.exact)
        return ProbeRounds(self.session, probes, time, self.lab.clock)


def _is_in(item: Item, known: Mapping[str, ProbeEntry]) -> bool:
    return item.measure.name in known


def _finding(item: Item, merger: Merger, ended: str) -> Finding:
    """The finding of one probe, whose processes are counted from its own first one."""
    name = item.measure.name
    own = [place for place, each in enumerate(merger.processes) if each.probe == name]
    places = {place: number for number, place in enumerate(own)}
    metrics = tuple(
        each.model_copy(update={"processes": tuple(places[at] for at in each.processes)})
        for each in merger.metrics(name)
    )
    processes = tuple(merger.processes[place] for place in own)
    if not metrics:
        refused = dict.fromkeys(filter(None, (each.refused for each in processes)))
        reason = ended or " ".join(refused) or _NOT_THERE
        return Finding(reason=reason, processes=processes)
    found = Finding(metrics, reason=ended, processes=processes)
    return item.measure.conclude(found) if isinstance(item.measure, Probe) else found


@contextmanager
def guide_probes(bench: Bench, cpu: int | None, into: Findings, lab: Lab) -> Iterator[GuideProbes]:
    """The probe's server, which ends with the context; notes on conditions go to `into` then."""
    with probe_server(bench, into) as (session, ran):
        probes = GuideProbes(bench, session, ran, cpu, lab)
        probes.describe(into)
        yield probes
