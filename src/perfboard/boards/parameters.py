# SPDX-License-Identifier: Apache-2.0
"""The parameters of a timing model: one list, native/scope/parameters.def, for scope and host."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from perfboard.host.programs.native import native_folder
from perfboard.model.timing.duration import Duration
from perfboard.model.timing.part import Timing

_LIMIT = re.compile(r"^#define (MOST_\w+) (\d+)", re.MULTILINE)
_CHOICE = re.compile(r"^CHOICE\((\w+), (.*)\)$", re.MULTILINE)
# A parameter that several tables have, and the tables.
_EACH = re.compile(r"^#define (EACH_\w+)\(((?:.*\\\n)+.*)$", re.MULTILINE)
_TABLE = re.compile(r'PARAMETER\("([\w.]+)" path')
_PARAMETER = re.compile(r'^(PARAMETER|EACH_\w+)\("([\w.]+)", (\w+), (\w+), (\w+),', re.MULTILINE)
_SECOND = 10**15
_UNITS = {"TIME": " fs", "CYCLES": " thousandths of a cycle"}


@dataclass(frozen=True)
class ScopeParameter:
    """One figure of a part: where a board file has it, and what the scope takes."""

    path: str  # in a board's table `timing`, as in "memory.latency"
    kind: str  # as parameters.def explains
    least: int  # of the number in the scope's file
    most: int
    words: tuple[str, ...]  # one of which it is; (): a number

    def value(self, timing: Timing) -> object:
        """The model's figure; None where it has no such table or key."""
        found: object = timing
        for key in self.path.split("."):
            found = getattr(found, key, None)
        return found

    def text(self, timing: Timing) -> str:
        """The value in the scope's file; "" where there is none."""
        hz = timing.clock.hz
        match self.value(timing):
            case None:
                return ""
            case Duration() as time if self.kind == "CYCLES":
                return str(round(time.femtoseconds(hz) * hz * 1000 / _SECOND))
            case Duration() as time:
                return str(time.femtoseconds(hz))
            case bool() as flag:
                return str(flag).lower()
            case float() | int() as cycles if self.kind == "CYCLES":
                return str(round(cycles * 1000))
            case value:
                return str(value)

    def problem(self, timing: Timing) -> str:
        """Why the scope would refuse the value; "" where it takes it."""
        text = self.text(timing)
        if not text or (text in self.words if self.words else self.least <= int(text) <= self.most):
            return ""
        wanted = f"{self.least} to {self.most}{_UNITS.get(self.kind, '')}"
        if self.words:
            wanted = " or ".join((", ".join(self.words[:-1]), self.words[-1]))
        return f"{self.path}: found {self.value(timing)}; give {wanted}"


@cache
def parameters() -> tuple[ScopeParameter, ...]:
    """All of them, in the order of the list."""
    text = (native_folder("scope") / "parameters.def").read_text()
    limits = {name: int(number) for name, number in _LIMIT.findall(text)}
    words = {kind: tuple(re.findall(r'"(\w+)"', given)) for kind, given in _CHOICE.findall(text)}
    tables = {"PARAMETER": [""]}
    tables |= {name: _TABLE.findall(body) for name, body in _EACH.findall(text)}

    def number(word: str) -> int:
        return limits[word] if word in limits else int(word, 0)

    return tuple(
        ScopeParameter(table + path, kind, number(least), number(most), words.get(kind, ()))
        for macro, path, kind, least, most in _PARAMETER.findall(text)
        for table in tables[macro]
    )


def problems(timing: Timing) -> Iterator[str]:
    """The figures of the model that the scope would refuse, a line each."""
    return filter(None, (parameter.problem(timing) for parameter in parameters()))


def lines(timing: Timing) -> Iterator[str]:
    """The model's parameters as the scope reads them."""
    for parameter in parameters():
        if text := parameter.text(timing):
            yield f"{parameter.path} {text}"
