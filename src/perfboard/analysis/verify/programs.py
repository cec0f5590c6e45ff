# SPDX-License-Identifier: Apache-2.0
"""The figures that whole programs print on a virtual board, and their accuracy."""

import re
from collections.abc import Iterable

from perfboard.analysis.verify.rows import Accuracy, Claim, accuracy
from perfboard.model.published import PublishedValue

_NUMBER = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})?")
USES = ("held-out", "development")


def program_figure(figure: PublishedValue, output: str, real_s: float) -> float | None:
    """The figure of a program that ran for `real_s` seconds, in the unit of its row.

    None if it is not of a program, or the output lacks it.
    """
    if figure.program is None:
        return None
    place = figure.program.figure
    if place is None:
        return real_s
    for line in reversed(output.splitlines()):
        if line.lstrip().startswith(place.line):
            words = line.split()
            number = _NUMBER.match(words[place.word - 1]) if place.word <= len(words) else None
            return float(number[0]) * place.scale if number else None
    return None


def program_accuracy(rows: Iterable[Claim]) -> dict[str, Accuracy]:
    """The accuracy over whole programs, by use; only those of which one was measured."""
    programs = [row for row in rows if row.published.program is not None]
    found = {use: accuracy(programs, use) for use in USES}
    return {use: half for use, half in found.items() if half is not None}
