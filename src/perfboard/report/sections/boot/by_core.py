# SPDX-License-Identifier: Apache-2.0
"""A boot of several cores whose instructions alone were counted: no clock tells its times."""

from collections.abc import Iterator

from perfboard.analysis.boot.metrics import boot_rows
from perfboard.analysis.boot.phases import TOTALS
from perfboard.analysis.statistics.summary import summary
from perfboard.model.blocks import TableBlock
from perfboard.model.results.boot import BootResult
from perfboard.model.run import Run
from perfboard.model.units import format_value
from perfboard.report.words.evidence import evidence_label


def counted_by_core(result: BootResult) -> bool:
    """Whether the boots are such."""
    return all(boot.counted_by_core for boot in result.boots)


def by_core(run: Run, result: BootResult) -> Iterator[TableBlock]:
    """Instructions by phase, of all cores together, and by core."""
    if not counted_by_core(result):
        return
    found = ((row, row.instructions) for row in boot_rows(result.boots))
    rows = [(row, summary(counts).median) for row, counts in found if counts]
    whole = max((count for _, count in rows), default=0.0)
    label = evidence_label(run, *TOTALS)
    yield TableBlock(
        title="Instructions by phase",
        caption=f"All cores together, {label}. They take turns by instructions: how long a phase "
        "takes is not known. `--set cores=1` counts it on one core, `--set detail=timed` times it.",
        columns=("phase", "instructions", "share"),
        rows=tuple(("  " * row.depth + row.title, *_counted(count, whole)) for row, count in rows),
        words=1,
    )
    cores = result.boots[0].cores
    of_all = sum(core.instructions for core in cores)
    yield TableBlock(
        title="Instructions by core",
        caption="The first boot. A core that waits for another runs a loop, too.",
        columns=("core", "instructions", "share"),
        rows=tuple((f"core {c.core}", *_counted(c.instructions, of_all)) for c in cores),
        words=1,
    )


def counted_lead(run: Run, result: BootResult) -> str:
    """How many instructions each boot took."""
    totals = [row for row in boot_rows(result.boots) if row.name in TOTALS and row.instructions]
    if not totals:
        return ""
    count = format_value(summary(totals[0].instructions or ()).median, "1")
    cores = len(result.boots[0].cores)
    return (
        f"{totals[0].title.capitalize()}: {count} instructions of {cores} cores "
        f"({evidence_label(run, *TOTALS)}). Their time is not known."
    )


def _counted(count: float, whole: float) -> tuple[str, str]:
    return format_value(count, "1"), f"{count / whole:.1%}" if whole else ""
