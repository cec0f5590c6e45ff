# SPDX-License-Identifier: Apache-2.0
"""Runs of probes on a target, for the studies that are made of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from perfboard.bench.lab import Lab
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.binaries.probes import all_probes
from perfboard.measures.catalogue import get_measure
from perfboard.measures.loop import Item
from perfboard.model.errors import UsageError
from perfboard.model.options import option, parse_cpu, parse_seconds
from perfboard.model.run import Run
from perfboard.model.text import nearest
from perfboard.studies.plan import Plan, check_plan, run_plan


@dataclass(frozen=True)
class TimeOptions:
    """The options of all that runs probes."""

    time: float = option(
        60.0,
        "the seconds that all probes together may take on the target (default: 60)",
        parse=parse_seconds,
        metavar="SECONDS",
        formerly="budget",
    )


@dataclass(frozen=True)
class ProbeOptions(TimeOptions):
    """The options of `perfboard study standard`."""

    cpu: int | None = option(
        None,
        "the CPU of the target that probes run on (default: the last of the fastest)",
        parse=parse_cpu,
        metavar="N",
    )


def measure_target(
    study: str, request: Request, probes: Sequence[str], options: ProbeOptions, lab: Lab
) -> Run:
    """Runs `probes`, or all where none are named, and stores the run under the name `study`.

    A run that failed or was interrupted is stored too, with what it measured. Raises UsageError
    for all that is wrong, before anything is opened.
    """
    plan = plan_of(study, probes, options)
    if wrong := check_plan(plan, request, BenchOptions()):
        raise UsageError("\n".join(wrong))
    return run_plan(plan, request, BenchOptions(), lab)


def measure_jobs(names: Sequence[str], request: Request, lab: Lab) -> Run:
    """Runs measures that are no probes, at their defaults, for a verification. Raises as above."""
    plan = Plan("verify", [Item.of(get_measure(name)) for name in names], 0.0)
    if wrong := check_plan(plan, request, BenchOptions()):
        raise UsageError("\n".join(wrong))
    return run_plan(plan, request, BenchOptions(), lab)


def plan_of(study: str, probes: Sequence[str], options: ProbeOptions) -> Plan:
    """The plan of those probes. Raises UsageError for one that there is not."""
    known = [probe.name for probe in all_probes()]
    for probe in probes:
        if probe not in known:
            raise UsageError(
                f'there is no probe "{probe}"{nearest(probe, known)} The probes are: '
                f"{', '.join(known)}"
            )
    items = [Item.of(get_measure(name)) for name in dict.fromkeys(probes or known)]
    return Plan(study, items, options.time, options.cpu)
