# SPDX-License-Identifier: Apache-2.0
"""The tries of one tune: each combination made once, in the background, and recorded."""

from collections.abc import Hashable, Iterable
from dataclasses import replace

from perfboard.analysis.boot.phases import cut_phases, total
from perfboard.analysis.boot.steps import cut_userspace
from perfboard.analysis.tune.combinations import (
    START,
    Combination,
    Cost,
    Known,
    allowed,
    best_of,
    middle_s,
)
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot
from perfboard.model.results.tune import Stage, Try, in_words
from perfboard.model.units import format_size
from perfboard.studies.tune.making import Make
from perfboard.studies.tune.plan import TunePlan
from perfboard.studies.tune.progress import TuneStep
from perfboard.studies.tune.task import Task, TaskResult

# How many boots a kernel takes as long as: most differ from the last one in an option or two.
_KERNEL = 10
_NO_MARK = "The boot has no mark reset or usable."


class Sweep:
    """The tries so far, and the `space` that the best is sought in.

    `results` are those of the tries, by combination; `known` the costs of those that booted.
    """

    def __init__(self, plan: TunePlan) -> None:
        self.plan = plan
        self.space = plan.space
        self.known: Known = {}
        self.results: dict[Combination, TaskResult] = {}
        # In the order in which they were asked for, which is the same each time.
        self._stages: dict[Combination, Stage] = {}
        # Those of images that were built.
        self._kernels: set[Hashable] = set()

    def make(
        self,
        combinations: Iterable[Combination],
        stage: Stage,
        make: Make,
        step: TuneStep,
        later: int = 0,
    ) -> None:
        """Tries those that have not been tried, after which at most `later` more are tried.

        Raises the errors of `task.Task.run`.
        """
        new = [each for each in dict.fromkeys(combinations) if each not in self.known]
        self._stages |= dict.fromkeys(new, stage)
        # First what needs no new kernel, then what may save most: all kernels cost the same.
        # Kernels that differ least come one after the other, as far as their options' names tell.
        new.sort(
            key=lambda each: (
                self.space.kernel(each) not in self._kernels,
                -self._may_save_s(each),
                str(self.space.kernel(each)),
            )
        )
        left = set(new)
        step.expect(len(left) + later, self.work(left) + later)
        for combination, result in make({each: self.task(each) for each in new}):
            measured = self._measured(combination, result)
            if result.outcome == "booted" and measured is None:
                result = replace(result, outcome="not-booted", kind="no-mark", problem=_NO_MARK)
            if not_run := self._not_run(combination, result):
                problem = f"Init scripts that the start ran did not: {', '.join(not_run)}."
                result = replace(result, outcome="not-booted", kind="no-script", problem=problem)
                measured = None
            self.results[combination], self.known[combination] = result, measured
            if not result.final or combination not in left:
                continue
            before = self.work(left)
            left.remove(combination)
            self._kernels.add(self.space.kernel(combination))
            best = best_of(self.space, self.known)
            fastest = self.known[best] if best is not None else None
            step.ended(before - self.work(left), fastest.total_s if fastest else None)
            step.expect(len(left) + later, self.work(left) + later)

    def _may_save_s(self, combination: Combination) -> float:
        """The start's time in the phases that the combination's levels may make shorter."""
        base = self.known.get(START)
        if base is None:
            return 0.0
        shortens = [self.plan.factors[name].shortens for name, _ in combination]
        if not all(shortens):
            return base.total_s
        names = {name for each in shortens for name in each}
        return sum(seconds for name, seconds in base.phases.items() if name in names)

    def best(self) -> Combination:
        """The fastest within the limits. Raises UsageError if no combination is."""
        best = best_of(self.space, self.known)
        if best is None:
            raise UsageError(self._nothing_fits())
        return best

    def _nothing_fits(self) -> str:
        space = self.space
        limits = [
            f"--max-{name} {format_size(limit)}"
            for name, limit in (("flash", space.max_flash), ("ram", space.max_ram))
            if limit is not None
        ]
        fit = [m for c, m in self.known.items() if m is not None and allowed(space, c)]
        least = [f"{format_size(min(m.flash for m in fit))} of flash"] if fit else []
        rams = [m.ram for m in fit if m.ram is not None]
        least += [f"{format_size(min(rams))} of memory"] if rams else []
        return (
            f"No combination that was tried holds {' and '.join(limits) or 'the levels kept'}; the "
            f"least that they take is {' and '.join(least) or 'not known'}. Allow more."
        )

    def beside(self, result: TaskResult) -> tuple[Boot, ...]:
        """The start's boots that were made between those of a real board's try."""
        base = self.results.get(START)
        return base.boots[slice(*result.beside)] if base and result.beside else ()

    def _measured(self, combination: Combination, result: TaskResult) -> Cost | None:
        """The try's cost; on a real board, as if it was booted with the start's first boot.

        This subtracts the drift from one batch of tries to the next.
        """
        boot, base = result.boot, result if combination == START else self.results.get(START)
        whole = total(boot) if boot is not None else None
        if whole is None or boot is None:
            return None
        total_s = whole.duration_ns / 1e9
        if base is not None and len(base.boots) > 1:
            now = self.beside(result) if combination else base.boots
            total_s += middle_s(base.boots[:1]) - middle_s(now or base.boots)
        return Cost(
            total_s=total_s,
            phases={phase.name: phase.duration_ns / 1e9 for phase in cut_phases(boot)},
            flash=sum(result.flash.values()),
            ram=result.ram,
        )

    def work(self, combinations: Iterable[Combination]) -> int:
        """How much there is to do for combinations that were not tried, in boots."""
        untried = list(combinations)
        kernels = {self.space.kernel(each) for each in untried}
        return len(untried) + _KERNEL * len(kernels - self._kernels)

    def sizes(
        self, combinations: Iterable[Combination], make: Make, step: TuneStep, later: int
    ) -> list[dict[str, int]]:
        """Builds the images alone; the bytes of each one's parts. See `make`."""
        tasks = {each: self.task(each, boots=False) for each in combinations}
        left, found = set(tasks), []
        step.expect(later, self.work(left) + later)
        for combination, result in make(tasks):
            found.append(result.flash)
            before = self.work(left)
            left.remove(combination)
            self._kernels.add(self.space.kernel(combination))
            step.ended(before - self.work(left), None)
            step.expect(later, self.work(left) + later)
        return found

    def _not_run(self, combination: Combination, result: TaskResult) -> list[str]:
        """The init scripts of the start that did not run, where nothing says that they do not.

        Without them a boot is faster, and no better.
        """
        base = self.results.get(START)
        if base is None or not base.boot or not result.boot:
            return []
        if self.plan.skips_scripts(combination):
            return []
        ran = {step.title for step in cut_userspace(result.boot)}
        return [step.title for step in cut_userspace(base.boot) if step.title not in ran]

    def task(self, combination: Combination, boots: bool = True) -> Task:
        """The task of a combination."""
        title = in_words(dict(sorted(combination)))
        levels = {**self.plan.start.levels, **dict(combination)}
        return Task(self.plan.board_name, levels, title, boots, bool(combination))

    def recorded(self) -> tuple[list[Try], list[Boot], dict[Combination, int]]:
        """The tries, the boots of those that booted, and each combination's place among them."""
        tries = list(self.plan.refused)
        boots: list[Boot] = []
        places: dict[Combination, int] = {}
        for combination, stage in self._stages.items():
            result = self.results.get(combination)
            # ^C may have come before it ended.
            if result is None:
                continue
            booted = result.outcome == "booted"
            places[combination] = len(tries)
            tries.append(
                Try(
                    levels=dict(sorted(combination)),
                    stage=stage if combination else "start",
                    outcome=result.outcome,
                    problem=result.problem,
                    kind=result.kind,
                    boot=len(boots) if booted else None,
                    boots=len(result.boots) if booted else 1,
                    beside=result.beside if booted else None,
                    flash=result.flash,
                    ram=result.ram,
                    loses=self.plan.loses(combination),
                    excluded_because=self._excluded_because(combination),
                )
            )
            boots += result.boots if booted else ()
        return tries, boots, places

    def _excluded_because(self, combination: Combination) -> str:
        measured, found = self.known[combination], self.plan.excluded_because(combination)
        if measured is None or not self.space.excess(measured.flash, measured.ram):
            return found
        return f"{found}, beyond the limits" if found else "beyond the limits"
