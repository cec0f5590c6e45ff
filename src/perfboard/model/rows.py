# SPDX-License-Identifier: Apache-2.0
"""The rows that programs of ours print on a board (native/rows). Nothing of them is trusted."""

import json
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from perfboard.model.text import printable

_HEAD = '{"row":'
_LONGEST = 1000


# Numbers may be text: a script has no others.
Count = Annotated[int, Field(ge=0, lt=2**63)]
Positive = Annotated[int, Field(gt=0, lt=2**63)]
Whole = Annotated[int, Field(ge=-(2**63), lt=2**63)]
# Both are safe to show; words for people are cut.
Word = Annotated[str, Field(pattern=r"^\S{1,200}$"), AfterValidator(printable)]
Text = Annotated[str, AfterValidator(lambda text: printable(text[:_LONGEST]))]


class Row(BaseModel):
    """Base of the kinds of rows. Each has a `row: Literal[NAME]`; keys of newer programs are
    passed over."""

    model_config = ConfigDict(frozen=True)

    def line(self) -> str:
        """The row as a program prints it, with the line's end; without members that are None."""
        return row_line(**self.model_dump(exclude_none=True))


class RefusedRow(Row):
    """The reason why a program found nothing of `what`."""

    row: Literal["refused"]
    what: Text
    why: Text


_Kind = TypeVar("_Kind", bound=Row)


def read_rows(output: str, *kinds: type[_Kind]) -> list[_Kind]:
    """The rows of these kinds among the lines of an output, in their order.

    A line that is no row of them, or that came damaged, is passed over.
    """
    return [row for line in output.splitlines() if (row := read_row(line, *kinds)) is not None]


def row_line(row: str, **fields: object) -> str:
    """The line of a row with these fields, as native/rows/row.c writes it."""
    members = {
        name: value.encode(errors="surrogateescape").decode("latin-1")
        if isinstance(value, str)
        else value
        for name, value in fields.items()
    }
    return json.dumps({"row": row, **members}, separators=(",", ":")) + "\n"


def read_row(line: str, *kinds: type[_Kind]) -> _Kind | None:
    """The row of a line, if it is one of these kinds."""
    if not line.startswith(_HEAD):
        return None
    try:
        value = json.loads(line, object_hook=_decoded)
    except (ValueError, RecursionError):
        return None
    for kind in kinds:
        try:
            return kind.model_validate(value)
        except ValidationError:
            continue
    return None


def _decoded(members: dict[str, object]) -> dict[str, object]:
    """Their texts, whose bytes, one an escape, are UTF-8."""
    return {
        name: value.encode("latin-1", "replace").decode(errors="replace")
        if isinstance(value, str)
        else value
        for name, value in members.items()
    }
