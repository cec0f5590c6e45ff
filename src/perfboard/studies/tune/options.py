# SPDX-License-Identifier: Apache-2.0
"""The options of a tune."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfboard.analysis.statistics.bootstrap import FEWEST_PROCESSES
from perfboard.bench.options import BenchOptions, silence_option, timeout_option, usable_option
from perfboard.model.budget import TOTAL, MetricLimit, parse_limits
from perfboard.model.options import (
    option,
    parse_command,
    parse_count,
    parse_levels,
    parse_one_level_each,
)
from perfboard.model.units import parse_size
from perfboard.studies.budgets import budget_option

# Below any kernel that boots a board.
_LEAST_KERNEL = 64 << 10


def _parse_limit(text: str) -> int:
    size = parse_size(text)
    if text.strip().isdigit():
        raise ValueError(f'"{text}" has no unit; give one, as in 4MB, or omit it for no limit')
    if size < _LEAST_KERNEL:
        raise ValueError(f'"{text}" is less than any kernel; give more, or omit it for no limit')
    return size


def _parse_budgets(texts: Sequence[str]) -> tuple[MetricLimit, ...]:
    limits = parse_limits(texts)
    for limit in limits:
        if limit.metric != TOTAL or limit.budget.unit != "s" or limit.labels:
            raise ValueError(f'"{limit.text}" is no limit of what it tunes, as "{TOTAL} <= 3 s"')
    return limits


@dataclass(frozen=True)
class TuneOptions:
    """The options of `perfboard tune boot`, and the board that it tunes.

    With a serial target its images are booted on that board, and not on the virtual one.
    """

    board: str
    keep: Mapping[str, str] = option(
        {},
        "a level that the best combination must have; repeatable",
        parse=parse_one_level_each,
        metavar="FACTOR=LEVEL",
        repeated=True,
    )
    allow: tuple[tuple[str, str], ...] = option(
        (),
        "accept what this level loses; repeatable",
        parse=parse_levels,
        metavar="FACTOR=LEVEL",
        repeated=True,
    )
    max_flash: int | None = option(
        None,
        "the most flash that the image may take, such as 4MB",
        parse=_parse_limit,
        metavar="SIZE",
    )
    max_ram: int | None = option(
        None,
        "the most memory that may be in use, such as 16MB",
        parse=_parse_limit,
        metavar="SIZE",
    )
    budget: tuple[MetricLimit, ...] = budget_option(f"{TOTAL} <= 3 s", parse=_parse_budgets)
    scheduler: str = option(
        "",
        "a Dask Distributed scheduler that spreads the work over machines",
        metavar="ADDRESS",
        only="virtual",
    )
    usable: str = usable_option()
    write: tuple[str, ...] = option(
        (),
        "the command that writes an image; its last arguments are the image's files; it runs on "
        "this machine, without a shell",
        parse=parse_command,
        metavar="COMMAND",
        only="serial, labgrid",
    )
    reset: tuple[str, ...] = option(
        (),
        "the command that resets the board; it must end when the board is released; it runs on "
        "this machine, without a shell",
        parse=parse_command,
        metavar="COMMAND",
        only="serial, labgrid",
    )
    silence: float = silence_option()
    timeout: float = timeout_option()
    boots: int = option(
        15,
        "the most boots of one combination (default: 15)",
        parse=parse_count("boots", FEWEST_PROCESSES, 1000),
        metavar="N",
        only="serial, labgrid",
    )

    @property
    def of_bench(self) -> BenchOptions:
        """Those that its board is opened with."""
        return BenchOptions(
            usable=self.usable,
            reset=self.reset,
            silence=self.silence,
            timeout=self.timeout,
            write=bool(self.write),
        )
