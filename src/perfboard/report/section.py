# SPDX-License-Identifier: Apache-2.0
"""A section of the report: the part that shows one kind of result."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from perfboard.model.blocks import Block
from perfboard.model.results.base import Result
from perfboard.model.run import Run
from perfboard.report.blocks import block_parts

if TYPE_CHECKING:
    from rich.table import Table

ResultType = TypeVar("ResultType", bound=Result)


@dataclass(frozen=True)
class Section(Generic[ResultType]):
    """How results of a type are shown. Each function takes the run, and the result in it."""

    result: type[ResultType]
    # Its place among the sections, on the terminal and on the page.
    order: int
    # The sentence at the head of the page; "" for none.
    lead: Callable[[Run, ResultType], str]
    # The blocks that terminal and page print.
    blocks: Callable[[Run, ResultType], Iterable[Block]] = lambda run, result: ()
    # The lines and tables that the commands print, where they are not those of the blocks.
    text: "Callable[[Run, ResultType], Iterable[str | Table]] | None" = None
    # The template, as PACKAGE/FILE, and what it shows, where blocks do not say it all; `run`,
    # `blocks` as drawn, and `label`, the run's evidence in words, are there in any template.
    page: Callable[[Run, ResultType], tuple[str, Mapping[str, Any]]] = lambda run, result: (
        "blocks.html.j2",
        {},
    )
    # The outcome that the sentence states, in place of the run's single verdicts; "" if it
    # states none: "pass", "fail", "inconclusive" or "no verdict".
    concludes: Callable[[Run, ResultType], str] = lambda run, result: ""

    def parts(self, run: Run, result: ResultType) -> "Iterable[str | Table]":
        """The lines and tables for the terminal."""
        return self.text(run, result) if self.text else block_parts(self.blocks(run, result))
