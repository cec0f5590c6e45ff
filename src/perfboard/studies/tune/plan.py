# SPDX-License-Identifier: Apache-2.0
"""The plan of a tune: checked as a whole before anything is built."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

from perfboard.analysis.tune.combinations import START, Combination, Space
from perfboard.bench.lab import Lab
from perfboard.bench.options import check_command
from perfboard.bench.request import Request
from perfboard.boards.loader import LoadedBoard, load_board
from perfboard.factors.base import Factor
from perfboard.factors.choose import changed, check_known, choose, factors_of
from perfboard.host.programs.tools import Use
from perfboard.images.flash.place import XIP
from perfboard.images.image import tools_for
from perfboard.images.variant import Variant
from perfboard.model.board.kernel import OwnKernel
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.errors import UsageError
from perfboard.model.options import flag
from perfboard.model.results.tune import Try
from perfboard.model.units import format_size
from perfboard.studies.tune.options import TuneOptions

# A real board's boots are enough where half the interval of their median is this share of it.
PRECISION = 0.01


@dataclass(frozen=True)
class TunePlan:
    """The start, what is tried alone, what is refused, and the search."""

    # The board as `load_board` takes it, from any folder.
    board_name: str
    start: Variant
    alone: tuple[Combination, ...]
    refused: tuple[Try, ...]
    space: Space
    # All that the board has.
    factors: Mapping[str, Factor]

    @property
    def board(self) -> VirtualBoard:
        """The board as its file says."""
        return self.start.loaded.board

    def variant(self, combination: Combination) -> Variant:
        """The start with the levels of the combination. Raises UsageError for one refused."""
        return changed(self.start, dict(combination))

    def loses(self, combination: Combination) -> dict[str, str]:
        """The functions that the device loses by its levels, by factor."""
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
                wanted = " or ".join(each or self.start.levels[factor] for each in levels)
                found.append(f"without {factor}={wanted}")
        return ", ".join(found)

    def titles(self) -> dict[str, str]:
        """The title of each factor, by name."""
        return {name: self.factors[name].title for name in self.space.levels}


def make_plan(request: Request, options: TuneOptions, exact: bool) -> TunePlan:
    """The plan for a board that repeats `exact`ly, or for one that images are written to.

    Raises UsageError for levels that there are not, and limits that contradict.
    """
    if not exact:
        _check_commands(request, options)
    loaded = load_board(options.board)
    board = loaded.board
    factors = factors_of(board)
    known = {name: factor for name, factor in factors.items() if not factor.observes}
    for name, given in (("--keep", options.keep.items()), ("--allow", options.allow)):
        check_known(f"a tune of board {board.name}", known, given, f"{name}: ")
    start = choose(loaded, request.factors)
    at_start = start.levels
    if start.timing is not None and not start.timed:
        raise UsageError(
            f"a tune needs times, and with detail=counted the {start.board.machine.cpus} cores of "
            f"board {board.name} have none: leave it out, or add --set cores=1"
        )
    _check_limits(loaded, options, exact)
    if not exact:
        standard = {name: factor.default for name, factor in factors.items()}
        named = frozenset(request.factors.items() - standard.items())
        if reason := _not_by_image(factors, standard, named, of_start=True):
            raise UsageError(f"--set {reason}")
    allow = set(options.allow) | set(options.keep.items()) | set(at_start.items())

    def refusal(combination: Combination) -> str:
        if not exact and (reason := _not_by_image(factors, at_start, combination)):
            return reason
        try:
            changed(start, dict(combination))
        except UsageError as error:
            return str(error)
        return ""

    alone, refused = [], []
    searched: dict[str, list[str | None]] = {}
    for factor, of_it in known.items():
        kept = options.keep.get(factor)
        searched[factor] = [None] if kept in (None, at_start[factor]) else []
        for level, setting in of_it.levels.items():
            if level == at_start[factor] or kept not in (None, level):
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
            outside = of_it.other_hardware and of_it.default in (at_start[factor], level)
            if not (setting.loses or outside) or (factor, level) in allow:
                searched[factor].append(level)
    _meet_kept(searched, options.keep, frozenset(options.keep.items() - at_start.items()), refusal)
    # A level that the start excludes may go with another level that is searched.
    others = [one for one in alone if all(level in searched[factor] for factor, level in one)]
    for one in refused:
        ((factor, level),) = one.levels.items()
        beside = (each for each in others if factor not in dict(each))
        if factor in options.keep or level not in searched[factor]:
            continue
        if all(refusal(each | {(factor, level)}) == one.problem for each in beside):
            searched[factor].remove(level)
    return TunePlan(
        board_name=options.board if _is_name(options.board) else str(loaded.path.resolve()),
        start=start,
        alone=(START, *alone),
        refused=tuple(refused),
        space=Space(
            levels=searched,
            # A search asks of the same ones again and again.
            possible=cache(lambda combination: not refusal(combination)),
            kernel=cache(lambda combination: _kernel(changed(start, dict(combination)))),
            max_flash=options.max_flash,
            max_ram=options.max_ram,
            resolution=Space.resolution if exact else PRECISION,
        ),
        factors=factors,
    )


def _check_commands(request: Request, options: TuneOptions) -> None:
    needed = {"write": options.write, "reset": options.reset, "usable": options.usable}
    if missing := [flag(name) for name, given in needed.items() if not given]:
        raise UsageError(
            f"--target {request.target} needs {', '.join(missing)}: a real board is tuned with "
            "--write COMMAND, which puts an image on it, --reset COMMAND, which resets it, and "
            "--usable REGEX, the console line that means ready, or with these in its file"
        )
    for name, command in (("write", options.write), ("reset", options.reset)):
        check_command(flag(name), command)


def _meet_kept(
    searched: dict[str, list[str | None]],
    keep: Mapping[str, str],
    kept: Combination,
    refusal: Callable[[Combination], str],
) -> None:
    """Leaves of the factors at odds with the `kept` levels what can go with these.

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


def tools_of(plan: TunePlan) -> set[Use]:
    """The uses of tools for the images of all levels."""
    return {use for each in plan.alone for use in tools_for(plan.variant(each).recipe)}


def check_tools(plan: TunePlan, lab: Lab) -> None:
    """Raises EnvironmentLacksError where this machine lacks a tool that a level is made with."""
    lab.require(tools_of(plan), plan.board.machine.architecture.name)


def check_smallest(plan: TunePlan, sizes: Iterable[Mapping[str, int]]) -> None:
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
    at_start: Mapping[str, str],
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
        outside = varied.other_hardware and varied.default in (at_start[factor], level)
        if outside and not of_start:
            return (
                f"{factor}={level}: it is other hardware than {factor}={at_start[factor]}; say "
                "with --set which of them the real board has"
            )
    return ""


def _check_limits(loaded: LoadedBoard, options: TuneOptions, exact: bool) -> None:
    board = loaded.board
    if options.max_ram is not None and not exact:
        raise UsageError(
            "--max-ram: a real board's console does not show how much memory is in use; omit it"
        )
    if options.max_ram is not None and board.machine.architecture.bits == 64:
        raise UsageError(
            f"--max-ram: board {board.name} has a 64-bit kernel, and only 32-bit kernels show how "
            "much memory is in use; omit it"
        )
    kernel = board.image.kernel
    if not isinstance(kernel, OwnKernel):
        return
    size = loaded.file(kernel.file).stat().st_size
    for name, limit in (("--max-flash", options.max_flash), ("--max-ram", options.max_ram)):
        if limit is not None and limit < size:
            raise UsageError(
                f"{name} {format_size(limit)}: the kernel alone is {format_size(size)}"
            )


def _kernel(variant: Variant) -> tuple[object, ...]:
    recipe = variant.recipe
    return (*sorted(recipe.options.items()), recipe.distribution, recipe.place == XIP)


def _is_name(board: str) -> bool:
    return not ("/" in board or board.endswith(".toml"))
