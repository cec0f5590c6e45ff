# SPDX-License-Identifier: Apache-2.0
"""Measures of the network, on a target in memory whose probe answers as a test says."""

import re
from collections.abc import Callable
from contextlib import nullcontext

import pytest

from perfboard.bench.job import Job, NotMeasurable
from perfboard.bench.talk.tcp import talk_from, talk_to
from perfboard.boards.loader import load_board
from perfboard.measures.base import EXACT, Finding
from perfboard.model.errors import TargetError
from perfboard.model.progress import Progress
from perfboard.model.rows import row_line
from perfboard.model.run import Evidence
from perfboard.targets.base import Channel, Reply, Target
from tests.support.measures import FakeBench
from tests.support.measures import measured as find
from tests.support.shells import SayingShell

_COUNTED = "@file /proc/stat\n"
ASKED = row_line("asked", count=9, middle_ns=50_000, late_ns=70_000, longest_ns=900_000)
NAMES = ("network.tcp", "network.http", "network.latency")


def moved(size: int, took_us: int, again: int) -> str:
    return row_line("moved", bytes=size, took_us=took_us, retransmitted=again)


class _Program:
    def __init__(self, first: str, answer: Callable[[str], str]) -> None:
        self._text, self._answer = first, answer

    def write(self, data: bytes) -> None:
        self._text += self._answer(data.decode().strip()) + "\n"

    def read(self, timeout_s: float) -> bytes:
        text, self._text = self._text, ""
        if not text:
            raise TargetError("lost", "The program has ended.")
        return text.encode()

    def close(self) -> None:
        pass


class _Board(SayingShell):
    def __init__(self, answer: Callable[[str], str]) -> None:
        super().__init__()
        self.answer, self.asked, self.ticks = answer, list[str](), 0

    def run(self, script: str, *, timeout_s: float = 20) -> Reply:
        self.ticks += 100
        busy = f"@file /proc/stat\ncpu0 {self.ticks} 0 0 {self.ticks // 4} 0 0 0 0\n"
        return Reply(0, "TMPDIR=/tmp" if "TMPDIR" in script else busy)

    def push(self, data: bytes, path: str, progress: Progress) -> None:
        pass

    def start(self, script: str) -> Channel:
        def answer(line: str) -> str:
            self.asked.append(line)
            return self.answer(line)

        return _Program(row_line("port", port=1234) if "tcp-serve" in script else "", answer)


def measured(name: str, board: _Board, target: str = "local") -> Finding:
    live = Target(target, Evidence.HOST, board, probe="x86_64")
    bench = FakeBench(lambda job: "", talks=lambda run: talk_to(live))
    return find(name, bench, quick=True)


def test_throughput_is_told_each_way_with_its_processor() -> None:
    board = _Board(lambda line: moved(int(line.split()[1]) * 1_000_000, 500_000, 7))
    answer = measured("network.tcp", board)
    assert [(f.title, f.metric.samples) for f in answer.figures] == [
        ("to the board, 1 stream", (2e6,) * 5),
        ("to the board, 4 streams", (8e6,) * 5),
        ("from the board, 1 stream", (2e6,) * 5),
        ("from the board, 4 streams", (8e6,) * 5),
    ]
    assert board.asked[0] == "send 1 500" and answer.short == "TCP 8.000 MB/s"
    assert answer.figures[0].busy and answer.figures[0].busy.samples[0] == 0.8
    assert "memory, not a wire" in answer.limit and answer.why.endswith(": 140.")


def test_a_file_takes_as_long_as_a_try() -> None:
    board = _Board(lambda line: moved(1_000_000, 500_000, 0))
    answer = measured("network.http", board)
    assert board.asked == ["receive 1 200", *["get 1 1000000"] * 5]
    assert answer.short == "HTTP 2.000 MB/s"


def test_the_time_of_an_answer_has_its_worst() -> None:
    answer = measured("network.latency", _Board(lambda line: ASKED))
    assert [f.metric.samples[0] for f in answer.figures] == [5e-5, 7e-5, 9e-4]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("printed", "said"),
    [
        (
            row_line("refused", what="tcp", why="no answer for 20 s; is there a firewall?"),
            "failed: no answer for 20 s; is",
        ),
        (row_line("moved", bytes="x"), "the probe printed"),
    ],
)
def test_a_failed_transfer_is_a_reason(name: str, printed: str, said: str) -> None:
    with pytest.raises(NotMeasurable, match=said):
        measured(name, _Board(lambda line: printed))


@pytest.mark.parametrize("name", NAMES)
def test_a_target_without_a_network_is_a_reason(name: str) -> None:
    with pytest.raises(NotMeasurable, match="reached over a network"):
        measured(name, _Board(lambda line: ""), "serial:///dev/ttyUSB0")
    board = load_board("verdex").board.model_copy(update={"network": None})
    with pytest.raises(NotMeasurable, match="has no Ethernet"):
        talk_from(board, lambda job: "")


def at_the_far_end(name: str, answer: Callable[[str], str]) -> Finding:
    """The measure on a virtual board, whose client prints `answer` of each line that it gets."""

    def boot(job: Job) -> str:
        assert "ip link set eth0 up" in job.script
        # The first connection after a boot is none of them.
        assert 'echo "ping 1 1"' in job.script
        text = f"{_COUNTED}cpu0 0 0 0 0 0 0 0 0\n"
        lines = re.findall(r"^echo (\w+ \d+ \d+) \|", job.script, re.MULTILINE)
        for number, line in enumerate(lines, 1):
            text += f"{answer(line)}{_COUNTED}cpu0 {97 * number} 0 0 {3 * number} 0 0 0 0\n"
        return text

    board = load_board("bifferboard").board
    bench = FakeBench(boot, EXACT, lambda run: nullcontext(talk_from(board, run)))
    return find(name, bench)


def test_a_virtual_board_talks_to_its_far_end() -> None:
    answer = at_the_far_end("network.tcp", lambda line: moved(8_000_000, 2_000_000, 1))
    assert [(f.title, f.metric.samples) for f in answer.figures] == [
        ("to the board, 1 stream", (4e6,)),
        ("to the board, 4 streams", (4e6,)),
        ("from the board, 1 stream", (4e6,)),
        ("from the board, 4 streams", (4e6,)),
    ]
    assert answer.limit == "the processor, busy for 97% of the time"


def test_a_virtual_board_gets_a_file_as_long_as_a_try_from_its_far_end() -> None:
    asked: list[str] = []

    def answer(line: str) -> str:
        asked.append(line)
        return moved(1_000_000, 500_000, 0)

    (figure,) = at_the_far_end("network.http", answer).figures
    assert asked == ["receive 1 200", "get 1 4000000"]
    assert figure.title == "to the board, by HTTP/1.0"


def test_a_virtual_boards_time_of_an_answer_is_told() -> None:
    answer = at_the_far_end("network.latency", lambda line: ASKED)
    assert [f.metric.samples for f in answer.figures] == [(5e-5,), (7e-5,), (9e-4,)]


@pytest.mark.parametrize("name", NAMES)
def test_a_far_end_that_closes_early_is_a_reason(name: str) -> None:
    with pytest.raises(NotMeasurable, match="Connection reset by peer"):
        at_the_far_end(
            name, lambda line: row_line("refused", what="tcp", why="Connection reset by peer")
        )
