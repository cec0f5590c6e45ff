# SPDX-License-Identifier: Apache-2.0
"""A film from the network and one to the disk: each is whole, or refused."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import pytest

from perfboard.bench.job import Job, NotMeasurable
from perfboard.bench.talk.tcp import Talk, TcpReply
from perfboard.measures.base import EXACT
from perfboard.model.profile import Value
from perfboard.model.rows import row_line
from tests.support.measures import FakeBench, job_of, measured

CACHE = row_line("writeback", rate=30, dirty_bytes=5, under_way_bytes=6, wrote_bytes=7)


def frames(stream: str, last_us: int, count: int = 30) -> str:
    times = [1000] * (count - 1) + [last_us]
    return row_line("frames", rate=30, stream=stream, took_us=times, since_due_us=times)


class _Film:
    """A `Talk` whose board prints this."""

    ways: Mapping[str, str] = {}
    in_memory = True

    def __init__(self, output: str) -> None:
        self._output, self.shapes = output, list[str]()

    def ask(self, lines: Sequence[str], seconds: float) -> list[TcpReply]:
        """Nothing asks it."""
        raise NotImplementedError

    def film(self, shape: str, seconds: float) -> str:
        """See `Talk`."""
        self.shapes.append(shape)
        return self._output


def bench_of(film: _Film) -> FakeBench:
    @contextmanager
    def talk(run: Callable[[Job], str]) -> Iterator[Talk]:
        yield film

    return FakeBench(lambda job: "", EXACT, talk)


def test_frames_that_are_late_are_told_of_each_film() -> None:
    film = _Film(frames("record", 34_000) + frames("play", 33_000) + CACHE)
    found = measured("media.network", bench_of(film), seconds=1)
    assert film.shapes == ["25000 30 30"]
    late = {m.labels["stream"]: m for m in found.metrics if m.name == "media.network.late"}
    assert late["record"].samples == (1 / 30,) and late["play"].samples == (0.0,)
    assert "memory, not a wire" in found.limit
    names = {metric.name.rpartition(".")[2] for metric in found.metrics}
    assert names == {"frame", "time", "late", "dirty"}


@pytest.mark.parametrize(
    "output",
    ["", frames("play", 9), frames("record", 9) + frames("play", 9, 29)],
)
def test_a_film_with_frames_missing_is_refused(output: str) -> None:
    with pytest.raises(NotMeasurable, match="some frames of the film"):
        measured("media.network", bench_of(_Film(output)), seconds=1)


def test_a_board_without_a_disk_is_refused() -> None:
    output = row_line("refused", what="place", why="the board has no disk")
    with pytest.raises(NotMeasurable, match="no disk"):
        measured("media.network", bench_of(_Film(output)), seconds=1)


@pytest.mark.parametrize("parameters", [{"fps": 1001}, {"seconds": 1201}, {"bitrate": 8}])
def test_a_parameter_out_of_range_is_refused(parameters: dict[str, Value]) -> None:
    with pytest.raises(NotMeasurable):
        job_of("media.network", parameters)
