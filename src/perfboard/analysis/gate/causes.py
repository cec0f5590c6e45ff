# SPDX-License-Identifier: Apache-2.0
"""The parts of a run that take longer than in its baseline."""

import statistics
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from perfboard.analysis.boot.phases import PHASES
from perfboard.analysis.compare.answer import TOTAL
from perfboard.analysis.program.profile import KERNEL
from perfboard.model.functions import UNKNOWN, BootFunctions
from perfboard.model.results.boot import BootResult
from perfboard.model.results.program import FunctionTime, ProgramResult
from perfboard.model.run import Run

# The causes of a kind that are named, and the share of the whole change below which none is.
_MOST, _LEAST = 3, 0.05
_PHASES = {phase.name for phase in PHASES}
# Code whose instructions depend on when and where its data comes, and what is known of no file.
_SHIFTING = (KERNEL, UNKNOWN)
# The share of the largest growth below which others are left out.
_CLEAR = 0.2
_WAITS = f"{TOTAL}.waits."
_Times = dict[str, float]


@dataclass(frozen=True)
class ChangeCause:
    """A part that took `before` s in the baseline and takes `after` s; None: it was not there.

    `kind` is phase, step, wait, initcall, driver probe, service, process or function.
    """

    kind: str
    name: str
    before: float | None
    after: float

    @property
    def difference(self) -> float:
        """The seconds that it takes more."""
        return self.after - (self.before or 0.0)


def causes_of(before: Run, after: Run, worsening: float) -> tuple[ChangeCause, ...]:
    """The parts that grew by a share of `worsening` s, by kind, from wide to narrow.

    The largest of a kind come first. Parts of different kinds overlap: an initcall runs in a phase.
    """
    old, new = _parts(before), _parts(after)
    found: list[ChangeCause] = []
    for kind, times in new.items():
        known = old.get(kind)
        if known is None:
            # The baseline has no such record, as of initcalls without initcall_debug.
            continue
        causes = [ChangeCause(kind, name, known.get(name), time) for name, time in times.items()]
        grown = [each for each in causes if each.difference >= _LEAST * worsening]
        found += sorted(grown, key=lambda each: -each.difference)[:_MOST]
    return tuple(found)


def function_causes(
    before: BootFunctions, after: BootFunctions, worsening: float
) -> tuple[ChangeCause, ...]:
    """The functions that did it, in both of these ways, the largest first.

    Those of programs that ran more instructions in a phase: a program's path hardly depends on
    where an image's files lie, as the kernel's work and all times do. And those that took a share
    of `worsening` s more time.
    """
    old, new = _by_phase(before), _by_phase(after)
    more = [(_instructions(new[key]) - _instructions(old.get(key)), key) for key in new]
    more = sorted((each for each in more if each[1][1] not in _SHIFTING), reverse=True)
    least = max(1.0, _CLEAR * more[0][0]) if more else 0.0
    longer = [
        (difference, key)
        for key in new
        if (difference := new[key].time_s - _time(old.get(key))) >= _LEAST * worsening
    ]
    shown = [
        (f"{key[2]} in {key[1]}: {grown:,} more instructions", key)
        for grown, key in more[:_MOST]
        if grown >= least
    ]
    shown += [
        (f"{key[2]} in {key[1]}, {key[0]}", key) for _, key in sorted(longer)[: -_MOST - 1 : -1]
    ]
    return tuple(
        ChangeCause("function", words, old[key].time_s if key in old else None, new[key].time_s)
        for words, key in shown
    )


def program_instructions(boot: BootFunctions) -> int:
    """The instructions of programs in a boot, of those that were recognised."""
    return sum(
        function.instructions
        for phase in boot.phases
        for function in phase.functions
        if function.file not in _SHIFTING
    )


def _by_phase(boot: BootFunctions) -> dict[tuple[str, str, str], FunctionTime]:
    return {
        (phase.phase, each.file, each.name): each
        for phase in boot.phases
        for each in phase.functions
    }


def _instructions(function: FunctionTime | None) -> int:
    return function.instructions if function else 0


def _time(function: FunctionTime | None) -> float:
    return function.time_s if function else 0.0


def _parts(run: Run) -> Mapping[str, _Times]:
    """The time in s of each part, by kind; a kind that the run does not record is absent."""
    parts: dict[str, _Times] = {"phase": {}, "step": {}, "wait": {}}
    for metric in run.metrics:
        if metric.unit != "s" or metric.labels or not metric.samples:
            continue
        kind = _kind_of(metric.name)
        if kind:
            parts[kind][metric.name.removeprefix(_WAITS)] = statistics.mean(metric.samples)
    boots = [boot for result in run.results_of(BootResult) for boot in result.boots]
    times: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for boot in boots:
        for span in boot.spans:
            name = f"{span.driver} {span.name}" if span.driver else span.name
            kind = "driver probe" if span.kind == "probe" else span.kind
            times[kind][name] += span.duration_ns
        for process in boot.processes:
            times["process"][process.name] += process.time_ns
    for kind, sums in times.items():
        parts[kind] = {name: ns / 1e9 / len(boots) for name, ns in sums.items()}
    for result in run.results_of(ProgramResult):
        if result.profile:
            parts["function"] = {f"{f.name} in {f.file}": f.time_s for f in result.profile}
    return {kind: found for kind, found in parts.items() if found}


def _kind_of(name: str) -> str:
    if name in _PHASES:
        return "phase"
    if name.startswith(_WAITS):
        return "wait"
    inside = any(name.startswith(f"{phase}.") for phase in _PHASES)
    return "step" if inside and name != "boot.kernel.console" else ""
