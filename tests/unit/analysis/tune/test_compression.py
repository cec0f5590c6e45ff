# SPDX-License-Identifier: Apache-2.0
"""When compression pays, by the boot study's equation and where reading overlaps."""

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from perfboard.analysis.tune.compression import (
    OVERLAPPED,
    SEQUENTIAL,
    CompressionForm,
    PackedSize,
    overlapped_crossing,
    overlapped_s,
    read_rate,
    sequential_crossing,
    sequential_s,
    winners,
)

sizes = st.integers(1_000, 100_000_000)
packed = st.builds(PackedSize, sizes, st.floats(0.001, 100.0))
rates = st.floats(1e3, 1e10)


@given(packed, rates)
def test_overlap_never_takes_longer_and_at_most_halves(one: PackedSize, rate: float) -> None:
    assert overlapped_s(one, rate) <= sequential_s(one, rate) <= 2 * overlapped_s(one, rate)


@given(packed, sizes, rates)
def test_it_pays_where_reading_less_outweighs_unpacking(
    one: PackedSize, plain: int, rate: float
) -> None:
    """size_c/bw_read + size_c/bw_decompress < size/bw_read, as the boot study of 2009 writes it."""
    bw_decompress = one.size / one.unpack_s
    left = one.size / rate + one.size / bw_decompress
    if abs(left * rate / plain - 1) > 1e-9:
        pays = sequential_s(one, rate) < sequential_s(PackedSize(plain), rate)
        assert pays == (left < plain / rate)


@given(packed, packed)
def test_at_the_crossing_both_take_the_same(one: PackedSize, other: PackedSize) -> None:
    for crossing, time in (
        (sequential_crossing(one, other), sequential_s),
        (overlapped_crossing(one, other), overlapped_s),
    ):
        small, large = sorted((one, other), key=lambda each: (each.size, each.unpack_s))
        if crossing is None:
            for rate in (1e3, 1e6, 1e9):
                assert time(small, rate) <= time(large, rate) * (1 + 1e-9)
            continue
        assert time(one, crossing) == pytest.approx(time(other, crossing), rel=1e-6)
        assert time(small, crossing / 2) <= time(large, crossing / 2) * (1 + 1e-9)
        assert time(small, crossing * 2) >= time(large, crossing * 2) * (1 - 1e-9)


@given(st.lists(packed, min_size=1, max_size=6), rates, st.sampled_from((SEQUENTIAL, OVERLAPPED)))
@example([PackedSize(1001, 1.0), PackedSize(1000, 1.0)], 1000.0, OVERLAPPED)
@example([PackedSize(1000, 1.0), PackedSize(1000, 0.5)], 1e10, OVERLAPPED)
def test_the_winner_is_the_fastest_everywhere(
    each: list[PackedSize], rate: float, form: CompressionForm
) -> None:
    named = {str(number): one for number, one in enumerate(each)}
    found = winners(named, 1e3, 1e10, form)
    assert (found[0].low, found[-1].high) == (1e3, 1e10)
    assert all(a.high == b.low and a.name != b.name for a, b in itertools.pairwise(found))
    winner = next(w for w in found if w.low <= rate <= w.high)
    best = min(form.seconds(one, rate) for one in each)
    assert form.seconds(named[winner.name], rate) == pytest.approx(best, rel=1e-6)


def test_the_kernel_of_study_e() -> None:
    """885.76 kB compressed against 1826.63 kB: at 19 MB/s unpacking must be below 50 ms."""
    plain = 1_826_630
    unpacked = sequential_s(PackedSize(plain), 19e6)
    assert sequential_s(PackedSize(885_760, 0.049), 19e6) < unpacked
    assert sequential_s(PackedSize(885_760, 0.050), 19e6) > unpacked
    assert sequential_crossing(PackedSize(885_760, 0.049), PackedSize(plain)) == pytest.approx(
        (plain - 885_760) / 0.049
    )


def test_the_read_rate_is_that_of_the_copies() -> None:
    assert read_rate([2_000_000, 1_000_000], [1.0, 0.5]) == pytest.approx(2e6)
    assert read_rate([5], [0.0]) is None
