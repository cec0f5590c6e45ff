# SPDX-License-Identifier: Apache-2.0
"""Two things measured in turn, until it is known whether the second is worse."""

import random
from collections.abc import Callable

import pytest

from perfboard.analysis.gate.change import GateLevel, Rules
from perfboard.analysis.gate.judge import Judgement
from perfboard.bench.lab import Lab
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.run import Evidence, Metric, Run, RunError, Status
from perfboard.studies.gate.study import GateOptions, gate_in_turn, side_of, sides_of
from tests.support.lab import FakeLab
from tests.support.runs import make_boot, make_run

Value = Callable[[], float]


@pytest.fixture
def fake(tmp_path_factory: pytest.TempPathFactory) -> FakeLab:
    return FakeLab(tmp_path_factory.mktemp("lab"))


def gate(one: Value, two: Value, pairs: int = 24) -> tuple[Judgement, str]:
    """A gate of two sides that take so long, and the order in which it measured them."""
    order: list[str] = []

    def side(name: str, value: Value) -> Callable[[Lab], Run]:
        def measure(lab: Lab) -> Run:
            order.append(name)
            metric = Metric(name="cpu.a", unit="s", samples=(value(),))
            fields = {"evidence": Evidence.HOST, "headline": None, "metrics": (metric,)}
            return make_run(f"{name}{len(order)}", boots=(), **fields)

        return measure

    found = gate_in_turn((side("A", one), side("B", two)), Rules(), pairs, Lab())
    return found, "".join(order)


def test_a_slowdown_is_red_once_new_pairs_confirm_it() -> None:
    chance = random.Random("slower")
    found, order = gate(lambda: chance.gauss(1, 0.005), lambda: chance.gauss(1.05, 0.005))
    assert (found.level, found.pairs) == (GateLevel.WORSE, 12)
    assert order == "ABBA" * 6
    (finding,) = found.findings
    assert finding.interval is not None
    assert finding.interval.low < 0.05 < finding.interval.high


def test_a_drift_of_the_machine_is_no_change_of_b() -> None:
    now = iter(range(1000))
    found, _ = gate(lambda: 1 + 0.01 * next(now), lambda: 1 + 0.01 * next(now))
    assert abs(found.findings[0].difference) < 1e-9
    assert found.level is GateLevel.SAME


def test_what_stays_open_says_which_change_would_be_found() -> None:
    chance = random.Random("noise")
    found, order = gate(lambda: chance.gauss(1, 0.1), lambda: chance.gauss(1, 0.1))
    assert (found.level, len(order)) == (GateLevel.INCONCLUSIVE, 48)
    assert found.findings[0].reason.startswith("with 24 pairs, ")
    assert found.findings[0].reason.endswith(" ms more is found in 80% of cases")


def test_little_noise_ends_a_gate_at_the_first_look() -> None:
    chance = random.Random("calm")
    found, order = gate(lambda: chance.gauss(1, 0.0005), lambda: chance.gauss(1, 0.0005))
    assert (found.level, len(order)) == (GateLevel.SAME, 12)
    better, _ = gate(lambda: chance.gauss(1, 0.0005), lambda: chance.gauss(0.9, 0.0005))
    assert better.level is GateLevel.BETTER


def test_one_boot_of_each_decides_on_a_virtual_board(fake: FakeLab) -> None:
    fake.takes = lambda variant: make_boot({"init.exec": int(variant.levels["console"] == "full")})
    sides = sides_of(("verdex,console=quiet", "verdex"), GateOptions(), ())
    found = gate_in_turn(sides, Rules(fail_above=0.0), 40, fake.lab())
    assert (found.level, found.exact, found.pairs) == (GateLevel.WORSE, True, 0)
    assert round(found.findings[0].difference * 1e9) == 1
    assert "factor console" in [change.what for change in found.changes]
    assert gate_in_turn(sides[::-1], Rules(), 40, fake.lab()).level is GateLevel.SAME


def test_a_run_that_failed_or_was_ended_ends_the_gate() -> None:
    failed = make_run(status=Status.FAILED, errors=(RunError(kind="panic", message="No root"),))
    with pytest.raises(TargetError, match="No root\nThe run is 2026"):
        gate_in_turn([lambda lab: failed] * 2, Rules(), 6, Lab())
    aborted = make_run(status=Status.ABORTED)
    with pytest.raises(KeyboardInterrupt):
        gate_in_turn([lambda lab: aborted] * 2, Rules(), 6, Lab())


def test_sides_of_another_evidence_are_refused() -> None:
    sides = [make_run("one"), make_run("two", evidence=Evidence.TIMED)]
    measured = iter(sides)
    with pytest.raises(UsageError, match="its evidence is counted, and that of two is timed"):
        gate_in_turn([lambda lab: next(measured)] * 2, Rules(), 6, Lab())


@pytest.mark.parametrize(
    ("probe", "texts", "said"),
    [
        ((), ("rpi2", "local"), "rpi2 is a virtual board that is booted; local is a board or mach"),
        (("kernel.syscall",), ("rpi2", "local"), "give two of one kind"),
        ((), ("verdx", "verdex,console=loud"), 'did you mean "verdex"?(.|\n)*no level "loud"'),
        (("kernel.nosuch",), ("local", "local"), 'there is no probe "kernel.nosuch"'),
    ],
)
def test_sides_are_refused_before_one_is_measured(
    probe: tuple[str, ...], texts: tuple[str, str], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        sides_of(texts, GateOptions(probe=probe), ())


@pytest.mark.parametrize(
    "text",
    ["nosuch", "verdex,console", "verdex,nosuch=on", "verdex,console=nosuch", "./nosuch.toml", ""],
)
def test_words_that_are_no_side_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        side_of(text, GateOptions(), ())
