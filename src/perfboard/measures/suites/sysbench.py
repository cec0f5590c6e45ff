# SPDX-License-Identifier: Apache-2.0
"""program.sysbench: sysbench's processor test, by number of threads."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from perfboard.measures.base import Example, Quantity
from perfboard.measures.reading import example_text
from perfboard.measures.suites.base import QUOTE, Suite, number_of

_EVENTS = "events per second:"


class Sysbench(Suite):
    """`sysbench cpu` for two seconds: primes up to 10,000 by divisions."""

    name = "program.sysbench"
    title = "sysbench's processor test, by threads"
    commands_of: ClassVar = {"cpu": "sysbench cpu --threads=$t --time=2 run"}
    programs = ("sysbench",)
    packages = ("sysbench",)
    metrics = (Quantity("program.sysbench.cpu", "1/s", "events a second: label threads", "higher"),)
    examples = (
        Example(
            f"{example_text('cpu', '1')}{QUOTE}    events per second:    39.52\n",
            {"program.sysbench.cpu": 39.52},
        ),
    )

    def figures(self, name: str, lines: Sequence[str]) -> Mapping[str, float]:
        words = (line.removeprefix(_EVENTS) for line in lines if line.startswith(_EVENTS))
        value = number_of(next(words, "").strip())
        return {f"{self.name}.{name}": value} if value else {}


MEASURES = (Sysbench(),)
