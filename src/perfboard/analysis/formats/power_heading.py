# SPDX-License-Identifier: Apache-2.0
"""The heading of a power meter's table: its columns, with their quantities and units."""

import re
from collections.abc import Iterator

_PREFIXES = {"": 1.0, "m": 1e-3, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "n": 1e-9, "k": 1e3}
UNITS = {"time": "s", "volts": "V", "amperes": "A", "watts": "W"}
_WORDS = {
    "time": re.compile(r"time|timestamp|t|zeit|temps|tiempo"),
    "volts": re.compile(r"v|u|voltage|volts?|spannung|tension|bus[ _]?voltage|vbus"),
    "amperes": re.compile(r"i|current|amps?|amperes?|strom|courant|corriente"),
    "watts": re.compile(r"p|power|watts?|leistung|puissance|potencia"),
}
# Files of hwmon and IIO, in the units of the kernel.
_SYSFS = (
    ("volts", re.compile(r"in[0-9]+_(?:input|average)"), 1e-3),
    ("amperes", re.compile(r"curr[0-9]+_(?:input|average)"), 1e-3),
    ("watts", re.compile(r"power[0-9]+_(?:input|average)"), 1e-6),
    ("volts", re.compile(r"in_voltage[0-9]*(?:_\w{1,20})?_input"), 1e-3),
    ("amperes", re.compile(r"in_current[0-9]*(?:_\w{1,20})?_input"), 1e-3),
    ("watts", re.compile(r"in_power[0-9]*(?:_\w{1,20})?_input"), 1e-3),
)
_NAMED = re.compile(r"(.*?)[\s_]*[\[(]?\s*([munkµμ]?)(s|V|A|W)\s*[\])]?")


def is_power_heading(line: str) -> bool:
    """Whether a line names a time, and a current or a power."""
    found = {what for what, _, _ in columns_of(line, separator_of(line))}
    return "time" in found and bool(found & {"amperes", "watts"})


def separator_of(heading: str) -> str:
    """The separator of the columns."""
    return max(";\t,", key=heading.count)


def columns_of(heading: str, separator: str) -> Iterator[tuple[str, int, float]]:
    """Each quantity that the heading names, the place of its column, and the unit's size."""
    known: set[str] = set()
    for place, cell in enumerate(heading.split(separator)):
        name = cell.strip().strip('"').strip()
        for what, scale in _meanings(name):
            if what not in known:
                known.add(what)
                yield what, place, scale


def is_time(name: str) -> bool:
    """Whether a column's name says that it is of times, without their unit."""
    return _WORDS["time"].fullmatch(name.lower()) is not None


def _meanings(name: str) -> Iterator[tuple[str, float]]:
    for what, pattern, scale in _SYSFS:
        if pattern.fullmatch(name):
            yield what, scale
            return
    if is_time(name):
        yield "time", 1.0
        return
    match = _NAMED.fullmatch(name)
    word, prefix, unit = match.groups() if match else (name, "", "")
    word = word.strip().lower()
    for what, base in UNITS.items():
        if unit in ("", base) and (_WORDS[what].fullmatch(word) or (not word and unit == base)):
            yield what, _PREFIXES[prefix]
            return
