# SPDX-License-Identifier: Apache-2.0
"""A virtual board at chosen levels of all its factors."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from perfboard.boards.loader import LoadedBoard
from perfboard.boards.scope_text import TIMED, timing_text
from perfboard.images.recipe import Recipe
from perfboard.model.board.virtual import VirtualBoard


@dataclass(frozen=True)
class Variant:
    """The subject of a build, a boot, a timing and a record. `factors.choose` makes it."""

    # The board as its file says.
    loaded: LoadedBoard
    # The level of every factor.
    levels: Mapping[str, str]
    # How its image is made.
    recipe: Recipe

    @property
    def board(self) -> VirtualBoard:
        """The board at these levels."""
        return self.recipe.board

    @property
    def timed(self) -> bool:
        """Whether a timing model drives the clock; else instructions are counted."""
        return TIMED.items() <= self.levels.items()

    @cached_property
    def timing(self) -> str | None:
        """The scope's input for the timing model; None if instructions are counted."""
        # Made when it is read: a tune chooses thousands of variants that it never boots.
        return timing_text(self.board, self.levels, self.recipe.card)
