# SPDX-License-Identifier: Apache-2.0
"""The keys of any board's file, and those of its console and boot."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from perfboard.model.options import parse_usable
from perfboard.model.tables import Table

NAME = r"^[a-z0-9][a-z0-9-]{0,39}$"
Name = Annotated[str, Field(pattern=NAME)]
Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._,=+-]*$")]


class BoardConsole(Table):
    """The serial console: its device in the guest and its data register.

    That may be a port: the first of a 16550.
    """

    device: Word
    baud: Annotated[int, Field(gt=0)]
    data_register: Annotated[int, Field(ge=0)]


class BootPlan(Table):
    """How a boot is judged: when it is usable, how long it may take.

    `usable` is `exec:NAME` (the start of that program or script) or `console:REGEX` (the line
    that matches), which a file may write as REGEX alone. `budget_s` is the verdict's, in
    seconds of the board's clock; without it there is no verdict. `limit_s` is the
    seconds of it that may pass from one mark to the next before the boot counts as hung.
    """

    usable: Annotated[str, AfterValidator(parse_usable)]
    budget_s: Annotated[float | None, Field(gt=0, strict=False)] = None
    limit_s: Annotated[float, Field(gt=0, strict=False)] = 60.0


class Board(Table):
    """The keys that any board's file has."""

    schema_: Literal["perfboard.board/1"] = Field(alias="schema")
    name: Name
    title: str
    description: str
    # The price of one, in the currency of the profiles that it is held against.
    price: Annotated[float, Field(ge=0, le=1e9, strict=False)] | None = None
    # A line of the board's data sheet a key, kept for the report.
    facts: dict[str, str] = Field(default_factory=dict)
