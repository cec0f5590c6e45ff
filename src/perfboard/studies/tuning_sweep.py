# SPDX-License-Identifier: Apache-2.0
"""The tries of one tune: each combination made once, in the background, and recorded."""

from collections.abc import Iterable
from concurrent.futures import Future, as_completed

from perfboard.analysis.phases import cut_phases, total
from perfboard.analysis.tuning import Combination, Known, Measured, best_of
from perfboard.model.progress import Step
from perfboard.model.run import Boot
from perfboard.model.tuning import Stage, Try
from perfboard.model.units import format_value
from perfboard.studies.tuning_boot import Attempt, Task
from perfboard.studies.tuning_plan import Plan
from perfboard.studies.tuning_pool import Submit


class Sweep:
    """What was tried so far, and the `space` that the best is sought in.

    `places` is where a combination stands among `tries`.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.space = plan.space
        self.known: Known = {}
        self.tries: list[Try] = list(plan.refused)
        self.boots: list[Boot] = []
        self.attempts: dict[Combination, Attempt] = {}
        self.places: dict[Combination, int] = {}

    def make(
        self, combinations: Iterable[Combination], stage: Stage, submit: Submit, step: Step
    ) -> None:
        """Tries those that have not been tried. Raises what `tuning_boot.attempt` does."""
        pending: dict[Future[Attempt], Combination] = {
            submit(Task(self.plan.board_name, self.plan.levels(each))): each
            for each in combinations
            if each not in self.known
        }
        for done, future in enumerate(as_completed(pending), 1):
            self._keep(pending[future], stage, future.result())
            step.update(done, self.note(pending[future]))

    def sizes(
        self, combinations: Iterable[Combination], submit: Submit, step: Step
    ) -> list[dict[str, int]]:
        """Builds the images alone; the bytes of each one's parts."""
        pending = [
            submit(Task(self.plan.board_name, self.plan.levels(each), boots=False))
            for each in combinations
        ]
        found = []
        for done, future in enumerate(as_completed(pending), 1):
            found.append(future.result().flash)
            step.update(done)
        return found

    def note(self, combination: Combination) -> str:
        """The best so far, and what was tried last."""
        best = best_of(self.space, self.known)
        measured = self.known[best] if best is not None else None
        words = f"best {format_value(measured.total_s, 's')}, " if measured else ""
        return words + named(combination)

    def _keep(self, combination: Combination, stage: Stage, made: Attempt) -> None:
        measured = None
        outcome, problem = made.outcome, made.problem
        if made.boot is not None:
            whole = total(made.boot)
            if whole is None:
                outcome, problem = "not-booted", "The boot has no mark reset or usable."
            else:
                measured = Measured(
                    total_s=whole.duration_ns / 1e9,
                    phases={p.name: p.duration_ns / 1e9 for p in cut_phases(made.boot)},
                    flash=sum(made.flash.values()),
                    ram=made.ram,
                )
        self.places[combination] = len(self.tries)
        self.tries.append(
            Try(
                levels=dict(sorted(combination)),
                stage="baseline" if not combination else stage,
                outcome=outcome,
                problem=problem,
                boot=len(self.boots) if measured else None,
                flash=made.flash,
                ram=made.ram,
                loses=self.plan.loses(combination),
            )
        )
        if measured and made.boot:
            self.boots.append(made.boot)
        self.attempts[combination] = made
        self.known[combination] = measured


def named(combination: Combination) -> str:
    """The combination in words."""
    return " ".join(f"{factor}={level}" for factor, level in sorted(combination)) or "baseline"
