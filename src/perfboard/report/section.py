# SPDX-License-Identifier: Apache-2.0
"""A section of the report: the part that shows one kind of result."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from perfboard.model.results.base import Result
from perfboard.model.run import Run

if TYPE_CHECKING:
    from rich.table import Table

ResultType = TypeVar("ResultType", bound=Result)


@dataclass(frozen=True)
class Section(Generic[ResultType]):
    """How results of a type are shown. Each function takes the run, and the result in it."""

    result: type[ResultType]
    # Its place among the sections, on the terminal and on the page.
    order: int
    # The lines and tables that the commands print.
    text: "Callable[[Run, ResultType], Sequence[str | Table]]"
    # The template, as PACKAGE/FILE, and what it shows; `run` and `label`, its evidence in words,
    # are there in any template.
    page: Callable[[Run, ResultType], tuple[str, Mapping[str, Any]]]
    # The sentence at the head of the page; "" for none.
    lead: Callable[[Run, ResultType], str]
    # The outcome that the sentence states, in place of the run's single verdicts; "" if it
    # states none: "pass", "fail", "inconclusive" or "no verdict".
    concludes: Callable[[Run, ResultType], str] = lambda run, result: ""
