# SPDX-License-Identifier: Apache-2.0
"""boot: the board's own image from reset until it is usable, phase by phase (boot study, 2009)."""

import re
from collections.abc import Sequence
from statistics import median

from perfboard.analysis.boot.metrics import FIRMWARE, KERNEL_SIZE, counted_metrics, metrics_of
from perfboard.analysis.boot.phases import PHASES
from perfboard.analysis.published import published_results
from perfboard.bench.base import Bench
from perfboard.measures.base import (
    Finding,
    Measure,
    Parameter,
    Quantity,
    Setting,
    ShownMetric,
    Turn,
)
from perfboard.model.results.boot import Boot, BootResult
from perfboard.model.run import Metric, Unit
from perfboard.model.units import format_value

# The metrics of a phase, a step or the whole, by how their names end; others are times.
_UNITS: dict[str, Unit] = {
    r"\.instructions": "1",
    r"\.misses\.\w+": "1",
    r"\.energy": "J",
    r"\.current": "A",
    r"^boot\.kernel\.console": "B",
}
_NAME = re.compile(r"boot\.[a-z0-9_-]+([.+][a-z0-9_-]+)*")


class BootTime(Measure):
    """Boots the board several times, and cuts each boot into phases."""

    name = "boot"
    title = "Boot time, phase by phase"
    boots = True
    parameters = (Parameter("boots", 3, "how many", labels=False),)
    metrics = (
        Quantity("boot.total", "s", "from reset until the board is usable"),
        *(Quantity(phase.name, "s", phase.title) for phase in PHASES),
        Quantity(FIRMWARE, "s", "firmware before; as published, if the board is virtual"),
        Quantity(KERNEL_SIZE, "B", "the kernel as the bootloader loads it"),
    )

    def quantity(self, metric: str) -> Quantity | None:
        """See `Measure`. The steps of a phase have the names that the board gives them."""
        known = super().quantity(metric)
        if known is not None or not _NAME.fullmatch(metric):
            return known
        units = (unit for end, unit in _UNITS.items() if re.search(f"{end}$", metric))
        unit: Unit = next(units, "s")
        return Quantity(metric, unit, "a step of the boot, or a count of it")

    def measure(self, name: str, bench: Bench, setting: Setting, turn: Turn) -> Finding:
        boots: list[Boot] = []
        turn.place = "boot 1"
        for boot in bench.boots({}, setting.whole("boots")):
            boots.append(boot)
            turn.place = f"boot {len(boots) + 1}"
            aside = bench.boot_findings(boots)
            metrics = (*metrics_of(boots), *counted_metrics(boots), *aside.metrics)
            published = published_results("boot.", metrics, bench.facts.published)
            results = (BootResult(boots=tuple(boots)), *aside.results, *published)
            figures = _figures(metrics)
            short = ", ".join(
                f"{format_value(median(each.metric.samples), 's')} from {each.title}"
                for each in figures
            )
            turn.keep(Finding(metrics, figures, short, results=results))
        return turn.found


def _figures(metrics: Sequence[Metric]) -> tuple[ShownMetric, ...]:
    """The whole, where all marks of it were seen."""
    total = next((metric for metric in metrics if metric.name == "boot.total"), None)
    return (ShownMetric("reset to usable", total),) if total else ()


MEASURES = (BootTime(),)
