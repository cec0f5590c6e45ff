# SPDX-License-Identifier: Apache-2.0
"""Figures that somebody published of the real board, at the levels that a virtual one has."""

from perfboard.factors.choose import factors_of
from perfboard.images.variant import Variant
from perfboard.model.published import PublishedValue, Technique

_BOOT = "boot."


def published_at(variant: Variant) -> tuple[PublishedValue, ...]:
    """The published figures that hold at the variant's levels, but for savings and scaled ones.

    A boot has to be at all of them, those that the figure does not name at their defaults. There
    a board also boots as it did before its techniques, all together.
    """
    board = variant.board
    timing = board.timing.published if board.timing else ()
    starts = (_before(each) for each in board.techniques if each.factor is None)
    return tuple(
        figure
        for figure in (*board.published, *timing, *starts)
        if not figure.less and not figure.scale and _holds(figure, variant)
    )


def _holds(figure: PublishedValue, variant: Variant) -> bool:
    if not figure.metric.startswith(_BOOT):
        return figure.factors.items() <= variant.levels.items()
    defaults = {name: factor.default for name, factor in factors_of(variant.board).items()}
    return {**defaults, **figure.factors} == dict(variant.levels)


def _before(technique: Technique) -> PublishedValue:
    return PublishedValue(
        metric=technique.metric,
        value=technique.before,
        unit="s",
        use="held-out",
        source=technique.source,
        kind=technique.kind,
    )
