# SPDX-License-Identifier: Apache-2.0
"""Clocks that are joined: the truth lies within the stated errors as often as it should."""

import random
import statistics

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from perfboard.analysis.timeline.interval import half_width
from perfboard.analysis.timeline.join import join
from perfboard.analysis.timeline.source import SourceMarks
from perfboard.model.results.timeline import Sighting

S = 10**9
TRUTH = {
    "reset": 0,
    "bootloader.main": 7 * S // 10,
    "boot.command": 27 * S // 10,
    "kernel.entry": 29 * S // 10,
    "kernel.sched_init": 31 * S // 10,
    "kernel.prepare_namespace": 37 * S // 10,
    "init.exec": 39 * S // 10,
    "usable": 52 * S // 10,
}


def seen(
    name: str,
    marks: str,
    within_ns: int,
    chance: random.Random,
    *,
    ppm: float,
    bound: float = 100,
    began: int | None = None,
) -> SourceMarks:
    """A clock that began at any time, gains `ppm`, and errs as much as it says."""
    began = chance.randrange(10**15) if began is None else began
    return SourceMarks(
        name,
        tuple(
            Sighting(
                name=mark,
                t_ns=began
                + round(TRUTH[mark] * (1 + ppm / 1e6) + chance.uniform(-within_ns, within_ns)),
                precision_ns=within_ns,
            )
            for mark in marks.split()
        ),
        bound,
    )


@pytest.mark.parametrize(
    ("log", "trace", "most_ns"),
    [
        (
            "bootloader.main boot.command kernel.entry usable",
            "kernel.entry init.exec usable",
            100e3,
        ),
        ("bootloader.main boot.command usable", "kernel.entry kernel.sched_init init.exec", 1e9),
    ],
    ids=["two common marks", "one common mark"],
)
def test_the_truth_is_inside_in_90_to_99_of_100(log: str, trace: str, most_ns: float) -> None:
    errors: list[tuple[float, float]] = []
    for seed in range(300):
        chance = random.Random(seed)
        ppms = [chance.uniform(-100, 100) for _ in range(3)]
        capture = seen("capture", "reset kernel.entry usable", 500, chance, ppm=ppms[0], began=0)
        joined = join(
            [
                seen("log", log, 100_000, chance, ppm=ppms[1]),
                capture,
                seen("trace", trace, 1000, chance, ppm=ppms[2]),
            ]
        )
        assert joined.reference == "capture"
        for mark in joined.marks:
            true_ns = TRUTH[mark.name] * (1 + ppms[0] / 1e6)
            errors.append((abs(mark.t_ns - true_ns), mark.error_ns))
    assert 0.90 <= sum(error <= stated for error, stated in errors) / len(errors) <= 0.99
    assert statistics.median(error / stated for error, stated in errors) >= 1 / 3
    assert statistics.median(error for error, _ in errors) < most_ns


def test_one_common_mark_errs_more_with_the_distance() -> None:
    chance = random.Random(1)
    first = seen("first", "reset usable", 10, chance, ppm=0)
    second = seen("second", "reset init.exec boot.command", 10, chance, ppm=0)
    errors = {mark.name: mark.error_ns for mark in join([first, second]).marks}
    # 1.96 of the deviation of two clocks within 100 ppm each: 160 ppm of the distance.
    assert errors["init.exec"] == pytest.approx(160e-6 * 3.9e9, rel=0.01)
    assert errors["boot.command"] == pytest.approx(160e-6 * 2.7e9, rel=0.01)
    slewed = SourceMarks(second.name, second.marks, 500)
    wider = {mark.name: mark.error_ns for mark in join([first, slewed]).marks}
    assert wider["init.exec"] == pytest.approx(577e-6 * 3.9e9, rel=0.01)


@given(st.floats(-100, 100), st.floats(-100, 100), st.integers(0, 1000))
def test_drift_is_found_to_its_error(first: float, second: float, seed: int) -> None:
    chance = random.Random(seed)
    marks = "reset boot.command usable"
    joined = join(
        [seen("a", marks, 10, chance, ppm=first), seen("b", marks, 11, chance, ppm=second)]
    )
    fit = joined.clocks[1].fit
    assert fit is not None
    gains = (1 + second / 1e6) / (1 + first / 1e6) - 1
    assert fit.drift_ppm == pytest.approx(gains * 1e6, abs=3 * fit.drift_error_ppm + 0.03)


def test_a_rough_clock_beside_an_exact_one() -> None:
    exact = SourceMarks("exact", (Sighting(name="reset", t_ns=0, precision_ns=0),))
    rough = SourceMarks("rough", (Sighting(name="reset", t_ns=7, precision_ns=S),))
    fit = join([exact, rough]).clocks[1].fit
    assert fit is not None and fit.error_ns == pytest.approx(1.96 * S / 3**0.5, rel=1e-3)


def test_a_clock_that_nothing_joins_stands_apart() -> None:
    chance = random.Random(2)
    joined = join(
        [
            seen("a", "reset usable", 10, chance, ppm=0),
            seen("b", "usable init.exec", 10, chance, ppm=0),
            seen("c", "kernel.entry", 10, chance, ppm=0),
        ]
    )
    assert [clock.fit is None for clock in joined.clocks] == [False, False, True]
    assert "kernel.entry" not in {mark.name for mark in joined.marks}
    (note,) = joined.notes
    assert note.startswith("c has no mark in common with the others, so that it stands apart.")
    assert "Its marks: kernel.entry." in note


def test_clocks_are_joined_through_another() -> None:
    chance = random.Random(3)
    joined = join(
        [
            seen("a", "reset boot.command", 10, chance, ppm=50),
            seen("b", "boot.command kernel.entry", 10, chance, ppm=-50),
            seen("c", "kernel.entry usable", 10, chance, ppm=0),
        ]
    )
    assert all(clock.fit for clock in joined.clocks)
    errors = [mark.error_ns for mark in joined.marks]
    assert errors == sorted(errors)


def test_marks_that_contradict_each_other_are_named() -> None:
    chance = random.Random(4)
    marks = "reset boot.command kernel.entry usable"
    wrong = seen("b", marks, 1000, chance, ppm=0)
    moved = [
        mark.model_copy(update={"t_ns": mark.t_ns + 30_000_000})
        if mark.name == "kernel.entry"
        else mark
        for mark in wrong.marks
    ]
    joined = join([seen("a", marks, 1000, chance, ppm=0), SourceMarks("b", tuple(moved))])
    assert any(note.startswith("The mark kernel.entry is not at one time") for note in joined.notes)
    assert min(mark.error_ns for mark in joined.marks) > 1_000_000


@given(st.floats(0, 1e9), st.floats(0, 1e9))
@example(5e-324, 0.0)
def test_the_interval_of_a_bound_and_a_normal_error(bound: float, sigma: float) -> None:
    found = half_width(bound, sigma)
    assert max(0.94 * bound, 1.9 * sigma) - 1e-9 <= found <= 0.951 * bound + 1.97 * sigma + 1e-9


def test_the_interval_holds_95_of_100() -> None:
    chance = random.Random(5)
    for bound, sigma in ((1, 1), (3, 1), (1, 3), (10, 1)):
        width = half_width(bound, sigma)
        sums = (chance.uniform(-bound, bound) + chance.gauss(0, sigma) for _ in range(20_000))
        assert sum(abs(each) <= width for each in sums) / 20_000 == pytest.approx(0.95, abs=0.006)


def test_sightings_of_any_precision_have_errors() -> None:
    """A start that is known to a tenth of a second joins a capture of 2.5 us."""
    chance = random.Random(5)
    for _ in range(300):
        at = sorted(chance.sample(range(10**10), 4))
        late = chance.randrange(10**6, 10**9)
        host = [Sighting(name="start", t_ns=-late, precision_ns=chance.randrange(10**4, 10**9))]
        host += [
            Sighting(name=name, t_ns=t_ns, precision_ns=10 ** chance.randrange(9))
            for name, t_ns in zip("abcd", at, strict=True)
        ]
        kernel = [
            Sighting(name=name, t_ns=t_ns - at[1], precision_ns=1)
            for name, t_ns in zip("bcd"[: chance.choice((1, 3))], at[1:], strict=False)
        ]
        pins = [Sighting(name=name, t_ns=ns, precision_ns=2500) for name, ns in (("start", 0),)]
        found = join(
            [
                SourceMarks("console", tuple(host), 500.0),
                SourceMarks("kernel", tuple(kernel)),
                SourceMarks(
                    "pins", (*pins, Sighting(name="led", t_ns=late + 9, precision_ns=2500))
                ),
            ]
        )
        assert all(clock.fit and clock.fit.error_ns >= 0 for clock in found.clocks)
        assert all(mark.error_ns >= 0 for mark in found.marks)
