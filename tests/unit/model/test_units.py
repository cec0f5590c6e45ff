# SPDX-License-Identifier: Apache-2.0
"""Quantities read and printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.model.units import format_size, format_value, parse_size


@pytest.mark.parametrize(
    ("text", "size"),
    [("64 MiB", 64 << 20), ("64MiB", 64 << 20), ("512", 512), ("1 kB", 1000), ("0 B", 0)],
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "64 mib", "-1", "1.5 MiB", "MiB", "1 MiB extra"])
def test_what_is_not_a_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size"):
        parse_size(text)


@given(st.integers(0, 1023), st.sampled_from(["B", "KiB", "MiB", "GiB"]))
def test_a_printed_size_reads_as_itself(number: int, unit: str) -> None:
    size = parse_size(f"{number} {unit}")
    assert parse_size(format_size(size)) == size


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0, "s", "0 s"),
        (1.9640, "s", "1.964 s"),
        (0.0178, "s", "17.80 ms"),
        (3e-6, "s", "3.000 µs"),
        (8e-9, "s", "8.000 ns"),
        (3600.0, "s", "3600 s"),
        (25.6e6, "B/s", "25.60 MB/s"),
        (1274.0, "1/s", "1.274 k/s"),
        (0.25, "1/s", "0.2500 /s"),
        (0.0, "1/s", "0 /s"),
        (2048, "B", "2 KiB"),
        (245522304, "1", "245,522,304"),
        (-0.0712, "s", "-71.20 ms"),
    ],
)
def test_values_are_printed_with_a_prefix_that_suits(value: float, unit: str, text: str) -> None:
    assert format_value(value, unit) == text


@given(st.floats(1e-9, 1e12), st.sampled_from(["s", "B/s", "1/s"]))
def test_four_digits_are_kept(value: float, unit: str) -> None:
    number, printed = format_value(value, unit).split(" ", 1)
    factor = {"n": 1e-9, "µ": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9}
    prefix = printed.removesuffix("/s" if unit == "1/s" else unit)
    assert abs(float(number) * factor.get(prefix, 1.0) / value - 1) < 1e-3
