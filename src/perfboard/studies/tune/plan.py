# SPDX-License-Identifier: Apache-2.0
"""What a tune will try: checked as a whole before anything is built."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, product
from pathlib import Path

from perfboard.analysis.tune.combinations import BASELINE, Combination, Space
from perfboard.boards.loader import LoadedBoard, load_board
from perfboard.boards.scope_text import TIMED
from perfboard.factors.base import Factor
from perfboard.factors.choose import changed, check_known, choose, factors_of
from perfboard.host.tools import require_tools
from perfboard.images.flash.place import XIP
from perfboard.images.image import tools_for
from perfboard.images.variant import Variant
from perfboard.model.board.architecture import architecture_of
from perfboard.model.board.board import Board
from perfboard.model.errors import UsageError
from perfboard.model.results.tune import Try
from perfboard.model.units import format_size

# A real board's boots are enough where half the interval of their median is this share of it.
PRECISION = 0.01


@dataclass(frozen=True)
class RealBoard:
    """A board on the serial line `target`, and the programs of this machine that serve it.

    `write` is given the files of an image and puts it on the board, `reset` resets the board, and
    a line that matches `usable` says that it is usable. `boots` are the most of one combination.
    """

    target: str
    usable: str
    write: tuple[str, ...]
    reset: tuple[str, ...]
    boots: int


@dataclass(frozen=True)
class TuneRequest:
    """What the user asked: the board, the levels to start from, and limits on the best.

    `max_flash` and `max_ram` are in bytes. The best has the levels of `keep`, and may have
    those of `allow` though they lose something. The images are booted on `real`, where that is
    given, in place of the virtual board.
    """

    board: str
    command: tuple[str, ...]
    baseline: Mapping[str, str] = field(default_factory=dict)
    keep: Mapping[str, str] = field(default_factory=dict)
    allow: Iterable[tuple[str, str]] = ()
    max_flash: int | None = None
    max_ram: int | None = None
    scheduler: str | None = None
    real: RealBoard | None = None


@dataclass(frozen=True)
class Plan:
    """The baseline, what is tried alone, what is refused, and the search."""

    # What `load_board` takes, from any folder.
    board_name: str
    baseline: Variant
    alone: tuple[Combination, ...]
    refused: tuple[Try, ...]
    space: Space
    # All that the board has.
    factors: Mapping[str, Factor]

    @property
    def board(self) -> Board:
        """The board as its file says."""
        return self.baseline.loaded.board

    def variant(self, combination: Combination) -> Variant:
        """The baseline with the levels of the combination. Raises UsageError for one refused."""
        return changed(self.baseline, dict(combination))

    def loses(self, combination: Combination) -> dict[str, str]:
        """What the device loses by its levels, by factor."""
        found = {name: self.factors[name].levels[level] for name, level in sorted(combination)}
        return {name: level.loses for name, level in found.items() if level.loses}

    def skips_scripts(self, combination: Combination) -> bool:
        """Whether a level of it leaves the init scripts out."""
        return any(self.factors[name].levels[level].skips_scripts for name, level in combination)

    def excluded_because(self, combination: Combination) -> str:
        """Why it may not be in the best, whatever it takes; "" where it may."""
        named, lost, found = dict(combination), self.loses(combination), []
        for factor, levels in self.space.levels.items():
            level = named.get(factor)
            if level in levels:
                continue
            if factor in lost:
                found.append(f"loses {lost[factor]}")
            elif level is not None and self.factors[factor].other_hardware:
                found.append(f"{factor}={level} is other hardware")
            else:
                wanted = " or ".join(each or self.baseline.levels[factor] for each in levels)
                found.append(f"without {factor}={wanted}")
        return ", ".join(found)

    def titles(self) -> dict[str, str]:
        """What each factor is, by name."""
        return {name: self.factors[name].title for name in self.space.levels}


def make_plan(request: TuneRequest) -> Plan:
    """The plan. Raises UsageError for levels that there are not, and limits that contradict."""
    loaded = load_board(request.board)
    board = loaded.board
    factors = factors_of(board)
    known = {name: factor for name, factor in factors.items() if not factor.observes}
    for option, given in (("--keep", request.keep.items()), ("--allow", request.allow)):
        check_known(f"a tune of board {board.name}", known, given, f"{option}: ")
    start = choose(loaded, request.baseline, TIMED)
    baseline = start.levels
    _check_limits(loaded, request)
    if request.real is not None:
        standard = {name: factor.default for name, factor in factors.items()}
        named = frozenset(request.baseline.items() - standard.items())
        if reason := _not_by_image(factors, standard, named, of_start=True):
            raise UsageError(f"--set {reason}")
    allow = set(request.allow) | set(request.keep.items()) | set(baseline.items())

    def refusal(combination: Combination) -> str:
        if request.real is not None and (reason := _not_by_image(factors, baseline, combination)):
            return reason
        try:
            changed(start, dict(combination))
        except UsageError as error:
            return str(error)
        return ""

    alone, refused = [], []
    searched: dict[str, list[str | None]] = {}
    for factor, of_it in known.items():
        kept = request.keep.get(factor)
        searched[factor] = [None] if kept in (None, baseline[factor]) else []
        for level, setting in of_it.levels.items():
            if level == baseline[factor] or kept not in (None, level):
                continue
            if not setting.technique and (factor, level) not in allow:
                continue
            single = frozenset({(factor, level)})
            if reason := refusal(single):
                refused.append(
                    Try(levels=dict(single), stage="alone", outcome="refused", problem=reason)
                )
            else:
                alone.append(single)
            outside = of_it.other_hardware and of_it.default in (baseline[factor], level)
            if not (setting.loses or outside) or (factor, level) in allow:
                searched[factor].append(level)
    _meet_kept(searched, request.keep, frozenset(request.keep.items() - baseline.items()), refusal)
    # What cannot be beside the baseline may be beside another level that is searched.
    others = [one for one in alone if all(level in searched[factor] for factor, level in one)]
    for one in refused:
        ((factor, level),) = one.levels.items()
        beside = (each for each in others if factor not in dict(each))
        if factor in request.keep or level not in searched[factor]:
            continue
        if all(refusal(each | {(factor, level)}) == one.problem for each in beside):
            searched[factor].remove(level)
    return Plan(
        board_name=request.board if _is_name(request.board) else str(loaded.path.resolve()),
        baseline=start,
        alone=(BASELINE, *alone),
        refused=tuple(refused),
        space=Space(
            levels=searched,
            # A search asks of the same ones again and again.
            possible=cache(lambda combination: not refusal(combination)),
            kernel=cache(lambda combination: _kernel(changed(start, dict(combination)))),
            max_flash=request.max_flash,
            max_ram=request.max_ram,
            resolution=Space.resolution if request.real is None else PRECISION,
        ),
        factors=factors,
    )


def _meet_kept(
    searched: dict[str, list[str | None]],
    keep: Mapping[str, str],
    kept: Combination,
    refusal: Callable[[Combination], str],
) -> None:
    """Leaves of the factors at odds with the `kept` levels what can be beside these.

    That is one factor, or else two. Raises UsageError where no level helps.
    """
    reason = refusal(kept)
    if not reason:
        return
    others = [factor for factor in searched if factor not in keep]
    for odd in (*combinations(others, 1), *combinations(others, 2)):
        beside = [
            each
            for each in product(*(searched[factor] for factor in odd))
            if not refusal(kept | {(f, level) for f, level in zip(odd, each, strict=True) if level})
        ]
        if beside:
            for factor, levels in zip(odd, zip(*beside, strict=True), strict=True):
                searched[factor] = [level for level in searched[factor] if level in levels]
            return
    raise UsageError(reason)


def check_tools(plan: Plan) -> None:
    """Raises EnvironmentLacksError where this machine lacks a tool that a level is made with."""
    uses = {use for each in plan.alone for use in tools_for(plan.variant(each).recipe)}
    require_tools(uses, architecture_of(plan.board).name)


def check_smallest(plan: Plan, sizes: Iterable[Mapping[str, int]]) -> None:
    """Raises UsageError where --max-flash is below the smallest parts of the images, together."""
    least: dict[str, int] = {}
    for parts in sizes:
        for name, size in parts.items():
            least[name] = min(size, least.get(name, size))
    limit = plan.space.max_flash
    if limit is not None and least and sum(least.values()) > limit:
        listed = ", ".join(f"{name} {format_size(size)}" for name, size in least.items())
        raise UsageError(
            f"--max-flash {format_size(limit)}: the smallest that there is takes "
            f"{format_size(sum(least.values()))} ({listed}); allow more, or make the board's "
            "image smaller"
        )


def _not_by_image(
    factors: Mapping[str, Factor],
    baseline: Mapping[str, str],
    combination: Combination,
    of_start: bool = False,
) -> str:
    """Why a real board cannot have the combination by an image; "" where it can.

    The start may name the hardware that there is.
    """
    for factor, level in combination:
        varied = factors[factor]
        if varied.beyond_image:
            return f"{factor}={level}: {varied.beyond_image}"
        outside = varied.other_hardware and varied.default in (baseline[factor], level)
        if outside and not of_start:
            return (
                f"{factor}={level}: it is other hardware than {factor}={baseline[factor]}; say "
                "with --set which of them the real board has"
            )
    return ""


def _check_limits(loaded: LoadedBoard, request: TuneRequest) -> None:
    board = loaded.board
    if request.max_ram is not None and request.real is not None:
        raise UsageError(
            "--max-ram: how much memory a real board uses is not told by its console; leave it out"
        )
    if request.max_ram is not None and board.machine.isa == "aarch64":
        raise UsageError(
            f"--max-ram: how much memory board {board.name} uses is not known, since that can be "
            "told of 32-bit kernels alone; leave it out"
        )
    for option, limit, file in (
        ("--max-flash", request.max_flash, board.image.kernel.file),
        ("--max-ram", request.max_ram, board.image.kernel.file),
    ):
        if limit is None or file is None:
            continue
        size = loaded.file(Path(file)).stat().st_size
        if limit < size:
            raise UsageError(
                f"{option} {format_size(limit)}: the kernel alone is {format_size(size)}"
            )


def _kernel(variant: Variant) -> tuple[object, ...]:
    recipe = variant.recipe
    return (*sorted(recipe.options.items()), recipe.place == XIP)


def _is_name(board: str) -> bool:
    return not ("/" in board or board.endswith(".toml"))
