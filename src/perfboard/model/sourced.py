# SPDX-License-Identifier: Apache-2.0
"""Tables of figures that say where they come from."""

from typing import Annotated, Literal

from pydantic import Field

from perfboard.model.tables import Table

Count = Annotated[int, Field(ge=1, le=4096)]


class WithSource(Table):
    """A table of figures: where they come from, and how far that can be relied on.

    `kind` is `data-sheet` or `manual` (the maker's word), `unchecked` (the same from memory:
    the document was not at hand), `measured` (somebody's microbenchmark of the part), or
    `assumed`, with the reason in `source`.
    """

    source: Annotated[str, Field(min_length=10, pattern=r"^[^\x00-\x20][^\x00-\x1f]+$")]
    kind: Literal["data-sheet", "manual", "unchecked", "measured", "assumed"]
