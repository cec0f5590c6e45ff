# SPDX-License-Identifier: Apache-2.0
"""Budgets of metrics, as people write them: "<= 3 s", "p99 <= 20 ms", ">= 90 Mbit/s"."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

# As people write them, and what each is of the base unit.
UNITS: dict[str, tuple[str, float]] = {
    "s": ("s", 1.0),
    "ms": ("s", 1e-3),
    "us": ("s", 1e-6),
    "ns": ("s", 1e-9),
    "min": ("s", 60.0),
    "B": ("B", 1.0),
    "kB": ("B", 1e3),
    "MB": ("B", 1e6),
    "GB": ("B", 1e9),
    "KiB": ("B", 1024.0),
    "MiB": ("B", 1048576.0),
    "GiB": ("B", 1073741824.0),
    "B/s": ("B/s", 1.0),
    "kB/s": ("B/s", 1e3),
    "MB/s": ("B/s", 1e6),
    "GB/s": ("B/s", 1e9),
    "kbit/s": ("B/s", 125.0),
    "Mbit/s": ("B/s", 125e3),
    "Gbit/s": ("B/s", 125e6),
    "1/s": ("1/s", 1.0),
    "%": ("1", 0.01),
    "1": ("1", 1.0),
    "J": ("J", 1.0),
    "W": ("W", 1.0),
    "A": ("A", 1.0),
}
# The metric of a whole boot.
TOTAL = "boot.total"
# A percentile needs ten samples beyond it, on the average.
_BEYOND = 10
_NUMBER = r"([0-9]{1,15}(?:\.[0-9]{1,15})?)\s*(\S+)?"
_AMOUNT = re.compile(_NUMBER)
_BUDGET = re.compile(rf"(?:p([0-9]{{1,2}}(?:\.[0-9]{{1,3}})?)\s*)?(<=|>=)\s*{_NUMBER}")
_LIMIT = re.compile(r"\s*([a-z][\w.+-]*)\s*(?:\{([^{}]*)\}\s*)?((?:\sp[0-9.]+\s*)?[<>]=.*)")


def _in_base(number: str, written: str | None) -> tuple[float, str]:
    """The number in the base unit of the written one, and that. Raises ValueError."""
    if (name := written or "1") not in UNITS:
        raise ValueError(f'the unit "{name}" is not one of {", ".join(UNITS)}')
    unit, share = UNITS[name]
    return float(number) * share, unit


@dataclass(frozen=True)
class Budget:
    """A bound of a metric, in the metric's unit; the least that does, or the most.

    With `percentile` it is of that one of the samples, in percent: half of them lie within the
    50th.
    """

    value: float
    unit: str
    least: bool
    text: str
    percentile: float | None = None

    @property
    def fewest(self) -> int:
        """The samples that are needed to say whether it is kept."""
        if self.percentile is None:
            return 1
        beyond = min(self.percentile, 100 - self.percentile)
        return math.ceil(round(100 * _BEYOND / beyond, 6))

    def lacks(self, samples: int) -> str:
        """The reason why this number of samples is too small, with the one that does; or ""."""
        if self.percentile is None or samples >= self.fewest:
            return ""
        return (
            f"p{self.percentile:g} needs at least {self.fewest:,} samples, and there "
            f"{'is' if samples == 1 else 'are'} {samples:,}: measure for longer, or budget a "
            "lower percentile"
        )


def parse_budget(text: Any) -> Any:
    """The budget that a text such as "<= 3 s" or "p99 <= 20 ms" means. Raises ValueError."""
    if not isinstance(text, str):
        return text
    match = _BUDGET.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f'found "{text}"; give <= or >=, a number and a unit, as in "<= 3 s" or ">= 30 1/s", '
            'or a percentile of the samples, as in "p99 <= 20 ms"'
        )
    percentile = float(match[1]) if match[1] else None
    if percentile == 0:
        raise ValueError(f'found "{text}"; a percentile is above p0, and below p100')
    value, unit = _in_base(match[3], match[4])
    return Budget(value, unit, match[2] == ">=", text.strip(), percentile)


@dataclass(frozen=True)
class MetricLimit:
    """A budget that a command line gives, of each metric of that name with those labels."""

    metric: str
    budget: Budget
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """As the user writes it."""
        labels = ", ".join(f"{key}={value}" for key, value in self.labels.items())
        return f"{self.metric}{f'{{{labels}}}' if labels else ''} {self.budget.text}"


def total_limit(seconds: float) -> MetricLimit:
    """The most seconds that a boot may take."""
    return MetricLimit(TOTAL, Budget(seconds, "s", least=False, text=f"<= {seconds:g} s"))


def parse_limits(texts: Sequence[str]) -> tuple[MetricLimit, ...]:
    """The limits that texts such as "boot.total <= 3 s" mean. Raises ValueError."""
    found: list[MetricLimit] = []
    for text in texts:
        if (match := _LIMIT.fullmatch(text)) is None:
            raise ValueError(f'found "{text}"; give a metric and a limit, as "boot.total <= 3 s"')
        labels = {}
        for pair in (match[2] or "").split(",") if match[2] else ():
            key, equals, value = pair.strip().partition("=")
            if not key or not equals:
                raise ValueError(f'found "{text}"; give labels as in {{streams=1}}')
            labels[key] = value
        limit = MetricLimit(match[1], parse_budget(match[3]), labels)
        its = (limit.metric, limit.labels, limit.budget.percentile)
        if any((each.metric, each.labels, each.budget.percentile) == its for each in found):
            raise ValueError(f"{limit.metric} is given more than once")
        found.append(limit)
    return tuple(found)


@dataclass(frozen=True)
class Amount:
    """A number in a base unit, and as it was written."""

    value: float
    unit: str
    text: str


def parse_amount(text: Any) -> Any:
    """The amount that a text such as "2852 KiB" means. Raises ValueError."""
    if not isinstance(text, str):
        return text
    if (match := _AMOUNT.fullmatch(text.strip())) is None:
        raise ValueError(f'found "{text}"; give a number and a unit, as in "2852 KiB"')
    return Amount(*_in_base(match[1], match[2]), text.strip())
