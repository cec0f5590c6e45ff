# SPDX-License-Identifier: Apache-2.0
"""`perfboard tune boot`: tries what makes a board boot faster, ranks it, and proves the best."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import inf

from perfboard.analysis.tune.combinations import (
    START,
    Combination,
    changed,
    narrowed,
)
from perfboard.analysis.tune.search import search
from perfboard.bench.lab import Lab
from perfboard.bench.opening import BOOTABLE, check_bench, open_record
from perfboard.bench.request import Request
from perfboard.model.errors import UsageError, refusals
from perfboard.model.run import Run
from perfboard.model.target import virtual_name, virtual_target
from perfboard.store.recording import Content
from perfboard.studies.tune.making import Make
from perfboard.studies.tune.options import TuneOptions
from perfboard.studies.tune.plan import (
    TunePlan,
    check_smallest,
    check_tools,
    make_plan,
)
from perfboard.studies.tune.progress import TuneStep
from perfboard.studies.tune.proof import Proof
from perfboard.studies.tune.record import found_by, tries_to
from perfboard.studies.tune.sweep import Sweep
from perfboard.studies.tune.tries import ExactTries, RoundTries


@dataclass(frozen=True)
class TuneStudy:
    """Boots a board with each level of its factors, and proves the best combination."""

    name: str = "tune-boot"
    title: str = "What to change for a faster boot"
    question: str = "Which levels of its factors make the board boot fastest?"
    options: type[TuneOptions] = TuneOptions
    targets: tuple[str, ...] = BOOTABLE
    default_target: str = virtual_target("verdex")
    headline: str = "boot.total"
    # Those of the board that it tunes.
    factors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def check(self, request: Request, options: TuneOptions) -> list[str]:
        exact = virtual_name(request.target) is not None
        wrong = refusals(lambda: make_plan(request, options, exact))
        return wrong or check_bench(request, options.of_bench, boots=True)

    def run(self, request: Request, options: TuneOptions, lab: Lab) -> Run:
        """See `studies.base.Study`.

        Nothing is built before all is checked. A sweep that is interrupted, or for which this
        machine fails, is stored with what it has; made again, it takes the boots that there are
        from the cache.
        """
        proof = Proof()
        with open_record(self.name, self.headline, request, options.of_bench, lab) as (
            record,
            bench,
        ):
            exact = bench.facts.exact
            plan = make_plan(request, options, exact)
            if not options.scheduler:
                check_tools(plan, lab)
            sweep = Sweep(plan)
            tries = (ExactTries if exact else RoundTries)(sweep, bench, options, lab)

            def found() -> Content:
                return found_by(options, sweep, proof, bench.subject(), tries.notes)

            with record.begin(found):
                with lab.progress.step(f"tuning {plan.board.name}", inf) as step:
                    shown = TuneStep(step, lab.clock)
                    with tries.making(shown.note) as make:
                        try_all(sweep, make, shown)
                proof = tries.prove(record.folder)
            _, _, places = sweep.recorded()
            for combination, place in places.items():
                if console := sweep.results[combination].console:
                    record.folder.write_artifact(f"try-{place + 1}/console.log", console)
        return record.run


TUNE = TuneStudy()


def try_all(sweep: Sweep, make: Make, step: TuneStep) -> None:
    """The start, each level alone, then combinations, then the tries to the best."""
    alone, space = sweep.plan.alone, sweep.space
    meeting, tries = dict.fromkeys(_interactions(sweep.plan)), len(space.levels)
    later = min(space.most, space.count) + tries
    sweep.make([START], "alone", make, step, later + len(meeting) + len(alone))
    _check_start(sweep)
    if space.max_flash is not None:
        sizes = sweep.sizes(alone, make, step, later + len(meeting) + len(alone))
        check_smallest(sweep.plan, sizes)
    sweep.make(alone, "alone", make, step, later + len(meeting))
    sweep.make(meeting, "together", make, step, later)
    sweep.space = space = narrowed(space, sweep.known)
    most = min(space.most, space.count)
    for batch in search(space, sweep.known):
        most = max(0, most - len(batch))
        sweep.make(batch, "together", make, step, most + tries)
    possible = [each for each in tries_to(sweep.known, sweep.best()) if space.possible(each)]
    sweep.make(possible, "order", make, step)


def _check_start(sweep: Sweep) -> None:
    """Raises the reason why the start does not boot, or why a limit cannot be checked."""
    base = sweep.known[START]
    if base is None:
        result = sweep.results[START]
        does = "build" if result.outcome == "not-built" else "boot"
        raise result.error(f"The start does not {does}")
    if sweep.space.max_ram is not None and base.ram is None:
        raise UsageError(
            "--max-ram: the memory in use is not known, which takes a 32-bit kernel with a "
            "System.map; give image.kernel.system_map, or omit it"
        )


def _interactions(plan: TunePlan) -> Iterator[Combination]:
    """Levels of two factors of which it is known that they change what the other does.

    This includes levels that the best may not have, which are tried alone.
    """
    tried = [item for each in plan.alone for item in each]
    found = {
        factor: [*levels, *(level for name, level in tried if name == factor)]
        for factor, levels in plan.space.levels.items()
    }
    pairs = ((one.name, other) for one in plan.factors.values() for other in one.tried_with)
    for one, other in pairs:
        for first in found.get(one, ()):
            for second in found.get(other, ()):
                both = changed(changed(START, one, first), other, second)
                if plan.space.possible(both):
                    yield both
