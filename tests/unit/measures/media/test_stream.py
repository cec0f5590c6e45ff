# SPDX-License-Identifier: Apache-2.0
"""The writing of discs: which writings tell a safe buffer, and a safe rate."""

import pytest

from perfboard.bench.job import NotMeasurable
from perfboard.measures.base import EXACT
from perfboard.measures.catalogue import get_measure
from perfboard.measures.media.stream import example_writing
from perfboard.model.profile import Value
from perfboard.model.rows import row_line
from tests.support.measures import LIVE, job_of, metrics_of

CAT: dict[str, Value] = {"prepare": "true", "command": "cat disc", "buffer": 100_000}
# All of them write ten times the buffer.
WRITINGS = "".join(map(example_writing, (70_000, 80_000, 75_000, 64_000, 99_000)))


def tried(safe: int, unsafe: int) -> str:
    return row_line("rates", safe=str(safe), unsafe=str(unsafe))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("stream.write", {}),
        ("stream.write", {"command": "x", "buffer": 100}),
        ("stream.write", {"command": "x", "rate": 1}),
        ("stream.write", {"command": "x", "word_ns": -1}),
        ("stream.write", {"command": "x", "word_ns": 1_000_001}),
        ("stream.buffer", {"command": "x", "starts": 4}),
        ("stream.buffer", {"command": "x", "safe": 100}),
    ],
)
def test_a_parameter_out_of_range_is_refused(name: str, parameters: dict[str, Value]) -> None:
    with pytest.raises(NotMeasurable):
        job_of(name, parameters, EXACT)


@pytest.mark.parametrize("name", ["stream.write", "stream.buffer", "stream.rate"])
def test_the_users_commands_are_those_of_its_parameters(name: str) -> None:
    measure = get_measure(name)
    assert measure.commands({**measure.defaults(), **CAT}) == ["true", "cat disc"]


def test_a_safe_buffer_is_of_whole_chunks_with_its_interval() -> None:
    # As many writings as the parameter says, on any target.
    metrics = metrics_of("stream.buffer", WRITINGS, CAT | {"starts": 5}, LIVE)
    assert metrics[0].samples == (70_000, 80_000, 75_000, 64_000, 99_000)
    sizes = {metric.labels["bound"]: metric.samples for metric in metrics if metric.labels}
    (least,), (likely,), (most,) = (sizes[bound] for bound in ("least", "likely", "most"))
    assert all(size % 63_488 == 0 for size in (least, likely, most))
    assert 99_000 < likely < most and least <= likely
    assert len(metrics) == 4


def test_a_full_buffer_is_not_taken_for_a_steady_state() -> None:
    parameters = CAT | {"buffer": 200_000}
    output = WRITINGS.splitlines()[0]
    with pytest.raises(NotMeasurable, match="2,000,000: write more"):
        metrics_of("stream.write", output, parameters, EXACT)
    assert metrics_of("stream.write", output, parameters | {"begin": 20}, EXACT)


def test_a_safe_rate_lies_between_one_that_was_safe_and_one_that_was_not() -> None:
    metrics = metrics_of("stream.rate", f"{WRITINGS}{tried(150_000, 160_000)}", CAT)
    found = {metric.labels["bound"]: metric.samples for metric in metrics}
    assert found == {"least": (150_000,), "likely": (150_000,), "most": (160_000,)}


def test_no_rate_is_safe_where_all_fail() -> None:
    with pytest.raises(NotMeasurable, match="no rate was safe, down to 4687"):
        metrics_of("stream.rate", f"{WRITINGS}{tried(0, 4687)}", CAT, EXACT)
