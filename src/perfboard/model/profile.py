# SPDX-License-Identifier: Apache-2.0
"""A device that somebody is to build: its key issues, scenarios and options."""

import shlex
from typing import Annotated, Literal

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from perfboard.model.board.board import NAME
from perfboard.model.budget import Amount, Budget, parse_amount, parse_budget
from perfboard.model.tables import Table

Value = str | int | float | bool


def _as_text(given: object) -> object:
    """A parameter's list or table as the text that a command line would give: `files` may be
    { armhf = "app", arm64 = "app64" }, or a list."""
    if isinstance(given, dict):
        pairs = [(f"{name}=", value) for name, value in given.items()]
    elif isinstance(given, list):
        pairs = [("", given)]
    else:
        return given
    words = []
    for before, value in pairs:
        for each in value if isinstance(value, list) else (value,):
            if not isinstance(each, str):
                raise ValueError(f"found {each!r}; give text")
            words.append(shlex.quote(f"{before}{each}"))
    return " ".join(words)


Parameters = dict[str, Annotated[Value, BeforeValidator(_as_text)]]
Words = Annotated[str, Field(min_length=1, max_length=1000)]
# Why a budget is what it is: the end of a sentence, without its full stop.
Because = Annotated[str, Field(max_length=200, pattern=r"^([^\x00-\x1f]*[^\x00-\x1f.])?$")]
Name = Annotated[str, Field(pattern=f"^{NAME}$")]

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

    Without a budget, and a metric, it is only measured. `because` says why the budget is that.
    """

    name: Name
    question: Words
    metric: str = ""
    budget: AnyBudget | None = None
    because: Because = ""
    weight: Literal["must", "should"] = "must"
    published: PublishedFigure | None = None

    @model_validator(mode="after")
    def _alike(self) -> "KeyIssue":
        if self.budget is None and (self.metric or self.labels or self.published):
            raise ValueError("needs a budget for its metric; without one, omit the metric too")
        if self.budget is None and self.because:
            raise ValueError("needs a budget, which `because` is of")
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
    because: Because = ""
    weight: Literal["must", "should"] = "must"
    parts: Annotated[tuple[Count, ...], Field(min_length=1, strict=False)]

    @model_validator(mode="after")
    def _a_sum(self) -> "Scenario":
        if self.budget.percentile is not None:
            raise ValueError(f'found "{self.budget.text}"; a sum has no percentile: give <= or >=')
        return self


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
    """The publication of the rows' figures, and the board that they are of."""

    source: Words
    board: Words


class Area(Table):
    """A part of a guide: rows, each a measure with its parameters as a command line has them.

    Those of the quick list are in the guide as well; those of `all` only where the user asks.
    """

    title: Words
    quick: Annotated[tuple[Words, ...], Field(strict=False)] = ()
    more: Annotated[tuple[Words, ...], Field(strict=False)] = ()
    all: Annotated[tuple[Words, ...], Field(strict=False)] = ()


class Profile(Table):
    """A profile's file."""

    schema_: Annotated[Literal["perfboard.profile/2", "perfboard.profile/1"], Field(alias="schema")]
    profile: Device
    # Those that are only measured, at their defaults.
    measures: Annotated[tuple[Words, ...], Field(strict=False)] = ()
    key_issue: Annotated[tuple[KeyIssue, ...], Field(strict=False)] = ()
    scenario: Annotated[tuple[Scenario, ...], Field(strict=False)] = ()
    option: Annotated[tuple[DeviceChange, ...], Field(strict=False)] = ()
    area: Annotated[tuple[Area, ...], Field(strict=False)] = ()
    published: PublishedStudy | None = None

    @property
    def judges(self) -> bool:
        """Whether it has a budget; a profile without budgets is a set of measures."""
        return bool(self.scenario) or any(issue.budget for issue in self.key_issue)

    @model_validator(mode="after")
    def _has_rows(self) -> "Profile":
        if not (self.key_issue or self.measures or self.area):
            raise ValueError("needs a table [[key_issue]], or `measures`, the names of some")
        if self.area and (self.judges or self.measures or self.key_issue):
            raise ValueError("has tables [[area]] of a guide: omit its other rows, and budgets")
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
