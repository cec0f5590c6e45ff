# SPDX-License-Identifier: Apache-2.0
"""Packets of a virtual board: what it asks, and what it is told, with a board in memory."""

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from perfboard.bench.request import Request
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.results.packets import PacketsResult
from perfboard.model.rows import row_line
from perfboard.model.run import Run, Status
from perfboard.studies.base import run_study
from perfboard.studies.packets.study import STUDY, PacketsOptions
from perfboard.targets.virtual.program import ProgramResults, TrialTarget
from tests.support.lab import RESULTS, FakeLab


class _Board:
    """Answers `rate` requests a second; its card misses the others, and its processor is busy."""

    def __init__(self, rate: float) -> None:
        self.rate, self.missed, self.ticks = rate, 0, 0
        self.told: list[str] = []
        self.outcome: Callable[[str], str] = self.answer
        self.trials = 1 << 30

    def try_out(
        self,
        target: TrialTarget,
        plugin: Path,
        artifacts: Path,
        notify: Callable[[int, int], None],
        cancelled: Event,
    ) -> ProgramResults:
        assert target.answer is not None and target.board.network is not None
        assert target.board.network.link == "parallel"
        outcome = ""
        while len(self.told) < self.trials:
            self.ticks += 100
            text = (
                f"{row_line('port', port=4001)}{row_line('echoed', datagrams=10, busy_us=20)}"
                "@file /proc/stat\n"
                f"cpu0 0 0 {self.ticks // 10} {self.ticks // 50} 0 0 {self.ticks} 0\n"
                f"@file /proc/net/dev\neth0: 0 9 0 {self.missed} 0 0 0 0 0 9 0 0 0 0 0 0\n"
            )
            answer = target.answer(f"{outcome}\n{text}")
            if answer == "end":
                break
            self.told.append(answer)
            outcome = self.outcome(answer)
        return RESULTS

    def answer(self, trial: str) -> str:
        milliseconds, rate = int(trial.split()[4]), int(trial.split()[5])
        load = rate / 1000 or self.rate
        sent = round(load * milliseconds / 1000)
        lost = round(max(0.0, load - self.rate) * milliseconds / 1000)
        self.missed += lost
        row = {"sent": sent, "answered": sent - lost, "late": 1, "took_us": milliseconds * 1000}
        return row_line("trial", **row, burst=1).strip()


def run(tmp_path: Path, board: _Board, name: str = "bifferboard", **options: object) -> Run:
    request = Request(f"virtual:{name}", {}, ("perfboard",))
    lab = FakeLab(tmp_path).lab(try_out=board.try_out)
    return run_study(STUDY, request, PacketsOptions(**options), lab)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["bifferboard", "orangepi-pc"])
def test_the_far_end_finds_the_rate_and_the_boards_processor(tmp_path: Path, name: str) -> None:
    board = _Board(2000.0)
    found = run(tmp_path, board, name)
    assert found.status is Status.COMPLETE, found.errors
    (result,) = found.results_of(PacketsResult)
    assert result.senders == ("the far end",) and result.address == "192.0.2.2"
    for echo in result.echoes:
        assert echo.lower is not None and 1980 <= echo.lower <= 2001
        assert echo.place == "the device's processor"
        assert "in softirq" in echo.why and "lost packets" in echo.why
    assert {each.rpartition(" ")[0].split()[1] for each in board.told} == {"icmp", "udp"}
    assert board.told[0].startswith("trial icmp 0 1 ")
    assert board.told[-1].startswith("trial udp 4001 1 ")


def test_a_board_that_answers_nothing_is_told_as_such(tmp_path: Path) -> None:
    board = _Board(1.0)
    board.outcome = lambda trial: row_line("refused", what="trial", why="nothing answers").strip()
    found = run(tmp_path, board)
    assert found.errors[0].kind == "inconclusive" and "firewall" in found.errors[0].message


def test_a_board_that_dies_in_the_middle_ends_the_run_as_failed(tmp_path: Path) -> None:
    board = _Board(2000.0)
    board.trials = 3
    found = run(tmp_path, board)
    assert found.status is Status.FAILED and "has ended before" in found.errors[0].message


def test_a_board_that_does_not_come_up_is_told_with_its_own_words(tmp_path: Path) -> None:
    class Dead(_Board):
        def try_out(self, *_: object) -> ProgramResults:
            raise TargetError("panic", "The kernel panicked: no card")

    found = run(tmp_path, Dead(1.0))
    assert found.status is Status.FAILED and "no card" in found.errors[0].message


def test_what_a_virtual_board_cannot_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="board rpi-zero has no network"):
        run(tmp_path, _Board(1.0), "rpi-zero")
    with pytest.raises(UsageError, match="asked by its own far end"):
        run(tmp_path, _Board(1.0), sender=("ssh://one",))
    with pytest.raises(UsageError, match="nobody answers the emulator's own card"):
        request = Request("virtual:bifferboard", {"network": "instant"}, ("perfboard",))
        run_study(STUDY, request, PacketsOptions(), FakeLab(tmp_path).lab())
