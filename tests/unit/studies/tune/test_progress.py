# SPDX-License-Identifier: Apache-2.0
"""What a tune shows while it runs: the best, the time left, and what is being tried."""

from perfboard.analysis.tune.combinations import START
from perfboard.model.results.boot import Boot
from perfboard.studies.tune.progress import TuneStep
from perfboard.studies.tune.sweep import Sweep
from perfboard.studies.tune.task import Task, TaskResult
from tests.support.runs import make_boot
from tests.support.tunes import at_once, plan_of


class _Shown:
    """A step and a clock; `lines` is what it was told last."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.lines = ["", ""]
        self.step = TuneStep(self, lambda: self.now)

    def update(self, done: float, note: str = "") -> None:
        self.lines = note.split("\n")


def test_the_time_left_is_that_of_all_tries_at_the_speed_of_late() -> None:
    shown = _Shown()
    shown.step.expect(tries=60, work=70)
    assert shown.lines[0] == "at most 60 tries"
    shown.now += 30
    shown.step.ended(work=10, best_s=1.25)
    shown.step.expect(tries=59, work=60)
    assert shown.lines[0] == "best 1.250 s, at most 59 tries, 3 min left"
    # It is slower than it was for as long as nothing ends.
    shown.now += 30
    shown.step.note("console=quiet", "booting")
    assert shown.lines[0].endswith("6 min left")
    shown.step.expect(tries=59, work=6_000)
    assert shown.lines[0].endswith("10.0 h left")


def test_tries_from_the_cache_at_first_are_forgotten() -> None:
    shown = _Shown()
    for _ in range(50):
        shown.step.ended(work=1, best_s=1.0)
    for _ in range(20):
        shown.now += 60
        shown.step.ended(work=1, best_s=1.0)
    shown.step.expect(tries=10, work=10)
    assert shown.lines[0].endswith("10 min left")


def test_the_best_stays_beside_what_changes() -> None:
    shown = _Shown()
    shown.step.ended(work=1, best_s=0.865)
    for share in ("10%", "20%"):
        shown.step.note("kernel=xip", f"building the kernel {share}")
        assert shown.lines == ["best 865.0 ms", f"kernel=xip: building the kernel {share}"]
    shown.step.note("console=quiet", "booting")
    assert shown.lines[1] == "kernel=xip: building the kernel 20%; console=quiet: booting"
    shown.step.note("flash=cached", "booting")
    assert shown.lines[1] == (
        "kernel=xip: building the kernel 20%; console=quiet: booting; and 1 more"
    )
    for levels in ("console=quiet", "flash=cached", "kernel=xip"):
        shown.step.note(levels, "")
    assert shown.lines == ["best 865.0 ms", ""]


def _booted(task: Task) -> TaskResult:
    """It takes 100 ms less with the console quiet."""
    quiet = task.levels["console"] == "quiet"
    boot: Boot = make_boot({"kernel.sched_init": -100_000_000} if quiet else {})
    return TaskResult("booted", boots=(boot,), flash={"kernel": 1})


def test_a_sweep_tells_the_best_and_the_most_tries_that_are_left() -> None:
    shown, sweep = _Shown(), Sweep(plan_of())
    quiet, cached = (frozenset({pair}) for pair in (("console", "quiet"), ("flash", "cached")))
    sweep.make([START], "alone", at_once(_booted), shown.step, later=12)
    assert shown.lines[0] == "best 1.543 s, at most 12 tries, 0 s left"
    sweep.make([START, quiet, cached], "alone", at_once(_booted), shown.step, later=10)
    assert shown.lines[0] == "best 1.443 s, at most 10 tries, 0 s left"
