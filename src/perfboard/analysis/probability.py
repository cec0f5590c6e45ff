# SPDX-License-Identifier: Apache-2.0
"""How likely a real board keeps budgets, by how far a model was from figures of its part.

An error is the logarithm of the virtual figure over the published one. The errors of a class of
work have two parts, each normal around nothing: one that all figures of a board have together, and
one of each figure by itself. Their squares are the mean over the boards of the squared mean of a
board's errors, and of the variance around it; together they are the square of the spread that the
margin is made of (`boards.margins`). How well so few figures tell them is in a draw of the scale,
so a figure's error has Student's t distribution of as many degrees of freedom as there are figures,
less one.
"""

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfboard.model.timed_as import FEWEST, SEVERAL, StatedMargin

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    # Whether a budget is kept, in each draw.
    Draws = NDArray[np.bool_]

DRAWS = 20_000
# So likely has a row, or a board, to be for somebody to rest on it.
SURE = 0.9


@dataclass(frozen=True)
class ErrorLaw:
    """How the errors of a class are spread: those of a board together, and each by itself."""

    together: float
    alone: float
    freedom: int


def law_of(boards: Iterable[Sequence[float]], fewest: int = FEWEST) -> ErrorLaw | None:
    """That of the ratios of each board; None: there are fewer than `fewest` of them."""
    groups = [[math.log(ratio) for ratio in ratios] for ratios in boards if ratios]
    count = sum(map(len, groups))
    if count < fewest:
        return None
    means = [math.fsum(own) / len(own) for own in groups]
    together = math.fsum(mean**2 for mean in means) / len(groups)
    each = (
        math.fsum((error - mean) ** 2 for error in own) / len(own)
        for own, mean in zip(groups, means, strict=True)
    )
    alone = math.fsum(each) / len(groups)
    return ErrorLaw(math.sqrt(together), math.sqrt(alone), count - 1)


def laws_of(margins: Mapping[str, StatedMargin]) -> dict[str, ErrorLaw]:
    """The law of each class with enough figures, and that of several classes.

    That is of all figures, if they are of two classes or of several themselves, and the figures of
    a board and class are a group.
    """
    groups = {work: stated.ratios for work, stated in margins.items() if stated.ratios}
    laws = {work: law_of(own) for work, own in groups.items() if work != SEVERAL}
    if len(groups) > 1 or SEVERAL in groups:
        laws[SEVERAL] = law_of([ratios for own in groups.values() for ratios in own])
    return {work: law for work, law in laws.items() if law is not None}


@dataclass(frozen=True)
class HeldFigure:
    """A figure of a board that is held against a budget; `least`: it is the least that does.

    Equal figures have one `name`: they err alike.
    """

    board: str
    name: str
    budget: float
    least: bool

    def keeps(self, values: "NDArray[np.float64]") -> "Draws":
        """Whether each of these values keeps the budget."""
        return values >= self.budget if self.least else values <= self.budget


def modelled(
    figure: HeldFigure, value: float, works: Iterable[str], laws: Mapping[str, ErrorLaw]
) -> "Draws":
    """Whether the real board keeps the budget in each draw, where the model says `value`.

    The class of work by which that is least likely counts. Each of them has a law.
    """
    import numpy as np

    found = []
    for work in dict.fromkeys(works):
        law, shared = laws[work], _random(figure.board, work)
        own = _random(figure.board, work, figure.name).standard_normal(DRAWS)
        scale = np.sqrt(law.freedom / shared.chisquare(law.freedom, DRAWS))
        error = scale * (law.together * shared.standard_normal(DRAWS) + law.alone * own)
        # An error may be beyond all numbers, by a law of two figures.
        with np.errstate(over="ignore"):
            found.append(figure.keeps(value * np.exp(-error)))
    return min(found, key=lambda draws: int(draws.sum()))


def sampled(
    figure: HeldFigure, samples: Sequence[float], percentile: float | None = None
) -> "Draws | None":
    """Whether the mean that a real board's samples are of keeps the budget, in each draw.

    So is it for a percentile of theirs. None: a single sample does not say how far it may be off.
    """
    import numpy as np

    own = _random(figure.board, figure.name)
    values = np.array(samples, dtype=float)
    if percentile is not None:
        # The share of all that keeps the budget: Jeffreys' posterior of a proportion.
        within = int(figure.keeps(values).sum())
        shares = own.beta(within + 0.5, len(samples) - within + 0.5, DRAWS)
        enough: Draws = shares >= (100 - percentile if figure.least else percentile) / 100
        return enough
    if len(samples) < 2:
        return None
    error = float(values.std(ddof=1)) / math.sqrt(len(samples))
    return figure.keeps(values.mean() + error * own.standard_t(len(samples) - 1, DRAWS))


def known(keeps: bool) -> "Draws":
    """The draws of what is known for sure, as a size or a count of a virtual board is."""
    import numpy as np

    return np.full(DRAWS, keeps)


def share_of(rows: Iterable["Draws"]) -> float:
    """The share of the draws in which all rows keep their budgets."""
    import numpy as np

    return float(np.logical_and.reduce([known(True), *rows]).mean())


def _random(*names: str) -> "np.random.Generator":
    """Random numbers that are the same for the same names."""
    import numpy as np

    return np.random.default_rng(zlib.crc32("\0".join(names).encode()))
