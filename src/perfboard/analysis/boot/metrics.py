# SPDX-License-Identifier: Apache-2.0
"""From boots to the rows of the phase table, and to metrics."""

from collections.abc import Sequence
from dataclasses import dataclass

from perfboard.analysis.boot.phase_time import PhaseTime, between_of
from perfboard.analysis.boot.phases import cut_boot, total
from perfboard.analysis.counters import counter_metrics
from perfboard.model.results.boot import Boot
from perfboard.model.run import Metric

# A metric of the image that boots.
KERNEL_SIZE = "image.kernel.size"
FIRMWARE = "boot.firmware"


@dataclass(frozen=True)
class BootRow:
    """One phase, step of user space, or the total, over the boots of a run.

    `seconds` and `instructions` hold one value a boot, in the boots' order;
    `instructions` is None where any boot lacks the count. `precision_ns` is the
    worst of the boots. `depth` is 1 for a step inside a phase, else 0. `between` are the least and
    the most seconds of any boot, if one is not known to a tenth of itself.
    """

    name: str
    number: str
    title: str
    depth: int
    seconds: tuple[float, ...]
    instructions: tuple[int, ...] | None
    precision_ns: int
    between: tuple[float, float] | None = None


def boot_rows(boots: Sequence[Boot]) -> tuple[BootRow, ...]:
    """The rows that every boot has, in the first boot's order, `boot.total` last.

    Steps of one name, such as an init script that runs twice, are summed.
    """
    cuts = [_cut(boot) for boot in boots]
    return tuple(
        _row([cut[name] for cut in cuts])
        for name in (cuts[0] if cuts else ())
        if all(name in cut for cut in cuts)
    )


def metrics_of(boots: Sequence[Boot]) -> tuple[Metric, ...]:
    """The metrics of a boot study: for each row its time and its instructions.

    Times are in s; the count of instructions, `<name>.instructions` in 1, follows
    its time where every boot has it. Each metric has one sample a boot, or is bounded. Several
    cores that were counted have no times.
    """
    metrics: list[Metric] = []
    by_core = any(boot.counted_by_core for boot in boots)
    for row in boot_rows(boots):
        if by_core:
            pass
        elif row.between is None:
            metrics.append(Metric(name=row.name, unit="s", samples=row.seconds))
        else:
            metrics.append(Metric(name=row.name, unit="s", samples=(), between=row.between))
        if row.instructions is not None:
            metrics.append(
                Metric(name=f"{row.name}.instructions", unit="1", samples=row.instructions)
            )
    return tuple(metrics)


def counted_metrics(boots: Sequence[Boot]) -> tuple[Metric, ...]:
    """The counts of boots, one at least: `counter_metrics` of `boot.total`.

    And `boot.kernel.console`, the bytes that the kernel printed until init, if every boot has them.
    """
    metrics = counter_metrics("boot.total", [boot.whole_counters for boot in boots])
    printed = [boot.kernel_bytes for boot in boots if boot.kernel_bytes is not None]
    if len(printed) < len(boots):
        return metrics
    return (*metrics, Metric(name="boot.kernel.console", unit="B", samples=tuple(printed)))


def _cut(boot: Boot) -> dict[str, list[PhaseTime]]:
    whole = total(boot)
    found: dict[str, list[PhaseTime]] = {}
    for phase in (*cut_boot(boot), *([whole] if whole else [])):
        found.setdefault(phase.name, []).append(phase)
    return found


def _row(boots: list[list[PhaseTime]]) -> BootRow:
    """The row of one name, from the parts that each boot has of it."""
    first = boots[0][0]
    counts = [[part.instructions for part in parts] for parts in boots]
    known = [[count for count in parts if count is not None] for parts in counts]
    between = between_of(boots)
    return BootRow(
        name=first.name,
        number=first.number,
        title=first.title,
        depth=first.depth,
        seconds=tuple(sum(part.duration_ns for part in parts) / 10**9 for parts in boots),
        instructions=tuple(sum(parts) for parts in known) if known == counts else None,
        precision_ns=max(sum(part.precision_ns for part in parts) for parts in boots),
        between=(between[0] / 1e9, between[1] / 1e9) if between else None,
    )
