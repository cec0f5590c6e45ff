# SPDX-License-Identifier: Apache-2.0
"""The edges on the channels of a logic analyser's capture."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

PORTION = 4 << 20
# No line of a capture's text is as long.
_LONGEST_LINE = 1 << 20
# Times beyond three centuries are none.
MOST_NS = 10**19 // 2
_SCALES = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1, "ps": 1e-3, "fs": 1e-6}


@dataclass
class Capture:
    """The first edges of the channels that were asked for, in ns on the analyser's clock.

    `channels` are the names of all that the file has. An edge came in the `step_ns` before its
    time, the period of the sampling as far as the file shows it. `end_ns` is the file's last time,
    or None where the reading ended before it.
    """

    channels: tuple[str, ...]
    step_ns: float
    edges: dict[str, list[int]] = field(default_factory=dict)
    end_ns: int | None = None
    notes: tuple[str, ...] = ()


def unknown_channels(wanted: Iterable[str], channels: Iterable[str]) -> str:
    """A sentence on the wanted channels that the file lacks; "" if it has all."""
    there = tuple(channels)
    missing = [name for name in wanted if name not in there]
    if not missing:
        return ""
    return f"it has no channel {', '.join(missing)}; its channels are {', '.join(there) or 'none'}"


def lines_in_portions(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes of a text in portions that end with a line."""
    rest = b""
    while portion := stream.read(PORTION):
        cut = portion.rfind(b"\n") + 1
        if not cut:
            rest += portion
            if len(rest) > _LONGEST_LINE + PORTION:
                raise ValueError("it has a line without an end")
            continue
        yield rest + portion[:cut]
        rest = portion[cut:]
    if rest:
        yield rest + b"\n"


def period_ns(number: str, unit: str) -> float:
    """The time of a number such as "10" and a unit such as "us". Raises ValueError."""
    if unit not in _SCALES:
        raise ValueError(f'"{unit}" is no unit of time')
    found = float(number) * _SCALES[unit]
    if not 0 < found < MOST_NS:
        raise ValueError(f'"{number} {unit}" is no time')
    return found


_RATE = re.compile(r"([0-9.]{1,20}) ?([kMG]?)Hz")
_RATES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}


def rate_hz(text: str) -> float | None:
    """The rate in a text such as "1 MHz", in 1/s; None if there is none."""
    match = _RATE.search(text)
    try:
        found = float(match[1]) * _RATES[match[2]] if match else 0.0
    except ValueError:
        return None
    return found if 0 < found < 1e15 else None


def missing_edges(capture: Capture, wanted: Mapping[str, int]) -> dict[str, int]:
    """The channels with fewer edges than wanted, each with how many it has."""
    found = {name: len(capture.edges.get(name, ())) for name in wanted}
    return {name: count for name, count in found.items() if count < wanted[name]}
