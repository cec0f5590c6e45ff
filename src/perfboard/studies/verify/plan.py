# SPDX-License-Identifier: Apache-2.0
"""The runs that verify a board, in their order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from perfboard.analysis.verify.parameters import PROBES
from perfboard.analysis.verify.rows import probes_for
from perfboard.binaries.probes import all_probes
from perfboard.boards.loader import LoadedBoard, load_board
from perfboard.boards.scope_text import TIMED
from perfboard.factors.choose import choose, factors_of
from perfboard.measures.catalogue import all_measures
from perfboard.measures.probe.probes import Probe
from perfboard.model.errors import UsageError
from perfboard.model.published import PublishedProgram, PublishedValue
from perfboard.model.timing.part import Timing

# The measuring study, and its levels: the boot study, the probe of flash, other probes, or other
# measures.
Group = tuple[Literal["boot", "flash", "probes", "measures"], tuple[tuple[str, str], ...]]
# The same for rows that one run of a program is for: the program, and the row's levels.
ProgramKey = tuple[PublishedProgram, tuple[tuple[str, str], ...]]
# Times the usual time: a block can take a second of flash, and costs the host next to nothing.
_OF_FLASH = 4


@dataclass(frozen=True)
class VerifyPlan:
    """One run for each of `groups`, then one for each program. Times are the board's, in s.

    `name` is the board as the user wrote it. The run of `plain` measures the part's parameters
    too.
    """

    name: str
    loaded: LoadedBoard
    timing: Timing
    time_s: float
    plain: Group
    groups: Mapping[Group, Sequence[PublishedValue]]

    def group(self, figure: PublishedValue, levels: Mapping[str, str]) -> Group:
        """The group that measures the figure at those levels."""
        return _group(self.loaded, self.timing, figure, levels)

    def probes(self, group: Group) -> list[str]:
        """The probes of a group's run."""
        own = PROBES if group == self.plain else ()
        known = {probe.name: [name for name, *_ in probe.metrics] for probe in all_probes()}
        return sorted({*probes_for(self.groups[group], known), *own})

    def measures(self, group: Group) -> list[str]:
        """The measures of a group's run that are no probes."""
        found = (_measure_of(figure.metric) for figure in self.groups[group])
        return list(dict.fromkeys(filter(None, found)))

    def probe_time_s(self, group: Group) -> float:
        """How long they may take together."""
        return self.time_s * (_OF_FLASH if group[0] == "flash" else 1)

    @property
    def programs(self) -> dict[ProgramKey, PublishedValue]:
        """The first row of each run of a program."""
        found: dict[ProgramKey, PublishedValue] = {}
        for figure in self.timing.published:
            if figure.program is not None:
                found.setdefault(program_key(figure.program, figure), figure)
        return found


def make_plan(name: str, time_s: float) -> VerifyPlan:
    """The plan for the board's published figures.

    Raises UsageError for a board without a timing model, and for levels that it has not.
    """
    loaded = load_board(name)
    timing = loaded.board.timing
    if timing is None:
        raise UsageError(
            f"board {loaded.board.name} has no timing model to be verified; its file needs [timing]"
        )
    plain: Group = ("probes", _levels(loaded, timing, {}))
    groups: dict[Group, list[PublishedValue]] = {plain: []}
    for figure in timing.published:
        if figure.program is None:
            for levels in (figure.factors, figure.less) if figure.less else (figure.factors,):
                groups.setdefault(_group(loaded, timing, figure, levels), []).append(figure)
    for levels in (*(dict(at) for _, at in groups), *(f.factors for f in timing.published)):
        choose(loaded, levels)
    return VerifyPlan(name, loaded, timing, time_s, plain, groups)


def program_key(program: PublishedProgram, figure: PublishedValue) -> ProgramKey:
    """The same for all rows that one run of their program is for."""
    return program.model_copy(update={"figure": None}), tuple(sorted(figure.factors.items()))


def _group(
    loaded: LoadedBoard, timing: Timing, figure: PublishedValue, levels: Mapping[str, str]
) -> Group:
    at = _levels(loaded, timing, levels)
    if figure.metric.startswith("boot."):
        return "boot", at
    if figure.metric.startswith("flash."):
        return "flash", at
    return "measures" if _measure_of(figure.metric) else "probes", at


def _measure_of(metric: str) -> str | None:
    """The measure that gives the metric; None: a probe does, or none."""
    found = [each for each in all_measures().values() if each.quantity(metric)]
    if not found or any(isinstance(each, Probe) for each in found):
        return None
    return found[0].name


def _levels(
    loaded: LoadedBoard, timing: Timing, levels: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """All levels of a run. A default that is named makes no other run."""
    unnamed = {name: factor.default for name, factor in factors_of(loaded.board).items()}
    defaults = {factor: next(iter(levels)) for factor, levels in timing.factors.items()}
    named = {f: level for f, level in levels.items() if level != unnamed.get(f)}
    return tuple(sorted({**defaults, **named, **TIMED}.items()))
