# SPDX-License-Identifier: Apache-2.0
"""The proof of the best on a real board, and what it does not tell from nothing."""

import random
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from perfboard.analysis.tune.combinations import START, best_of
from perfboard.bench.lab import Lab
from perfboard.host.cache.cache import cache_root
from perfboard.instruments.serial_console import SerialConsole
from perfboard.model.errors import INCONCLUSIVE, TargetError
from perfboard.model.progress import SilentProgress
from perfboard.model.run import Evidence
from perfboard.store.making import new_run
from perfboard.store.recording import Subject
from perfboard.studies.tune.progress import TuneStep
from perfboard.studies.tune.proof import Proof, inconclusive
from perfboard.studies.tune.sweep import Sweep
from perfboard.studies.tune.tries import RoundTries
from perfboard.targets.serial.boot import SerialBoard
from tests.support.measures import FakeBench
from tests.support.runs import make_boot, make_run
from tests.support.tunes import plan_of

from .test_rounds import KEEP, LINE, LZ4, MS, QUIET, REAL, Board, image, name_of


def test_a_saving_that_may_be_none_is_inconclusive() -> None:
    before = [make_boot({"usable": late * MS}) for late in (0, 30, 10, 20, 40)]
    same = [make_boot({"usable": late * MS}) for late in (5, 25, 10, 15, 38)]
    faster = [make_boot({"usable": -400 * MS + late * MS}) for late in (5, 25, 10, 15, 38)]
    (error,) = inconclusive(before, same)
    assert error.kind == INCONCLUSIVE
    assert "may be nothing, between -0.0" in error.message
    assert inconclusive(before, faster) == ()
    (error,) = inconclusive(before[:1], faster[:1])
    assert "1 boots" in error.message


class Bench(FakeBench):
    """Its line is a double."""

    notes = ("It is a double.",)

    def __init__(self, board: Board) -> None:
        super().__init__(lambda job: "")
        self._board = board

    def line(self) -> AbstractContextManager[SerialBoard]:
        return nullcontext(self._board)

    def subject(self) -> Subject:
        return Subject(make_run().board, LINE, Evidence.SILICON)


def proved(
    takes: Callable[[str, bool], int | Exception],
) -> tuple[Sweep, Proof, list[Path], tuple[str, ...]]:
    """A tune of two levels: the sweep, its proof, the boots that are kept, and the notes."""
    proving: list[str] = []
    bench = Bench(Board(lambda name: takes(name, bool(proving))))
    sweep = Sweep(plan_of(keep=KEEP))
    lab = Lab(build=lambda variant, _: image(name := name_of(variant.levels), name))
    tries = RoundTries(sweep, bench, REAL, lab)
    with SilentProgress().step("", 1) as step, tries.making(lambda *said: None) as make:
        for batch in ([START], [LZ4, QUIET]):
            sweep.make(batch, "alone", make, TuneStep(step))
    proving.append("now")
    proof = tries.prove(new_run("tune-boot", "board"))
    return sweep, proof, [*cache_root().glob("line-boot/*")], tries.notes


def test_the_best_is_proved_and_its_boots_are_forgotten() -> None:
    sweep, proof, kept, notes = proved(lambda name, proving: -400 * MS * (name == "quiet"))
    assert best_of(sweep.space, sweep.known) == QUIET
    assert (len(proof.boots), proof.errors, kept) == (5, (), [])
    assert "between 0.400 and 0.400 s less" in proof.notes[0]
    assert notes == (SerialConsole.effect, "It is a double.")
    (total_of_start,) = (m for m in proof.metrics if m.name == "boot.total")
    assert len(total_of_start.samples) == 5


def test_a_best_that_fails_in_its_proof_is_left_for_the_next() -> None:
    def takes(name: str, proving: bool) -> int | Exception:
        if name == "quiet":
            return TargetError("panic", "oops") if proving else -400 * MS
        return -200 * MS * (name == "lz4")

    sweep, proof, _, _ = proved(takes)
    assert best_of(sweep.space, sweep.known) == LZ4
    assert sweep.results[QUIET].kind == "panic"
    assert (len(proof.boots), proof.errors) == (5, ())


def test_what_is_not_told_from_the_start_is_inconclusive_and_its_boots_are_kept() -> None:
    noise = random.Random(3)
    _, proof, kept, _ = proved(lambda name, proving: noise.randrange(300) * MS)
    (error,) = proof.errors
    assert error.kind == INCONCLUSIVE and "give more boots with --boots" in error.message
    assert len(kept) > 20
