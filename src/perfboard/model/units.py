# SPDX-License-Identifier: Apache-2.0
"""Quantities as people write and read them. Inside, all is base SI or bytes."""

import math
import re

_SIZE = re.compile(r"(\d+)\s*(B|KiB|MiB|GiB|kB|MB|GB)?")
_SIZE_FACTORS = {
    "B": 1,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
}


def parse_size(text: str) -> int:
    """Bytes meant by a text such as "64 MiB" or "512". Raises ValueError."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f'"{text}" is not a size; write a whole number and a unit, as in "64 MiB"')
    return int(match[1]) * _SIZE_FACTORS[match[2] or "B"]


def format_size(size: int) -> str:
    """`size` bytes with the largest binary prefix that keeps it at 1 or more."""
    value = float(size)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.4g} {unit}"
        value /= 1024
    return f"{value:.4g} GiB"


def format_between(least: float, most: float | None, unit: str) -> str:
    """An interval in words, with its unit once if both ends have it; None: there is no bound."""
    if most is None:
        return f"after {format_value(least, unit)}"
    low, high = format_value(least, unit), format_value(most, unit)
    number, _, own = low.partition(" ")
    return f"{number if high.endswith(f' {own}') else low} to {high}"


def format_value(value: float, unit: str) -> str:
    """`value` with four significant digits and a prefix that suits it."""
    if unit == "B":
        return format_size(round(value))
    if unit == "1":
        return f"{value:,.0f}" if value == round(value) else f"{value:,.4g}"
    # A rate of counts: as 1/s a prefix would stand before the 1.
    shown = "/s" if unit == "1/s" else unit
    if value == 0:
        return f"0 {shown}"
    prefixes = {9: "G", 6: "M", 3: "k", 0: "", -3: "m", -6: "µ", -9: "n"}
    power = max(-9, min(9, math.floor(math.log10(abs(value)) / 3) * 3))
    if unit == "s":
        power = min(power, 0)
    if unit == "1/s":
        power = max(power, 0)
    scaled = value / 10.0**power
    if abs(scaled) < 999.95:
        decimals = max(0, 3 - math.floor(math.log10(abs(scaled))))
        return f"{scaled:.{decimals}f} {prefixes[power]}{shown}"
    return f"{scaled:.0f} {prefixes[power]}{shown}"
