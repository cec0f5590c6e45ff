# SPDX-License-Identifier: Apache-2.0
"""What a board file says of its part, beside what probes see that work exactly so."""

import pytest

from perfboard.analysis.verify.parameters import PartParameter, parameters
from perfboard.boards.loader import load_board
from perfboard.model.run import Metric
from perfboard.model.timing.part import Timing

KIB, MIB = 1 << 10, 1 << 20


def metric(name: str, value: float, **labels: object) -> Metric:
    return Metric.model_validate(
        {
            "name": name,
            "unit": "s",
            "labels": {key: str(label) for key, label in labels.items()},
            "better": "lower",
            "samples": [value],
        }
    )


def of(board: str) -> Timing:
    timing = load_board(board).board.timing
    assert timing is not None
    return timing


def by_name(rows: list[PartParameter]) -> dict[str, PartParameter]:
    return {row.name: row for row in rows}


def test_a_parameter_that_is_nothing_is_seen_as_nothing() -> None:
    assert PartParameter("latency", "s", 0.0, 0.0).within is True
    assert PartParameter("latency", "s", 0.0, 1e-9).within is False
    assert PartParameter("latency", "s", 0.0, None).within is None


def test_plateaus_and_frequency_of_rpi2() -> None:
    """The shares of the array that caches and TLBs do not hold, by hand."""
    l2 = 0.875 * 11.3e-9 + (1 - 40 / 256) * 2 / 900e6
    size = 64 * MIB
    memory = (
        (512 * KIB - 32 * KIB) / size * 11.3e-9
        + (1 - 512 * KIB / size) * 168.4e-9
        + (1 - 40 * KIB / size) * 2 / 900e6
        + (1 - 1024 * KIB / size) * 19.2e-9
    )
    rows = by_name(
        parameters(
            of("rpi2"),
            [
                metric("cpu.clock", 899e6),
                metric("memory.latency", 3 / 900e6, walk="random", size=4096),
                metric("memory.random", 10e-9, size=4096),
                metric("memory.random", 10e-9 + l2, size=256 * KIB),
                metric("memory.random", 10e-9 + memory, size=size),
            ],
        )
    )
    assert {name: row.within for name, row in rows.items()} == {
        "clock": True,
        "latency of the first cache": True,
        "latency of the second cache": True,
        "latency of memory": True,
    }
    assert rows["latency of memory"].value == pytest.approx(memory)
    assert rows["latency of the second cache"].value == pytest.approx(l2)


def test_a_cache_of_one_way_is_seen_by_an_eighth_of_it() -> None:
    """Pages that the kernel gave at random share places: in half of it, and of some processes."""
    seen = (1 - 8 / 32) * 90e-9
    shared = metric("memory.random", 128e-9 + seen, size=32 * KIB)
    samples = (*shared.samples, *(s + 16e-9 for s in shared.samples for _ in range(3)))
    found = [
        metric("memory.random", 128e-9, size=4096),
        shared.model_copy(update={"samples": samples}),
        metric("memory.random", 300e-9, size=128 * KIB),
    ]
    row = by_name(parameters(of("settop-web"), found))["latency of the second cache"]
    assert row.value == pytest.approx(seen) and row.within


def bandwidth(operation: str, loop: str, size: int, rate: float) -> Metric:
    return metric("memory.bandwidth", rate, operation=operation, loop=loop, size=size)


def test_bandwidths_are_of_the_stream_or_of_each_line() -> None:
    found = [
        *(bandwidth(operation, "ldm", 4096, 6.4e9) for operation in ("read", "write")),
        bandwidth("read", "ldm", 16 * MIB, 64 / 48.8e-9),
        bandwidth("read", "ldm-preload", 16 * MIB, 9e9),
        bandwidth("write", "ldm", 16 * MIB, 64 / 54.3e-9),
    ]
    rows = by_name(parameters(of("rpi2"), found))
    assert rows["read bandwidth of memory"].seen == pytest.approx(64 / 48.8e-9)
    assert rows["read bandwidth of memory"].within and rows["write bandwidth of memory"].within
    # Without streams each line is waited for, behind what it takes in the cache.
    value = by_name(parameters(of("verdex"), found))["read bandwidth of memory"].value
    assert value == pytest.approx(32 / (32 / 6.4e9 + 140e-9 + 150e-9 / 128), rel=1e-3)
    # Two that are waited for together share the latency.
    value = by_name(parameters(of("rpi-zero"), found))["read bandwidth of memory"].value
    assert value == pytest.approx(32 / (32 / 6.4e9 + (154.5e-9 + 8.9e-9) / 2), rel=0.02)


def test_stores_that_go_out_one_by_one_take_their_own_time() -> None:
    """Of the loop that is the fastest, which an array in the cache is not measured with."""
    found = [
        bandwidth("write", "move", 4096, 61.5e6),
        bandwidth("write", "move", MIB, 61.7e6),
        bandwidth("write", "rep", MIB, 66.6e6),
    ]
    row = by_name(parameters(of("bifferboard"), found))["write bandwidth of memory"]
    assert row.value == pytest.approx(4 / 60e-9) and row.seen == 66.6e6 and row.within


def test_what_was_not_measured_is_absent() -> None:
    assert all(row.seen is None and row.within is None for row in parameters(of("rpi2"), []))
    # An array that the caches hold says nothing of memory.
    small = [bandwidth("read", "ldm", size, 6e9) for size in (4096, 512 * KIB)]
    assert "read bandwidth of memory" not in by_name(parameters(of("rpi2"), small))
