# SPDX-License-Identifier: Apache-2.0
"""A factor and its levels: each changes the recipe of a board's image."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from perfboard.images.recipe import Recipe
from perfboard.model.board.network import Network
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.errors import UsageError


def _as_it_is(recipe: Recipe) -> Recipe:
    return recipe


@dataclass(frozen=True)
class Level:
    """One setting of a factor."""

    # Makes its recipe from the default's. Raises UsageError if the board cannot have it.
    change: Callable[[Recipe], Recipe] = _as_it_is
    # A function or information that the device loses, or "".
    loses: str = ""
    # The init scripts do not run, so that a boot without them has not failed.
    skips_scripts: bool = False
    # False for a level that is only compared with: a tune tries it when asked to.
    technique: bool = True
    # How it changes what is measured, if it does: after "FACTOR=LEVEL".
    perturbs: str = ""
    # The levels that it cannot stand together with, each with its factor, and why.
    excludes: Mapping[tuple[str, str], str] = field(default_factory=dict)


@dataclass(frozen=True)
class Factor:
    """A setting that a study varies."""

    name: str
    # The varied thing, in a few words.
    title: str
    # By name, the default first.
    levels: Mapping[str, Level]
    # Tells whether a board has this factor.
    has: Callable[[VirtualBoard], bool] = lambda board: True
    # Its levels change the recipe after those of the other factors.
    late: bool = False
    # It shows where the time goes, and makes no boot shorter: a tune leaves it as it is.
    observes: bool = False
    # The default is one machine and the other levels are another, so that going from one to
    # the other is no way to make a board faster.
    other_hardware: bool = False
    # Factors whose levels change what its own do: a tune tries each pair of levels.
    tried_with: tuple[str, ...] = ()
    # The phases that its levels may make shorter; () where it may be any.
    shortens: tuple[str, ...] = ()
    # A trial of a command, whose kernel is the board's with more, has it too.
    of_trials: bool = False
    # Why no image gives a real board another level; "" if one does.
    beyond_image: str = ""
    # The default of a board, where that depends on it.
    default_of: Callable[[VirtualBoard], str] | None = None

    def of(self, board: VirtualBoard) -> "Factor":
        """The factor as that board has it: with its default first."""
        if self.default_of is None:
            return self
        first = self.default_of(board)
        return replace(self, levels={first: self.levels[first], **self.levels})

    @property
    def default(self) -> str:
        """The level that a board has unless another is chosen."""
        return next(iter(self.levels))


def set_fields(**fields: Any) -> Callable[[Recipe], Recipe]:
    """The change that sets those fields of the recipe."""
    return lambda recipe: replace(recipe, **fields)


def set_root(**fields: Any) -> Callable[[Recipe], Recipe]:
    """The change that sets those fields of the recipe of the root file system."""
    return lambda recipe: replace(recipe, root=replace(recipe.root, **fields))


def add_arguments(*words: str) -> Callable[[Recipe], Recipe]:
    """The change that adds those words to the kernel's command line."""
    return lambda recipe: replace(recipe, arguments=(*recipe.arguments, *words))


def refuse(reason: str) -> Level:
    """A level that no board can have; `reason` begins with FACTOR=LEVEL."""

    def change(recipe: Recipe) -> Recipe:
        raise UsageError(reason)

    return Level(change)


def has_network(board: VirtualBoard) -> bool:
    """Whether the board has a network to change."""
    return board.network is not None


def change_network(change: Callable[[Network], Network]) -> Callable[[Recipe], Recipe]:
    """The change of a recipe whose board has another network."""

    def changed(recipe: Recipe) -> Recipe:
        network = recipe.board.network
        network = network and change(network)
        return replace(recipe, board=recipe.board.model_copy(update={"network": network}))

    return changed


def network_factor(
    name: str, title: str, levels: Mapping[str, Callable[[Network], Network]]
) -> Factor:
    """A factor of the network beyond the board; its default is the network of the board's file."""

    others = {
        each: Level(change_network(change), technique=False) for each, change in levels.items()
    }
    return Factor(
        name,
        title,
        {"board": Level(), **others},
        has=has_network,
        other_hardware=True,
        of_trials=True,
        beyond_image="it is another network, and no image changes it",
    )
