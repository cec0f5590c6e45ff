# SPDX-License-Identifier: Apache-2.0
"""The set-top box study's standard measurements, and the bring-up study's of the processor."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from perfboard.bench.lab import Lab
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.model.run import Run
from perfboard.studies.plan import check_plan
from perfboard.studies.probing import ProbeOptions, measure_target, plan_of


@dataclass(frozen=True)
class StandardStudy:
    """Runs every probe on a live target."""

    name: str = "standard"
    title: str = "Standard measurements"
    question: str = "What are the memory, the kernel and the processor of this board capable of?"
    options: type[ProbeOptions] = ProbeOptions
    targets: tuple[str, ...] = ()
    default_target: str = "local"
    headline: str = ""
    # A virtual board has factors of its own; the study boot lists them.
    factors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def check(self, request: Request, options: ProbeOptions) -> list[str]:
        return check_plan(plan_of(self.name, (), options), request, BenchOptions())

    def run(self, request: Request, options: ProbeOptions, lab: Lab) -> Run:
        return measure_target(self.name, request, (), options, lab)


STUDY = StandardStudy()
