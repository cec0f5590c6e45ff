# SPDX-License-Identifier: Apache-2.0
"""A number in a program's output, by a pattern of the user's.

Anyone's pattern may take for ever on a line, so it is tried in a process of its own, which ends.
"""

import json
import math
import re
import subprocess
import sys
from collections.abc import Sequence

from perfboard.bench.job import NotMeasurable
from perfboard.model.text import printable

# Bytes of each output that are looked at.
MOST_OUTPUT = 1_000_000
_LONGEST = 200
_SHOWN = 100
# The pattern's group in the last line of each text that it fits.
_SEARCH = """
import json, re, sys
asked = json.load(sys.stdin)
fits = re.compile(asked["pattern"]).search
for text in asked["texts"]:
    found = [match[1] for line in text if (match := fits(line))]
    print(json.dumps(found[-1] if found else None))
"""


def check_pattern(pattern: str) -> None:
    """Raises NotMeasurable for what is no regular expression with one group."""
    if len(pattern) > _LONGEST:
        raise NotMeasurable(f"pattern has {len(pattern)} characters; give {_LONGEST} at most")
    try:
        groups = re.compile(pattern).groups
    except (re.error, RecursionError, OverflowError) as error:
        raise NotMeasurable(f"pattern {pattern!r} is no regular expression: {error}") from error
    if groups != 1:
        raise NotMeasurable(
            f"pattern {pattern!r} has {groups} groups; give one, around the number, as in "
            r"'([0-9.]+) MB/s', and (?:...) for others"
        )


def numbers_in(pattern: str, texts: Sequence[Sequence[str]], limit_s: float = 10) -> list[float]:
    """The number that the pattern finds in each text of lines. Raises NotMeasurable."""
    try:
        # Nobody's files but Python's are looked into.
        done = subprocess.run(
            [sys.executable, "-I", "-c", _SEARCH],
            input=json.dumps({"pattern": pattern, "texts": texts}),
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotMeasurable(
            f"pattern {pattern!r} takes more than {limit_s:g} s on the output; make it simpler: "
            "a repetition inside another one takes for ever"
        ) from None
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if len(found) != len(texts):
        raise NotMeasurable(f"pattern {pattern!r} could not be tried on the output")
    return [_number(pattern, each, text) for each, text in zip(found, texts, strict=True)]


def _number(pattern: str, found: str | None, text: Sequence[str]) -> float:
    if found is None:
        last = next((line.strip() for line in reversed(text) if line.strip()), "")
        shown = f"; the last is {printable(last[:_SHOWN])!r}" if last else ": it has none"
        raise NotMeasurable(f"pattern {pattern!r} fits no line of the output{shown}")
    try:
        number = float(found)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise NotMeasurable(f"pattern {pattern!r} found {printable(found[:_SHOWN])!r}: no number")
    return number
