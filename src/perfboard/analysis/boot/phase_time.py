# SPDX-License-Identifier: Apache-2.0
"""A phase of a boot: as it is defined by its marks, and as it was measured."""

from collections.abc import Sequence
from dataclasses import dataclass

from perfboard.model.results.boot import Boot, Mark

# A duration that is known worse than this is an interval.
_TENTH = 10


@dataclass(frozen=True)
class Phase:
    """A phase as defined: its metric name, the boot study's number, and its two marks."""

    name: str
    number: str
    title: str
    start: str
    end: str


@dataclass(frozen=True)
class PhaseTime:
    """A phase as measured in one boot.

    `name` is the metric's name without its unit; `depth` is 0 for a phase and 1
    for a step inside one. `precision_ns` is the sum of the marks' precisions. `parts` are the
    phases that it joins.
    """

    name: str
    number: str
    title: str
    start: Mark
    end: Mark
    depth: int = 0
    parts: tuple[Phase, ...] = ()

    @property
    def duration_ns(self) -> int:
        """Nanoseconds from the start mark to the end mark."""
        return self.end.t_ns - self.start.t_ns

    @property
    def instructions(self) -> int | None:
        """Instructions between the marks, or None where a mark has no count."""
        if self.start.instructions is None or self.end.instructions is None:
            return None
        return self.end.instructions - self.start.instructions

    @property
    def precision_ns(self) -> int:
        """How far the duration may be from the truth."""
        return self.start.precision_ns + self.end.precision_ns

    @property
    def between_ns(self) -> tuple[int, int] | None:
        """The shortest and longest that it may be, if it is not known to a tenth of itself.

        None where no mark of it is only bounded: `precision_ns` says how well it is known then.
        """
        if not (self.start.bounded or self.end.bounded):
            return None
        since_ns, until_ns = self.start.latest_ns, self.end.latest_ns
        if since_ns is None or until_ns is None:
            return None
        least_ns = max(0, self.end.earliest_ns - since_ns)
        most_ns = max(least_ns, until_ns - self.start.earliest_ns)
        known = (most_ns - least_ns) * _TENTH <= self.duration_ns
        return None if known else (least_ns, most_ns)


def between_of(boots: Sequence[Sequence[PhaseTime]]) -> tuple[int, int] | None:
    """The least and most ns that the parts of any boot add up to.

    None if each part is known to a tenth of itself.
    """
    if all(part.between_ns is None for parts in boots for part in parts):
        return None
    bounds = [
        [part.between_ns or (part.duration_ns, part.duration_ns) for part in parts]
        for parts in boots
    ]
    return (
        min(sum(least for least, _ in parts) for parts in bounds),
        max(sum(most for _, most in parts) for parts in bounds),
    )


def joined(parts: list[Phase], start: Mark, end: Mark) -> PhaseTime:
    """The time of phases that follow each other, from the first mark to the last."""
    numbers = [part.number for part in parts]
    return PhaseTime(
        name="+".join([parts[0].name, *(part.name.removeprefix("boot.") for part in parts[1:])]),
        number="+".join(numbers),
        title=", ".join(part.title for part in parts),
        start=start,
        end=end,
        parts=tuple(parts),
    )


def phase_names(joined: str) -> list[str]:
    """The metrics of phases that follow each other, of their names joined as in `cut_phases`."""
    first, *others = joined.split("+")
    return [first, *(f"boot.{name}" for name in others)]


def reached(boot: Boot, name: str) -> Mark | None:
    """The boot's mark of that name, if it is known when, or by when, it came."""
    mark = boot.mark(name)
    return None if mark is None or mark.latest_ns is None else mark
