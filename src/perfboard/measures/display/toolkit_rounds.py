# SPDX-License-Identifier: Apache-2.0
"""The lines that the toolkits' programs print: native/toolkits/main.c has the words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfboard.model.text import printable

# The steps of a round, in their order, with their meanings.
STEPS = {
    "window": "a larger window is made, without content; `run` is first (of each program) or rest",
    "screen": "its 40 widgets are made",
    "draw": "from the request to show it until all of it is drawn",
    "redraw": "from when all of it is exposed until it is drawn",
    "input": "from the pointer's button until the widget's handler begins",
    "unhandled": "from a key that nobody wants until the toolkit's loop returns",
    "destroy": "it is destroyed, and the server has forgotten it",
}
_ORDER = tuple(STEPS)
_LINE = re.compile(
    r"@toolkit (?:(?P<begin>begin \d{1,6})|(?P<end>end)|refused (?P<why>.{1,300})|"
    r"(?P<round>\d{1,6}) (?P<step>[a-z]{1,20}) (?P<ns>\d{1,18}))"
)


@dataclass(frozen=True)
class ToolkitRounds:
    """The times of each step in s: the first of each program's, and the rest.

    `refused` has the reason of each program that did not come to its end.
    """

    first: Mapping[str, Sequence[float]]
    rest: Mapping[str, Sequence[float]]
    refused: Sequence[str]


def read_rounds(output: str) -> ToolkitRounds:
    """The times among any output. A program's lines count as long as they are in their order."""
    first: dict[str, list[float]] = {step: [] for step in STEPS}
    rest: dict[str, list[float]] = {step: [] for step in STEPS}
    refused: list[str] = []
    # How many steps the program has ended, and how many it will; None: there is no program.
    done, wanted = 0, None
    for line in output.splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        if match["begin"]:
            if wanted is not None:
                refused.append("its program ended early")
            done, wanted = 0, int(match["begin"].split()[1]) * len(STEPS)
        elif wanted is None:
            continue
        elif match["why"]:
            refused.append(printable(match["why"]))
            wanted = None
        elif match["end"]:
            if done < wanted:
                refused.append("its program ended early")
            wanted = None
        elif done < wanted and (int(match["round"]), match["step"]) == _step(done):
            times = rest if done >= len(STEPS) else first
            times[match["step"]].append(int(match["ns"]) / 1e9)
            done += 1
        else:
            refused.append(f"its program printed {line[:80]!r} after {done} steps")
            wanted = None
    if wanted is not None:
        refused.append("its program ended early")
    return ToolkitRounds(first, rest, refused)


def _step(number: int) -> tuple[int, str]:
    return number // len(STEPS), _ORDER[number % len(STEPS)]
