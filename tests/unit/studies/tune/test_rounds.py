# SPDX-License-Identifier: Apache-2.0
"""Tries of a real board that is a double: rounds, what is enough, what ends them, what is kept."""

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event

import pytest

from perfboard.analysis.boot.phases import total
from perfboard.analysis.tune.combinations import START, Combination
from perfboard.bench.lab import Lab
from perfboard.images.image import Image
from perfboard.images.variant import Variant
from perfboard.instruments.base import Instrument
from perfboard.model.errors import EnvironmentLacksError, TargetError, UsageError
from perfboard.model.progress import SilentProgress
from perfboard.model.results.boot import Boot
from perfboard.studies.tune.options import TuneOptions
from perfboard.studies.tune.progress import TuneStep
from perfboard.studies.tune.rounds import BootRounds
from perfboard.studies.tune.sweep import Sweep
from perfboard.studies.tune.task import Task, TaskResult
from perfboard.targets.serial.boot import SerialBoard
from tests.support.replay import Replay
from tests.support.runs import make_boot
from tests.support.tunes import at_once, keep_but, plan_of

MS = 1_000_000
QUIET: Combination = frozenset({("console", "quiet")})
LZ4: Combination = frozenset({("compression", "lz4")})
TASKS = {
    START: Task("verdex", {}, "start", changes=False),
    QUIET: Task("verdex", {"console": "quiet"}, "console=quiet"),
    LZ4: Task("verdex", {"compression": "lz4"}, "compression=lz4"),
}
KEEP = keep_but("console", "compression")
LINE = "serial:///dev/ttyUSB0"
REAL = TuneOptions("verdex", usable="login:", write=("./flash.sh", "-v"), reset=("true",), boots=12)


def name_of(levels: Mapping[str, str]) -> str:
    """What the image is called: copy=words is the start by another name."""
    return "-".join(level for level in levels.values() if level in ("quiet", "lz4")) or "start"


class Board(SerialBoard):
    """Notes what is written; boots as `takes` says of it, or raises that."""

    def __init__(self, takes: Callable[[str], int | Exception]) -> None:
        self._takes = takes
        self.written: list[str] = []
        self.facts = {}

    def write(self, program: Sequence[str], files: Sequence[Path], arguments: str) -> None:
        assert program == REAL.write
        (file,) = files
        self.written.append(file.name)

    def console(self) -> Instrument:
        return Replay()

    def boot(
        self,
        instruments: Sequence[Instrument],
        artifacts: Path,
        seen: Callable[[str], None],
        cancelled: Event,
    ) -> Boot:
        seen("a line")
        took = self._takes(self.written[-1])
        if isinstance(took, Exception):
            raise took
        (artifacts / "console.log").write_bytes(b"said")
        # What is saved at the end would leave scripts out.
        return make_boot({"kernel.sched_init" if took < 0 else "usable": took})


def image(name: str, content: str) -> Image:
    """An image whose one file has that name."""
    bank = Path(name)
    return Image((bank,), bank, {}, {}, (), hashes={"bank": content}, packages={})


def rounds(
    board: Board,
    purpose: str = "try",
    build: Callable[[Task], TaskResult] | None = None,
    content_of: Callable[[str], str] = str,
) -> BootRounds:
    def built(task: Task) -> TaskResult:
        assert not task.boots
        return TaskResult("booted", flash={"kernel": 1}, hashes={"bank": name_of(task.levels)})

    def built_again(variant: Variant, progress: object) -> Image:
        name = name_of(variant.levels)
        return image(name, content_of(name))

    lab = Lab(build=built_again)
    return BootRounds(board, LINE, REAL, lab, at_once(build or built), lambda *said: None, purpose)


def made(of: BootRounds, *combinations: Combination) -> dict[Combination, TaskResult]:
    """The last that came of each."""
    return dict(of.make({each: TASKS[each] for each in combinations}))


def test_all_are_booted_in_turn_and_no_more_than_is_enough() -> None:
    board = Board(lambda name: 0)
    of = rounds(board)
    found = made(of, START)
    assert len(found[START].boots) == 1
    found = made(of, QUIET, LZ4)
    assert board.written == ["start", *["start", "quiet", "lz4"] * 5]
    # The start, which is beside all of them, has come again.
    assert {each: len(one.boots) for each, one in found.items()} == {START: 6, QUIET: 5, LZ4: 5}
    assert found[LZ4].console == b"said"


def test_what_varies_is_booted_more_often_but_not_for_ever() -> None:
    noise = random.Random(1)
    board = Board(lambda name: noise.randrange(400) * MS if name == "quiet" else 0)
    of = rounds(board)
    made(of, START)
    found = made(of, QUIET, LZ4)
    assert len(found[QUIET].boots) == REAL.boots
    assert len(found[LZ4].boots) == 5
    assert board.written[-2:] == ["start", "quiet"]


def test_what_boots_only_now_and_then_does_not_boot() -> None:
    boots: Iterator[int | Exception] = iter(
        [0, 0, TargetError("panic", "The kernel panicked: oops")]
    )
    board = Board(lambda name: next(boots) if name == "quiet" else 0)
    of = rounds(board)
    made(of, START)
    found = made(of, QUIET)
    assert (found[QUIET].outcome, found[QUIET].kind) == ("not-booted", "panic")
    assert found[QUIET].problem == "It booted 2 times, and then: The kernel panicked: oops"
    assert found[QUIET].boots == ()


def test_a_try_has_ended_with_its_last_boot() -> None:
    """Before that it is none of those by whose speed the time left is told."""
    of = rounds(Board(lambda name: 0))
    made(of, START)
    found = [each for name, each in of.make({QUIET: TASKS[QUIET]}) if name == QUIET]
    assert [each.final for each in found] == [False] * 4 + [True]


def test_drift_from_batch_to_batch_is_no_saving() -> None:
    """Each boot takes 20 ms longer than the one before it; the console's silence saves 5 ms."""
    boots = itertools.count()
    board = Board(lambda name: (20 * next(boots) - 5 * (name == "quiet")) * MS)
    of, sweep = rounds(board), Sweep(plan_of(keep=KEEP))
    with SilentProgress().step("", 1) as step:
        for batch in ([START], [LZ4], [QUIET]):
            sweep.make(batch, "alone", of.make, TuneStep(step))
    base, quiet, lz4 = (sweep.known[each] for each in (START, QUIET, LZ4))
    assert base and quiet and lz4
    # Within a round a boot is one place later than the start's.
    assert lz4.total_s - base.total_s == pytest.approx(0.020)
    assert quiet.total_s - base.total_s == pytest.approx(0.015)


def test_the_same_image_by_another_name_takes_as_long() -> None:
    noise = random.Random(2)
    board = Board(lambda name: noise.randrange(10) * MS)
    of = rounds(board)
    base = made(of, START)[START]
    words: Combination = frozenset({("copy", "words")})
    found = dict(of.make({words: Task("verdex", {"copy": "words"}, "copy=words")}))
    assert found[words].boots == base.boots
    assert board.written == ["start"]


def test_the_same_image_by_another_name_fails_likewise() -> None:
    of = rounds(Board(lambda name: TargetError("panic", "oops") if name == "quiet" else 0))
    made(of, START, QUIET)
    words: Combination = QUIET | {("copy", "words")}
    task = Task("verdex", {"console": "quiet", "copy": "words"}, "console=quiet copy=words")
    assert dict(of.make({words: task}))[words].kind == "panic"


def test_an_image_that_is_not_what_it_was_ends_it() -> None:
    of = rounds(Board(lambda name: 0), content_of=lambda name: "another")
    with pytest.raises(UsageError, match="The image of start is not what it was"):
        made(of, START)


def test_an_image_that_cannot_be_written_is_none_but_two_in_a_row_end_it() -> None:
    class Small(Board):
        def write(self, program: Sequence[str], files: Sequence[Path], arguments: str) -> None:
            super().write(program, files, arguments)
            if files[0].name != "start":
                raise EnvironmentLacksError("--write ./flash.sh: failed (1). no room")

    of = rounds(Small(lambda name: 0))
    made(of, START)
    found = made(of, QUIET)
    assert (found[QUIET].outcome, found[QUIET].kind) == ("not-booted", "not-written")
    assert "no room" in found[QUIET].problem
    with pytest.raises(EnvironmentLacksError, match="no room"):
        made(rounds(Small(lambda name: 0), "proof"), START, LZ4, QUIET)


def test_what_failed_before_an_interruption_has_failed_after_it() -> None:
    fails = Board(lambda name: TargetError("panic", "oops") if name == "quiet" else 0)
    first = rounds(fails)
    made(first, START)
    assert made(first, QUIET)[QUIET].kind == "panic"
    again = rounds(Board(lambda name: 0))
    made(again, START)
    assert made(again, QUIET)[QUIET].kind == "panic"


def test_what_is_not_built_is_not_written() -> None:
    board = Board(lambda name: 0)
    of = rounds(board, build=lambda task: TaskResult("not-built", "too large", "usage"))
    assert made(of, START)[START].problem == "too large"
    assert board.written == []


@pytest.mark.parametrize("kind", ["lost", "hang"])
def test_a_line_that_is_lost_and_a_start_that_boots_no_more_end_it(kind: str) -> None:
    """The line's end is no fault of the level's; a hang of the start ends all comparing."""
    failing = "quiet" if kind == "lost" else "start"
    later: list[str] = []
    board = Board(
        lambda name: TargetError(kind, "gone") if later and name == failing else 0,
    )
    of = rounds(board)
    made(of, START)
    later.append("now")
    with pytest.raises(TargetError, match="gone") as caught:
        made(of, QUIET)
    assert caught.value.kind == kind


def test_an_interrupted_tune_goes_on_with_its_boots_and_one_that_ended_does_not() -> None:
    count = iter([0] * 7)

    def takes(name: str) -> int | Exception:
        try:
            return next(count)
        except StopIteration:
            raise KeyboardInterrupt from None

    first = rounds(Board(takes))
    made(first, START)
    with pytest.raises(KeyboardInterrupt):
        made(first, QUIET)
    board = Board(lambda name: 0)
    again = rounds(board)
    made(again, START)
    found = made(again, QUIET)
    # The start's first and three more, and three of quiet's.
    assert again.kept == 7
    assert len(board.written) == 1 + 2 * 5 - 7
    assert len(found[QUIET].boots) == 5
    # What the proof is by was not booted before.
    assert rounds(board, "proof").kept == 0
    again.forget()
    anew = rounds(board)
    made(anew, START)
    assert anew.kept == 0


def test_the_best_is_the_boot_in_the_middle() -> None:
    boots = tuple(make_boot({"usable": late * MS}) for late in (50, 10, 90, 30))
    middle = TaskResult("booted", boots=boots).boot
    assert middle == boots[3]
    whole = total(boots[3])
    assert whole is not None
