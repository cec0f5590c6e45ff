# SPDX-License-Identifier: Apache-2.0
"""The kernel's features besides the board's own: a set, as in dm-crypt+xfs."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from perfboard.factors.base import Factor, Level
from perfboard.images.kernel.features import feature_options, known_features
from perfboard.images.recipe import Recipe
from perfboard.model.board.kernel import BuiltKernel

_NONE = "none"


def _with(*names: str) -> Callable[[Recipe], Recipe]:
    def change(recipe: Recipe) -> Recipe:
        for name in names:
            recipe = recipe.with_options(feature_options(name))
        return recipe

    return change


class _Sets(Mapping[str, Level]):
    """A level for each set of features: "none", or names joined by "+". It lists single ones."""

    def __getitem__(self, level: str) -> Level:
        names = level.split("+")
        if level == _NONE:
            return Level()
        if len(set(names)) < len(names) or not set(names) <= set(known_features()):
            raise KeyError(level)
        return Level(_with(*sorted(names)))

    def __iter__(self) -> Iterator[str]:
        yield from (_NONE, *known_features())

    def __len__(self) -> int:
        return 1 + len(known_features())


def joined(level: str, names: Iterable[str]) -> str:
    """The level with the features of `level` and these `names`."""
    return "+".join(sorted({*level.split("+"), *names} - {_NONE})) or _NONE


FACTOR = Factor(
    name="features",
    title="What the kernel has besides the board's own (a set: a+b)",
    levels=_Sets(),
    observes=True,
    of_trials=True,
    has=lambda board: isinstance(board.image.kernel, BuiltKernel),
)
