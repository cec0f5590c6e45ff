# SPDX-License-Identifier: Apache-2.0
"""Cache steps: of a model with noise, of real parts, and of anything at all."""

import math
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from perfboard.analysis.statistics.cache_steps import find_steps, plateaus_between
from perfboard.analysis.statistics.curves import cache_curve, curves
from perfboard.model.run import Metric
from tests.support.probe_runs import CACHES, LEVELS_S, SIZES, latency, probe_metrics

KIB, MIB = 1024, 1024 * 1024
OCTAVE = tuple(2**power for power in range(14, 27))

# Random reads beyond the first cache, in ns, by block sizes from 16 KiB, as the sbc-bench project
# has them for real parts (its result files 3MGs, 3MQV, 3E85 and 3Njz); and the clock in MHz, of
# which the first cache takes three cycles.
RECORDED = {
    "Cortex-A7 at 900 MHz": (900, "0 0 6.5 10 11.8 16.4 91.8 138.2 162.6 176.3 186.5 197.1 213.2"),
    "Cortex-A7 at 1365 MHz": (1365, "0 0 4.6 7.1 8.4 11.5 87.5 131 153.4 166 175.2 184.5 197.5"),
    "Cortex-A53 at 1 GHz": (1000, "0 0 6.4 9.9 11.6 12.9 81.1 121.8 145 157.4 165.6 171.2 175.3"),
    "ARM1176 at 1 GHz": (
        1000,
        "0.1 19.7 32.6 44.5 97.6 166.4 200.7 218 226.9 232.2 236.2 251.5 283.6",
    ),
}

# Medians of a random walk over huge pages of this project's own, in ns, on a virtual machine
# whose `lscpu` names caches of 32 KiB and 1 MiB for the core, and 35.8 MiB for all its cores.
XEON = {
    16 * KIB: 1.291, 24 * KIB: 1.291, 32 * KIB: 1.294, 48 * KIB: 4.489, 64 * KIB: 4.521,
    96 * KIB: 4.517, 128 * KIB: 4.517, 192 * KIB: 4.519, 256 * KIB: 4.518, 384 * KIB: 5.523,
    512 * KIB: 6.028, 768 * KIB: 6.469, 1024 * KIB: 12.330, 1536 * KIB: 23.319,
    2048 * KIB: 23.682, 3072 * KIB: 24.820, 4096 * KIB: 27.854, 6144 * KIB: 94.452,
    8192 * KIB: 99.847, 12288 * KIB: 102.786, 16384 * KIB: 105.348, 24576 * KIB: 106.881,
    32768 * KIB: 108.080, 49152 * KIB: 107.996, 65536 * KIB: 107.904, 98304 * KIB: 110.133,
}  # fmt: skip


@st.composite
def machines(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[float, ...], int]:
    """Caches in bytes, latencies of the levels in s, and a seed."""
    caches = [draw(st.sampled_from((8, 16, 32, 48, 64))) * KIB]
    for _ in range(draw(st.integers(0, 2))):
        caches.append(caches[-1] * draw(st.sampled_from((6, 8, 12, 16, 24))))
    caches = [cache for cache in caches if cache <= 32 * MIB]
    levels = [draw(st.floats(1e-9, 1e-8))]
    levels += [levels[0] * draw(st.floats(2.5, 3)) * 3.5**i for i in range(len(caches))]
    return tuple(caches), tuple(levels), draw(st.integers(0, 2**32))


@settings(max_examples=150)
@given(machines())
@example(((8192, 65536, 393216), (6.41e-9, 1.923e-8, 6.732e-8, 2.356e-7), 2))
def test_finds_every_cache_of_a_noisy_machine_and_no_other(
    machine: tuple[tuple[int, ...], tuple[float, ...], int],
) -> None:
    caches, levels, seed = machine
    noise = random.Random(seed)
    points = [
        (size, latency(size, caches, levels) * math.exp(noise.gauss(0, 0.02))) for size in SIZES
    ]
    steps = find_steps(points)
    assert len(steps) == len(caches)
    for step, cache in zip(steps, caches, strict=True):
        last = max(size for size in SIZES if size <= cache)
        assert SIZES[SIZES.index(last) - 1] <= step.low <= SIZES[SIZES.index(last) + 1]
        assert step.high == SIZES[SIZES.index(step.low) + 1]
    # Six times the cache before is little room for a plateau: its first half still gains by it.
    assert [step.before_s for step in steps] == pytest.approx(levels[:-1], rel=0.15)


def test_without_noise_each_cache_lies_between_the_sizes_named() -> None:
    steps = find_steps([(size, latency(size)) for size in SIZES])
    assert [step.low <= cache <= step.high for step, cache in zip(steps, CACHES, strict=True)] == [
        True,
        True,
        True,
    ]
    assert [step.after_s for step in steps] == pytest.approx(LEVELS_S[1:], rel=0.08)


@pytest.mark.parametrize("name", RECORDED)
def test_finds_the_caches_of_real_parts(name: str) -> None:
    mhz, text = RECORDED[name]
    times = [float(word) * 1e-9 + 3e-6 / mhz for word in text.split()]
    steps = find_steps(list(zip(OCTAVE, times, strict=True)))
    first, second = (16 * KIB, 128 * KIB) if "1176" in name else (32 * KIB, 512 * KIB)
    assert [(step.low, step.high) for step in steps] == [
        (first, 2 * first),
        (second, 2 * second),
    ]


def test_the_reach_of_the_tlb_is_no_step_and_a_share_of_a_cache_is_found_as_it_is() -> None:
    """At 256 KiB the TLB's first level ends; of the shared cache it had a part alone."""
    steps = find_steps([(size, ns * 1e-9) for size, ns in XEON.items()])
    assert [(step.low, step.high) for step in steps] == [
        (32 * KIB, 48 * KIB),
        (768 * KIB, 1 * MIB),
        (4 * MIB, 6 * MIB),
    ]


def test_a_lone_outlier_is_no_step() -> None:
    points = [(size, latency(size)) for size in SIZES]
    for place in (4, 14, 24, 33, len(SIZES) - 1):
        spoilt = [(x, y * 4 if i == place else y) for i, (x, y) in enumerate(points)]
        assert [step.low for step in find_steps(spoilt)] == [
            step.low for step in find_steps(points)
        ]


def test_order_does_not_matter_and_scale_does_not_either() -> None:
    points = [(size, latency(size)) for size in SIZES]
    assert find_steps(points[::-1]) == find_steps(points)
    slow = find_steps([(size, 50 * time) for size, time in points])
    assert [(step.low, step.high) for step in slow] == [
        (step.low, step.high) for step in find_steps(points)
    ]


@pytest.mark.parametrize("points", [[], [(1024, 1e-9)], [(1024, 1e-9), (2048, 9e-9)]])
def test_too_few_points_have_no_steps(points: list[tuple[int, float]]) -> None:
    assert find_steps(points) == ()


def test_a_flat_curve_is_one_level() -> None:
    points = [(size, 2e-9) for size in SIZES]
    assert find_steps(points) == ()
    (level,) = plateaus_between(points, ())
    assert (level.first, level.last, level.latency_s) == (SIZES[0], SIZES[-1], 2e-9)
    assert plateaus_between([], ()) == ()


@given(
    st.lists(
        st.tuples(st.integers(-5, 2**60), st.floats(-1e100, 1e100, allow_nan=False)), max_size=60
    )
)
def test_anything_gives_steps_in_order_that_rise(points: list[tuple[int, float]]) -> None:
    steps = find_steps(points)
    sizes = {size for size, _ in points}
    for step in steps:
        assert step.low <= step.high
        assert {step.low, step.high} <= sizes
        assert step.after_s > step.before_s
    assert [step.low for step in steps] == sorted(step.low for step in steps)
    levels = plateaus_between(points, steps)
    assert len(levels) == (len(steps) + 1 if any(x > 0 and y > 0 for x, y in points) else 0)


def test_a_curve_has_one_label_along_it_and_shares_the_others() -> None:
    found = curves(probe_metrics(), "ipc.switch", "processes")
    assert [curve.labels for curve in found] == [
        {"size": "0"},
        {"size": "16384"},
        {"size": "65536"},
    ]
    assert [x for x, _ in found[0].points] == [2, 4, 8, 16, 24, 32, 64, 96]


@given(st.text(max_size=12))
def test_labels_that_are_no_size_are_in_no_curve(text: str) -> None:
    metric = Metric(name="a", unit="s", labels={"size": text}, samples=(1.0,))
    for curve in curves([metric], "a", "size"):
        assert str(curve.points[0][0]) == text


def test_caches_are_looked_for_in_the_fastest_random_walk() -> None:
    def walk(pages: str, size: int, *times: float, walk: str = "random") -> Metric:
        return Metric(
            name="memory.latency",
            unit="s",
            labels={"walk": walk, "pages": pages, "size": str(size), "stride": "64"},
            samples=times,
            processes=tuple(range(len(times))),
        )

    metrics = [
        walk("huge", 4096, 4e-9, 1e-9),
        walk("small", 1024, 2e-9, 5e-9),
        walk("small", 4096, 3e-9),
        walk("small", 4096, 1e-10, walk="stride"),
    ]
    assert cache_curve(metrics) == ((1024, 2e-9), (4096, 1e-9))


@pytest.mark.parametrize("last", [34.7, 35.2, 1000.0])
def test_the_last_level_is_what_was_measured_there_though_it_is_one_point(last: float) -> None:
    """A coarse curve of a short measurement; what smoothing makes of its end is no figure."""
    curve = [
        (4**power * KIB, ns) for power, ns in enumerate((1.6, 1.6, 1.6, 5.3, 5.34, 6.81, last))
    ]
    *_, step = find_steps(curve)
    assert step.after_s == last
