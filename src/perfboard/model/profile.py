# SPDX-License-Identifier: Apache-2.0
"""A device that somebody wants to build: its key issues, scenarios and options."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from perfboard.model.board.board import NAME
from perfboard.model.tables import Table

Value = str | int | float | bool
Parameters = dict[str, Value]
Words = Annotated[str, Field(min_length=1, max_length=1000)]
Name = Annotated[str, Field(pattern=f"^{NAME}$")]

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
    "B/s": ("B/s", 1.0),
    "kB/s": ("B/s", 1e3),
    "MB/s": ("B/s", 1e6),
    "GB/s": ("B/s", 1e9),
    "1/s": ("1/s", 1.0),
    "%": ("1", 0.01),
    "1": ("1", 1.0),
    "J": ("J", 1.0),
    "W": ("W", 1.0),
    "A": ("A", 1.0),
}
_NUMBER = r"([0-9]{1,15}(?:\.[0-9]{1,15})?)\s*(\S+)?"
_AMOUNT = re.compile(_NUMBER)
_BUDGET = re.compile(rf"(<=|>=)\s*{_NUMBER}")


def _in_base(number: str, written: str | None) -> tuple[float, str]:
    """The number in the base unit of the written one, and that. Raises ValueError."""
    if (name := written or "1") not in UNITS:
        raise ValueError(f'the unit "{name}" is not one of {", ".join(UNITS)}')
    unit, share = UNITS[name]
    return float(number) * share, unit


@dataclass(frozen=True)
class Budget:
    """A bound of a metric, in the metric's unit; the least that does, or the most."""

    value: float
    unit: str
    least: bool
    text: str


def parse_budget(text: Any) -> Any:
    """The budget that a text such as "<= 3 s" means. Raises ValueError."""
    if not isinstance(text, str):
        return text
    match = _BUDGET.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f'found "{text}"; give <= or >=, a number and a unit, as in "<= 3 s" or ">= 30 1/s"'
        )
    value, unit = _in_base(match[2], match[3])
    return Budget(value, unit, match[1] == ">=", text.strip())


@dataclass(frozen=True)
class MetricLimit:
    """A budget of a metric that a command line gives."""

    metric: str
    budget: Budget


_LIMIT = re.compile(r"\s*([a-z][\w.+-]*)\s*([<>]=.*)")


def parse_limits(texts: Sequence[str]) -> tuple[MetricLimit, ...]:
    """The limits that texts such as "boot.total <= 3 s" mean. Raises ValueError."""
    found = {}
    for text in texts:
        if (match := _LIMIT.fullmatch(text)) is None:
            raise ValueError(f'found "{text}"; give a metric and a limit, as "boot.total <= 3 s"')
        if match[1] in found:
            raise ValueError(f"{match[1]} is given more than once")
        found[match[1]] = MetricLimit(match[1], parse_budget(match[2]))
    return tuple(found.values())


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


AnyBudget = Annotated[Budget, BeforeValidator(parse_budget)]


class Part(Table):
    """A measure with its parameters, and the one of its metrics that counts."""

    # Files of perfboard.profile/1 call it a workload.
    measure: Annotated[Words, Field(validation_alias=AliasChoices("measure", "workload"))]
    metric: Words
    labels: dict[str, str] = Field(default_factory=dict)
    parameters: Parameters = Field(default_factory=dict)


class PublishedFigure(Table):
    """A figure to compare with, and what it is of: nothing is judged by it."""

    figure: Annotated[Amount, BeforeValidator(parse_amount)]
    of: Words


class KeyIssue(Part):
    """A question that decides whether a board suits the device.

    Without a budget, and a metric, it is only measured.
    """

    name: Name
    question: Words
    metric: str = ""
    budget: AnyBudget | None = None
    weight: Literal["must", "should"] = "must"
    published: PublishedFigure | None = None

    @model_validator(mode="after")
    def _alike(self) -> "KeyIssue":
        if self.budget is None and (self.metric or self.labels or self.published):
            raise ValueError("needs a budget for its metric; without one, omit the metric too")
        if self.budget is not None and not self.metric:
            raise ValueError("needs a metric, which the budget is of")
        if self.published and self.budget and self.published.figure.unit != self.budget.unit:
            raise ValueError(
                f'published.figure is "{self.published.figure.text}", and the budget '
                f'"{self.budget.text}": needs units of one kind'
            )
        return self


class Count(Part):
    """So many times a measure's metric."""

    count: Annotated[float, Field(gt=0, strict=False)] = 1.0


class Scenario(Table):
    """A use of the device, as a sum of times."""

    name: Name
    question: Words
    budget: AnyBudget
    weight: Literal["must", "should"] = "must"
    parts: Annotated[tuple[Count, ...], Field(min_length=1, strict=False)]


class DeviceChange(Table):
    """A change of the device, and its cost in the profile's currency, for each piece."""

    name: Name
    title: Words
    cost: Annotated[float, Field(strict=False)] = 0.0
    # One of these three.
    board: str | None = None
    factors: dict[str, str] = Field(default_factory=dict)
    parameters: Parameters = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_kind(self) -> "DeviceChange":
        if sum(map(bool, (self.board, self.factors, self.parameters))) != 1:
            raise ValueError("give one of board, factors and parameters")
        return self


class Device(Table):
    """The head of a profile."""

    name: Name
    device: Words
    audience: Annotated[Words, Field(alias="for")]
    currency: Words = "EUR"


class PublishedStudy(Table):
    """Who published the rows' figures, and the board that they are of."""

    source: Words
    board: Words


class Profile(Table):
    """A profile's file."""

    schema_: Annotated[Literal["perfboard.profile/2", "perfboard.profile/1"], Field(alias="schema")]
    profile: Device
    # Those that are only measured, at their defaults.
    measures: Annotated[tuple[Words, ...], Field(strict=False)] = ()
    key_issue: Annotated[tuple[KeyIssue, ...], Field(strict=False)] = ()
    scenario: Annotated[tuple[Scenario, ...], Field(strict=False)] = ()
    option: Annotated[tuple[DeviceChange, ...], Field(strict=False)] = ()
    published: PublishedStudy | None = None

    @property
    def judges(self) -> bool:
        """Whether it has a budget; a profile without budgets is a set of measures."""
        return bool(self.scenario) or any(issue.budget for issue in self.key_issue)

    @model_validator(mode="after")
    def _has_rows(self) -> "Profile":
        if not (self.key_issue or self.measures):
            raise ValueError("needs a table [[key_issue]], or `measures`, the names of some")
        return self

    @model_validator(mode="after")
    def _has_source(self) -> "Profile":
        named = [issue.name for issue in self.key_issue if issue.published]
        if named and not self.published:
            raise ValueError(
                f"key_issue {named[0]} has a published figure: give its source and board in a "
                "table [published]"
            )
        return self

    @model_validator(mode="after")
    def _names_differ(self) -> "Profile":
        rows: tuple[KeyIssue | Scenario | DeviceChange, ...]
        rows = (*self.key_issue, *self.scenario, *self.option)
        names = [row.name for row in rows]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"the name {sorted(twice)[0]} is there twice; give each row its own")
        return self
