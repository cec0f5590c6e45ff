# SPDX-License-Identifier: Apache-2.0
"""The probe's core, compiled with sanitizers: slopes on a clock of ours, output, frames."""

import json
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.probes.frames import Frame, decode, encode

from .compiler import compile_probe


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("native") / "harness"
    compile_probe(
        program, "probe_harness.c", without=("probes.c", "main.c", "talk/serve.c"), fake_clock=True
    )
    return program


def run(harness: Path, *words: str, given: bytes = b"") -> bytes:
    done = subprocess.run([harness, *words], input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def slopes(
    harness: Path,
    *,
    tick: int = 1,
    cost: int = 20,
    overhead: int = 0,
    operation: int,
    back: int = 0,
    disturbed: int = 0,
    drift: int = 0,
    seconds: float,
) -> dict[str, Any]:
    """What time_slopes() finds of an operation of so many ns; see probe_harness.c."""
    words = (tick, cost, overhead, operation, back, disturbed, drift, seconds)
    return dict(json.loads(run(harness, "slopes", *map(str, words))))


def test_what_a_batch_costs_beside_its_operations_drops_out(harness: Path) -> None:
    found = slopes(harness, overhead=5000, operation=7, seconds=1)
    assert found["measured"] and found["settled"]
    assert found["unsettled"] == 0
    assert len(found["samples"]) >= 2
    assert found["samples"] == pytest.approx([7e-9] * len(found["samples"]), rel=1e-12)


@given(
    tick=st.integers(1, 100_000),
    cost=st.integers(1, 2000),
    overhead=st.integers(0, 1_000_000),
    operation=st.integers(1, 1_000_000),
)
def test_a_slope_is_wrong_by_ticks_and_no_more(
    harness: Path, tick: int, cost: int, overhead: int, operation: int
) -> None:
    found = slopes(harness, tick=tick, cost=cost, overhead=overhead, operation=operation, seconds=1)
    assert found["measured"]
    for sample in found["samples"]:
        assert abs(sample * 1e9 - operation) <= 2 * tick / found["batch"] + 1e-6 * operation


@pytest.mark.parametrize(("seconds", "lever"), [(0.1, 8), (0.001, 5), (0.0001, 2)])
def test_batches_differ_by_eight_times_where_there_is_time(
    harness: Path, seconds: float, lever: int
) -> None:
    """The smaller spans at least 1000 ticks, here 10 us; a reading takes 3 ns."""
    found = slopes(harness, tick=10, cost=3, operation=1000, seconds=seconds)
    assert found["measured"]
    assert found["largest"] == lever * found["batch"]
    assert found["samples"] == pytest.approx([1e-6] * len(found["samples"]), rel=1e-2)


@pytest.mark.parametrize("tick", [1, 10, 838])
@pytest.mark.parametrize("seconds", [0.3, 10])
def test_batches_fit_between_two_ticks_of_a_kernel(
    harness: Path, tick: int, seconds: float
) -> None:
    """The ticks come 10 ms apart at most; a tick of the clock of a 486 takes 838 ns."""
    found = slopes(harness, tick=tick, cost=100, operation=1000, seconds=seconds)
    assert found["measured"]
    assert 2 * found["batch"] <= found["largest"] <= 2100


@pytest.mark.parametrize("operation", [1, 3])
def test_one_operation_that_takes_long_is_made_once_and_twice(
    harness: Path, operation: int
) -> None:
    found = slopes(harness, operation=operation * 1_000_000_000, seconds=10)
    assert (found["batch"], found["largest"]) == (1, 2)
    assert found["samples"] == pytest.approx([operation] * len(found["samples"]), rel=1e-6)


@pytest.mark.parametrize("disturbed", [3, 4, 5, 7])
def test_what_lengthens_a_batch_now_and_then_is_in_no_sample(harness: Path, disturbed: int) -> None:
    found = slopes(harness, operation=7, disturbed=disturbed, seconds=1)
    assert found["measured"]
    assert found["samples"] == pytest.approx([7e-9] * len(found["samples"]), rel=1e-12)


@pytest.mark.parametrize("disturbed", range(2, 7))
def test_a_batch_that_was_long_by_chance_is_not_taken(harness: Path, disturbed: int) -> None:
    found = slopes(harness, tick=100, operation=7, disturbed=disturbed, seconds=0.01)
    assert found["measured"]
    assert found["batch"] * 7 >= 1000 * 100


def test_a_batch_spans_a_thousand_ticks(harness: Path) -> None:
    found = slopes(harness, tick=1000, cost=30, operation=7, seconds=0.001)
    assert found["measured"]
    assert found["tick"] == 1000
    assert found["batch"] * 7 >= 1000 * 1000


@given(tick=st.integers(2, 100), cost=st.integers(1, 40))
def test_what_a_reading_takes_is_not_its_tick(harness: Path, tick: int, cost: int) -> None:
    """Of readings 1333 ticks and a part long, some are a tick longer than the others."""
    found = slopes(harness, tick=tick, cost=1333 * tick + cost, operation=7, seconds=0.01)
    # Where a reading takes whole ticks, none differs from another.
    assert found["tick"] == (tick if cost % tick else 1333 * tick + cost)


def test_a_batch_is_longer_than_the_reading_of_the_clock(harness: Path) -> None:
    found = slopes(harness, tick=16, cost=1333, operation=7, seconds=0.001)
    assert found["tick"] == 16
    assert found["batch"] * 7 >= 50 * 1333


def test_a_clock_that_is_too_coarse_is_refused_with_the_reason(harness: Path) -> None:
    found = slopes(harness, tick=10_000_000, operation=7, seconds=1)
    assert not found["measured"]
    assert found["samples"] == []
    assert "tick of 10 ms is too coarse" in found["why"]


def test_a_clock_that_steps_back_is_counted_and_gives_no_negative_time(harness: Path) -> None:
    found = slopes(harness, operation=7, back=13, seconds=0.2)
    assert found["steps_back"] > 0
    assert all(sample > 0 for sample in found["samples"])


def test_a_batch_that_takes_no_longer_than_half_of_it_is_no_sample(harness: Path) -> None:
    found = slopes(harness, overhead=5000, operation=0, seconds=0.1)
    assert not found["measured"]
    assert found["unusable"] > 0
    assert "took no longer" in found["why"]


@pytest.mark.parametrize("drift", [2, 5])
def test_a_point_that_never_settles_is_measured_and_counted(harness: Path, drift: int) -> None:
    found = slopes(harness, operation=1000, drift=drift, seconds=0.1)
    assert found["measured"] and not found["settled"]
    assert found["unsettled"] == 1


def test_what_is_refused_is_not_counted_as_unsettled(harness: Path) -> None:
    found = slopes(harness, tick=10_000_000, operation=7, drift=5, seconds=1)
    assert not found["measured"]
    assert found["unsettled"] == 0


@given(st.integers(0, 2**64 - 1), st.sampled_from(["", " ", "\t  "]), st.sampled_from(" kg-x:\n"))
def test_a_number_is_read_up_to_what_follows(
    harness: Path, number: int, before: str, behind: str
) -> None:
    for base, text in (
        (10, f"{number}"),
        (16, f"{number:x}"),
        (16, f"{number:X}"),
        (8, f"{number:o}"),
    ):
        rest = f"{behind}1".encode()
        assert run(harness, "number", str(base), before + text + behind + "1").split(b"\n", 1) == [
            str(number).encode(),
            rest,
        ]


@pytest.mark.parametrize(
    ("base", "text"), [(10, ""), (10, " "), (10, "-5"), (10, "a"), (16, "g"), (16, "@1"), (8, "9")]
)
def test_where_there_is_no_number_nothing_is_read(harness: Path, base: int, text: str) -> None:
    assert run(harness, "number", str(base), text) == f"0\n{text}".encode()


@given(st.binary(max_size=300).map(lambda data: data.replace(b"\0", b"")))
def test_any_text_comes_through_json(harness: Path, data: bytes) -> None:
    output = run(harness, "json", given=data)
    assert output.isascii()
    text = data.decode("latin-1")
    assert [json.loads(line) for line in output.splitlines()] == [
        {
            "metric": "test.metric",
            "unit": "s",
            "better": "lower",
            "alias": "its_alias",
            "labels": {"first": text, "second": "42"},
            "samples": pytest.approx([1e-9, 123456789012, 0.1], rel=1e-6),
        },
        {"fact": text, "value": text},
        {"note": text},
        {"refused": text},
    ]


def test_a_long_note_is_cut(harness: Path) -> None:
    lines = run(harness, "json", given=b"n" * 1000).splitlines()
    assert json.loads(lines[2]) == {"note": "n" * 399}


@given(st.binary(max_size=2000))
def test_the_checksum_is_zlibs(harness: Path, data: bytes) -> None:
    assert int(run(harness, "crc", given=data), 16) == zlib.crc32(data)


def lines_like_frames() -> Iterator[st.SearchStrategy[bytes]]:
    payloads = st.text(st.characters(min_codepoint=1, max_codepoint=255), max_size=410)
    numbers = st.integers(0, 10**9)
    frames = st.builds(Frame, numbers, numbers, st.sampled_from("?*+=.!#"), payloads)
    whole = frames.map(lambda frame: encode(frame).rstrip(b"\r\n"))
    yield whole
    yield st.tuples(st.binary(max_size=20), whole).map(b"".join)
    yield st.tuples(whole, st.integers(0, 60), st.integers(0, 255)).map(changed)
    yield whole.map(lambda line: line[: len(line) // 2])
    yield st.text("~0123.:?*abcdef ", max_size=40).map(str.encode)


def changed(made: tuple[bytes, int, int]) -> bytes:
    line, at, byte = made
    return line[:at] + bytes([byte]) + line[at + 1 :]


@given(st.lists(st.one_of(*lines_like_frames()), min_size=1, max_size=40))
def test_host_and_target_read_the_same_frames(harness: Path, made: list[bytes]) -> None:
    lines = [line.replace(b"\n", b"").replace(b"\0", b"").rstrip(b"\r") for line in made]
    output = run(harness, "frames", given=b"".join(line + b"\n" for line in lines))
    expected = [encode(frame) if (frame := decode(line)) else b"none\n" for line in lines]
    assert output == b"".join(expected)
