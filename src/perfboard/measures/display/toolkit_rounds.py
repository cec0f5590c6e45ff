# SPDX-License-Identifier: Apache-2.0
"""The rows that the toolkits' programs write (native/toolkits/main.c)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from perfboard.model.rows import Count, RefusedRow, Row, Word, read_rows

# The steps of a round, in their order, with their meanings.
STEPS = {
    "window": "a larger window is made, without content; `run` is first (of each program) or rest",
    "screen": "its 40 widgets are made",
    "draw": "from the request to show it until all of it is drawn",
    "redraw": "from when all of it is exposed until it is drawn",
    "input": "from the pointer's button until the widget's handler begins",
    "unhandled": "from a key that nobody takes until the toolkit's loop returns",
    "destroy": "it is destroyed, and the server has forgotten it",
}
_ORDER = tuple(STEPS)


class _RoundsRow(Row):
    """A program begins, with that count of rounds."""

    row: Literal["rounds"]
    count: Count


class _StepRow(Row):
    row: Literal["step"]
    round: Count
    step: Word
    took_ns: Count


@dataclass(frozen=True)
class ToolkitRounds:
    """The times of each step in s: the first of each program's, and the rest.

    `refused` has the reason of each program that did not come to its end.
    """

    first: Mapping[str, Sequence[float]]
    rest: Mapping[str, Sequence[float]]
    refused: Sequence[str]


def read_rounds(output: str) -> ToolkitRounds:
    """The times among any output. A program's rows count as long as they are in their order."""
    first: dict[str, list[float]] = {step: [] for step in STEPS}
    rest: dict[str, list[float]] = {step: [] for step in STEPS}
    refused: list[str] = []
    # How many steps the program has ended, and how many it will; 0: there is no program.
    done, wanted = 0, 0
    for row in read_rows(output, _RoundsRow, _StepRow, RefusedRow):
        match row:
            case _RoundsRow():
                if done < wanted:
                    refused.append("its program ended early")
                done, wanted = 0, row.count * len(STEPS)
            case RefusedRow() if done < wanted:
                refused.append(f"{row.what}: {row.why}")
                wanted = 0
            case _StepRow() if done < wanted and (row.round, row.step) == _step(done):
                times = rest if done >= len(STEPS) else first
                times[row.step].append(row.took_ns / 1e9)
                done += 1
            case _StepRow() if wanted:
                step = f"{row.step!r} of round {row.round}"
                refused.append(f"its program printed step {step} after {done} steps")
                wanted = 0
    if done < wanted:
        refused.append("its program ended early")
    return ToolkitRounds(first, rest, refused)


def _step(number: int) -> tuple[int, str]:
    return number // len(STEPS), _ORDER[number % len(STEPS)]
