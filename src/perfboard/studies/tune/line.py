# SPDX-License-Identifier: Apache-2.0
"""A tune's real board: at a console, written by a program of this machine."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf

from perfboard.analysis.boot.metrics import metrics_of
from perfboard.analysis.tune.combinations import (
    BASELINE,
    PROOF_LABELS,
    Combination,
    allowed,
    saving_interval,
)
from perfboard.bench.boot.line import summary_of
from perfboard.bench.lab import Lab
from perfboard.bench.request import Request
from perfboard.instruments.serial_console import SerialConsole
from perfboard.model.errors import INCONCLUSIVE
from perfboard.model.results.boot import Boot
from perfboard.model.results.tune import in_words
from perfboard.model.run import BoardSummary, RunError
from perfboard.store.folder import RunFolder
from perfboard.studies.tune.bench import Proof
from perfboard.studies.tune.options import TuneOptions
from perfboard.studies.tune.pool import Make, Note, as_they_end, local_workers
from perfboard.studies.tune.progress import TuneStep
from perfboard.studies.tune.rounds import BootRounds
from perfboard.studies.tune.sweep import Sweep
from perfboard.studies.tune.task import TaskResult
from perfboard.targets.serial.boot import SerialBoard
from perfboard.targets.wired import open_wired


class LineBench:
    """See `bench.Bench`."""

    def __init__(self, request: Request, options: TuneOptions, lab: Lab) -> None:
        """Raises UsageError for a target that is no line, and EnvironmentLacksError without one."""
        # A wrong target is refused before there is a run.
        with open_wired(request.target, lab.progress) as self._wired:
            self.evidence = self._wired.line.evidence
        self._request, self._options, self._lab = request, options, lab
        self._facts: dict[str, str] = {}
        self._rounds: list[BootRounds] = []
        self.name = request.place
        self.target = request.target
        self.tools = self._wired.tools

    @contextmanager
    def making(self, note: Note) -> Iterator[Make]:
        with self._on_line(note, "try") as rounds:
            yield rounds.make

    def prove(self, sweep: Sweep, folder: RunFolder) -> Proof:
        """See `bench.Bench`. The baseline is booted between the best's boots.

        So the saving is measured by other boots than those that chose the best.
        """
        while True:
            best = sweep.best()
            last = self._boot_again(sweep, (BASELINE, best))
            if last[best].outcome == "booted":
                break
            # A combination that does not boot each time is of no use: take the next one.
            sweep.results[best], sweep.known[best] = last[best], None
        folder.write_artifact("boot-1/console.log", last[best].console)
        before, after = last[BASELINE].boots, last[best].boots
        if best == BASELINE:
            proof = Proof(after, undecided(sweep))
        else:
            metrics = (
                metric.model_copy(update={"labels": PROOF_LABELS}) for metric in metrics_of(before)
            )
            words = (_proved(before, after),)
            proof = Proof(after, inconclusive(before, after), tuple(metrics), words)
        # More boots may decide what these do not.
        if not proof.errors:
            for rounds in self._rounds:
                rounds.forget()
        return proof

    def _boot_again(
        self, sweep: Sweep, combinations: Sequence[Combination]
    ) -> dict[Combination, TaskResult]:
        """New boots of combinations that were tried."""
        tries = {
            each: (sweep.task(each), replace(sweep.results[each], boots=(), beside=None))
            for each in dict.fromkeys(combinations)
        }
        with (
            self._lab.progress.step("proving the best", inf) as step,
            self._on_line(TuneStep(step, self._lab.clock).note, "proof") as rounds,
        ):
            return dict(rounds.again(tries, self._options.boots))

    def summary(self) -> BoardSummary:
        return summary_of(self._request, self._facts, self._wired)

    def notes(self) -> tuple[str, ...]:
        kept = sum(rounds.kept for rounds in self._rounds)
        before = (
            (f"{kept} boots are of a tune before, which ended without a result.",) if kept else ()
        )
        return (SerialConsole.effect, *self._wired.notes, *before)

    @contextmanager
    def _on_line(self, note: Note, purpose: str) -> Iterator[BootRounds]:
        options = self._options
        with (
            open_wired(self.target, self._lab.progress) as wired,
            local_workers(self._lab, note) as submit,
        ):
            board = SerialBoard(
                wired.line,
                options.usable,
                options.reset,
                switch=wired.switch,
                silent_s=options.silence,
                boot_s=options.timeout,
            )
            rounds = BootRounds(
                board, self.target, options, self._lab, as_they_end(submit), note, purpose
            )
            self._rounds.append(rounds)
            try:
                yield rounds
            finally:
                self._facts |= board.facts


def _proved(before: Sequence[Boot], after: Sequence[Boot]) -> str:
    """The best's saving, in words."""
    saved = saving_interval(before, after)
    between = f": between {saved.low:.3f} and {saved.high:.3f} s less in the mean" if saved else ""
    return (
        f"The proof is {len(after)} boots of the best and, between them, {len(before)} of the "
        f"baseline{between}."
    )


def undecided(sweep: Sweep) -> tuple[RunError, ...]:
    """The error of a sweep in which something may be faster than the baseline, and is not known."""
    space, base = sweep.space, sweep.known[BASELINE]
    found = []
    for combination, result in sweep.results.items():
        if not combination or not sweep.known[combination] or not allowed(space, combination):
            continue
        saved = saving_interval(sweep.beside(result), result.boots)
        if base and saved and saved.high > space.resolution * base.total_s:
            found.append(in_words(dict(sorted(combination))))
    if not found:
        return ()
    message = (
        f"These boots do not show whether {', '.join(found[:3])}"
        f"{' and others' if found[3:] else ''} saves anything; give more with --boots."
    )
    return (RunError(kind=INCONCLUSIVE, message=message),)


def inconclusive(before: Sequence[Boot], after: Sequence[Boot]) -> tuple[RunError, ...]:
    """The error of a best that is not known to be faster than the baseline."""
    saved = saving_interval(before, after)
    if saved is not None and saved.low > 0:
        return ()
    between = "" if saved is None else f", between {saved.low:.3f} and {saved.high:.3f} s"
    message = (
        f"The best's saving may be nothing{between} (boot.total, {len(after)} boots, {len(before)} "
        "of the baseline); give more boots with --boots."
    )
    return (RunError(kind=INCONCLUSIVE, message=message),)
