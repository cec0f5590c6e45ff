# SPDX-License-Identifier: Apache-2.0
"""A boot's marks as a value change dump, as a logic analyser at as many pins would write it."""

import re

from perfboard.model.results.boot import BootResult
from perfboard.model.run import Run

_FIRST, _CODES = 33, 94


def dump(run: Run) -> str:
    """The marks of the run's first boot: a wire each, which changes its level at each of its name.

    Times are nanoseconds since the reset, or the first mark, and one more: a wire is low before.
    """
    boots = [boot for result in run.results_of(BootResult) for boot in result.boots]
    marks = sorted(boots[0].marks, key=lambda mark: mark.t_ns) if boots else []
    codes: dict[str, str] = {}
    for mark in marks:
        codes.setdefault(re.sub(r"[^!-~]", "_", mark.name), _code(len(codes)))
    lines = [
        f"$comment Perfboard, run {run.id}, evidence {run.evidence} $end",
        "$timescale 1 ns $end",
        "$scope module boot $end",
        *(f"$var wire 1 {code} {name} $end" for name, code in codes.items()),
        "$upscope $end",
        "$enddefinitions $end",
        "#0",
        *(f"0{code}" for code in codes.values()),
    ]
    levels: dict[str, int] = {}
    for mark in marks:
        code = codes[re.sub(r"[^!-~]", "_", mark.name)]
        levels[code] = 1 - levels.get(code, 0)
        lines += [f"#{mark.t_ns + 1}", f"{levels[code]}{code}"]
    return "\n".join(lines) + "\n"


def _code(number: int) -> str:
    text = ""
    while True:
        text += chr(_FIRST + number % _CODES)
        number //= _CODES
        if not number:
            return text
