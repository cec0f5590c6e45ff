# SPDX-License-Identifier: Apache-2.0
"""Runs of the measures and sets that the user names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from perfboard.bench.lab import Lab
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.model.budget import MetricLimit
from perfboard.model.errors import UsageError
from perfboard.model.options import flag, option, parse_cpu, parse_seconds
from perfboard.model.profile import Value
from perfboard.model.run import Run
from perfboard.profiles.loader import list_profiles
from perfboard.studies.budgets import budget_option
from perfboard.studies.plan import Plan, check_plan, run_plan
from perfboard.studies.sets import items_named

_ALL_S, _PROBE_S = 60.0, 6.0


@dataclass(frozen=True)
class MeasureOptions(BenchOptions):
    """The options of `perfboard measure`."""

    time: float | None = option(
        None,
        "the seconds that all probes together may take on the target (default: 60, or 6 each "
        "if that is less)",
        parse=parse_seconds,
        metavar="SECONDS",
    )
    cpu: int | None = option(
        None,
        "the CPU of the target that probes run on (default: the last of the fastest)",
        parse=parse_cpu,
        metavar="N",
    )
    budget: tuple[MetricLimit, ...] = budget_option("network.tcp.bandwidth >= 90 Mbit/s")
    quick: str = option("", "of a guide: its quick list alone", switch=True)
    all: str = option(
        "", "of a guide: also the rows that write much to the target, or take long", switch=True
    )


def measure_named(
    names: Sequence[str],
    given: Mapping[str, Value],
    request: Request,
    options: MeasureOptions,
    lab: Lab,
) -> Run:
    """Measures these measures and sets, with the parameters `given`, and stores the run.

    It has the name of the set, if that is all. Raises UsageError as `check_named` does.
    """
    return run_plan(check_named(names, given, request, options), request, options, lab)


def check_named(
    names: Sequence[str], given: Mapping[str, Value], request: Request, options: MeasureOptions
) -> Plan:
    """The plan for these. Raises UsageError with all that is wrong, before anything is opened."""
    items = items_named(names, given)
    study = names[0] if len(names) == 1 and names[0] in list_profiles() else "measure"
    plan = Plan(study, items, 0.0, options.cpu, options.budget)
    wrong = check_plan(plan, request, options)
    if options.time is not None and not plan.probes:
        wrong.append("--time: is for probes, and none is measured here; omit it")
    wrong += [
        f"{flag(each)}: is of a guide, as in `perfboard measure guide {flag(each)}`; omit it"
        for each in ("quick", "all")
        if getattr(options, each)
    ]
    if wrong:
        raise UsageError("\n".join(wrong))
    time_s = min(_ALL_S, _PROBE_S * len(plan.probes)) if options.time is None else options.time
    return replace(plan, time_s=time_s)
