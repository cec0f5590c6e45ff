# SPDX-License-Identifier: Apache-2.0
"""A table of what each of several cores did while a command ran."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from perfboard.model.blocks import TableBlock
from perfboard.model.run import Metric, Run
from perfboard.model.units import format_value
from perfboard.report.words.evidence import evidence_label

_TITLE = "What each core did"
_OF_CORE = re.compile(r"try\.core(\d+)\.(\w+)", re.ASCII)

_Cores = Mapping[int, Mapping[str, float]]


def of_a_core(metric: Metric) -> bool:
    """Whether the metric is of one of several cores."""
    return bool(_OF_CORE.fullmatch(metric.name))


def cores_table(run: Run) -> Iterator[TableBlock]:
    """A row a core; nothing for a board with one. Without a clock it has instructions alone."""
    cores: dict[int, dict[str, float]] = defaultdict(dict)
    for metric in run.metrics:
        if metric.samples and (found := _OF_CORE.fullmatch(metric.name)):
            cores[int(found[1])][found[2]] = metric.samples[0]
    real = [m.samples[0] for m in run.metrics if m.name == "try.time.real" and m.samples]
    if cores and real and real[0] > 0:
        yield _timed(cores, real[0], run)
    elif cores:
        yield _counted(cores, run)


def _timed(cores: _Cores, real: float, run: Run) -> TableBlock:
    def shares(core: Mapping[str, float]) -> Iterator[str]:
        idle = max(0.0, real - core["busy"] - core["paused"])
        for time_s in (core["busy"], core["paused"], idle):
            yield f"{format_value(time_s, 's')}, {time_s / real:.0%}"

    busy = sum(core["busy"] for core in cores.values()) / real
    return TableBlock(
        title=_TITLE,
        caption=f"On average {busy:.3g} of {run.board.name}'s {len(cores)} cores were busy, "
        f"{evidence_label(run)}. A core waits for another by WFE and YIELD, until that one changes "
        "a word; what idles sleeps until an interrupt. Shares are of the real time.",
        columns=("core", "busy", "waited for another", "idle", "instructions"),
        rows=tuple(
            (f"{number}", *shares(core), format_value(core["instructions"], "1"))
            for number, core in sorted(cores.items())
        ),
        words=1,
    )


def _counted(cores: _Cores, run: Run) -> TableBlock:
    whole = sum(core["instructions"] for core in cores.values()) or 1
    return TableBlock(
        title=_TITLE,
        caption=f"Shares are of all instructions of {run.board.name}, {evidence_label(run)}. A "
        "core that waits for another runs a loop, too.",
        columns=("core", "instructions", "share"),
        rows=tuple(
            (
                f"{number}",
                format_value(core["instructions"], "1"),
                f"{core['instructions'] / whole:.1%}",
            )
            for number, core in sorted(cores.items())
        ),
        words=1,
    )
