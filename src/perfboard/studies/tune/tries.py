# SPDX-License-Identifier: Apache-2.0
"""How a tune's combinations are tried, and the best proved: by one boot each, or in rounds."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf

from perfboard.analysis.tune.combinations import START
from perfboard.bench.base import Bench
from perfboard.bench.lab import Lab
from perfboard.bench.workers.distributed import software
from perfboard.bench.workers.local import local_workers
from perfboard.bench.workers.opening import open_workers
from perfboard.bench.workers.work import Note
from perfboard.instruments.serial_console import SerialConsole
from perfboard.store.making import RunFolder
from perfboard.studies.tune.flash import flash_bandwidths
from perfboard.studies.tune.kept import KeptTries
from perfboard.studies.tune.making import Make, as_they_end
from perfboard.studies.tune.options import TuneOptions
from perfboard.studies.tune.progress import TuneStep
from perfboard.studies.tune.proof import Proof, proved_in_rounds, proved_once
from perfboard.studies.tune.rounds import BootRounds
from perfboard.studies.tune.sweep import Sweep


class ExactTries:
    """The tries of a board that repeats exactly: one boot each, by as many workers as there are."""

    def __init__(self, sweep: Sweep, bench: Bench, options: TuneOptions, lab: Lab) -> None:
        self._sweep, self._bench, self._options, self._lab = sweep, bench, options, lab

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the reader of the results."""
        return self._bench.notes

    @contextmanager
    def making(self, note: Note) -> Iterator[Make]:
        """A function that makes them; `note` gets, from any thread, the work at hand."""
        scheduler, emulator = self._options.scheduler, self._sweep.plan.board.machine.emulator

        def keeper() -> KeptTries:
            return KeptTries(software(emulator))

        with open_workers(scheduler, self._lab, note, keeper) as submit:
            yield as_they_end(submit)

    def prove(self, folder: RunFolder) -> Proof:
        """Boots the best once more, whatever boot of it was kept; its artifacts go to `boot-1`.

        Raises as a try does that ends the tune.
        """
        sweep, lab = self._sweep, self._lab
        with lab.progress.step("proving the best", inf):
            (boot,) = self._bench.boots(dict(sweep.best()), 1)
        metrics, problems = flash_bandwidths(sweep.plan, lab)
        return replace(proved_once(sweep, boot), metrics=tuple(metrics), notes=tuple(problems))


class RoundTries:
    """The tries of a board whose boots vary: each image written and booted, in rounds."""

    def __init__(self, sweep: Sweep, bench: Bench, options: TuneOptions, lab: Lab) -> None:
        """Raises UsageError for a wrong target, and EnvironmentLacksError without one."""
        self._sweep, self._bench, self._options, self._lab = sweep, bench, options, lab
        self._rounds: list[BootRounds] = []
        # A wrong target is refused before there is a run.
        bench.prepare((), boots=True)

    @property
    def notes(self) -> tuple[str, ...]:
        """See `ExactTries`."""
        kept = sum(rounds.kept for rounds in self._rounds)
        before = (
            (f"{kept} boots are of a tune before, which ended without a result.",) if kept else ()
        )
        return (SerialConsole.effect, *self._bench.notes, *before)

    @contextmanager
    def making(self, note: Note) -> Iterator[Make]:
        """See `ExactTries`."""
        with self._on_line(note, "try") as rounds:
            yield rounds.make

    def prove(self, folder: RunFolder) -> Proof:
        """See `ExactTries`. The start is booted between the best's boots.

        So the saving is measured by other boots than those that chose the best.
        """
        sweep = self._sweep
        while True:
            best = sweep.best()
            tries = {
                each: (sweep.task(each), replace(sweep.results[each], boots=(), beside=None))
                for each in dict.fromkeys((START, best))
            }
            with (
                self._lab.progress.step("proving the best", inf) as step,
                self._on_line(TuneStep(step, self._lab.clock).note, "proof") as rounds,
            ):
                last = dict(rounds.again(tries, self._options.boots))
            if last[best].outcome == "booted":
                break
            # A combination that does not boot each time is of no use: take the next one.
            sweep.results[best], sweep.known[best] = last[best], None
        folder.write_artifact("boot-1/console.log", last[best].console)
        proof = proved_in_rounds(sweep, last[START].boots, last[best].boots)
        # More boots may decide what these do not.
        if not proof.errors:
            for rounds in self._rounds:
                rounds.forget()
        return proof

    @contextmanager
    def _on_line(self, note: Note, purpose: str) -> Iterator[BootRounds]:
        options, lab, target = self._options, self._lab, self._bench.subject().target
        with self._bench.line() as board, local_workers(lab, note) as submit:
            build = as_they_end(submit)
            rounds = BootRounds(board, target, options, lab, build, note, purpose)
            self._rounds.append(rounds)
            yield rounds
