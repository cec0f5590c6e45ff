# SPDX-License-Identifier: Apache-2.0
"""Times as data sheets give them: in parts of a second, or in cycles of a clock."""

import re
from fractions import Fraction
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer

_DURATION = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) (fs|ps|ns|us|ms|cycles?)")
_FEMTOSECONDS = {"fs": 1, "ps": 10**3, "ns": 10**6, "us": 10**9, "ms": 10**12}
_SECOND = 10**15
# The scope's limit: it adds such times up in 64 bits.
LONGEST_FS = _SECOND // 100


class Duration:
    """A time in femtoseconds, or in cycles of the part's clock."""

    def __init__(self, text: str) -> None:
        """Raises ValueError where `text` is not like "44.5 ns" or "13 cycles"."""
        match = _DURATION.fullmatch(text)
        if match is None:
            raise ValueError(
                f'"{text}" is not a duration; write a number that is not negative and a unit, '
                'as in "44.5 ns" or "13 cycles"'
            )
        self._text = text
        self._amount = Fraction(match[1])
        self._femtoseconds = _FEMTOSECONDS.get(match[2])
        if self._femtoseconds and self._amount * self._femtoseconds > LONGEST_FS:
            raise ValueError(f'"{text}" is longer than 10 ms')

    def femtoseconds(self, hz: int) -> int:
        """The time with a clock of `hz`, to the nearest femtosecond."""
        unit = self._femtoseconds or Fraction(_SECOND, hz)
        return round(self._amount * unit)

    def __repr__(self) -> str:
        return self._text


def _duration(value: object) -> object:
    return Duration(value) if isinstance(value, str) else value


Time = Annotated[
    Duration,
    BeforeValidator(_duration),
    PlainSerializer(repr, return_type=str),
]
