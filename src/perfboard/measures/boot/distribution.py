# SPDX-License-Identifier: Apache-2.0
"""boot.distribution: Debian 12 from reset to its prompt, by systemd and by System V init."""

from perfboard.analysis.boot.distribution import distribution_parts
from perfboard.bench.base import Bench
from perfboard.bench.job import NotMeasurable
from perfboard.measures.base import Finding, Measure, Quantity, Setting, ShownMetric, Turn
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.results.boot import Boot
from perfboard.model.run import Metric
from perfboard.model.units import format_value

# By init, the level of the factor `root`.
_ROOTS = {"systemd": "debian", "sysvinit": "debian-sysvinit"}
_SLOWEST = 3
_TOTAL, _PART = "boot.distribution.total", "boot.distribution.part"


def _seconds(name: str, ns: int, **labels: str) -> Metric:
    return Metric(name=name, unit="s", labels=labels, samples=(ns / 1e9,))


def _slowest(boot: Boot) -> str:
    spans = sorted((s for s in boot.spans if s.kind == "service"), key=lambda s: -s.duration_ns)
    return ", ".join(f"{s.name} {format_value(s.duration_ns / 1e9, 's')}" for s in spans[:_SLOWEST])


class DistributionBoot(Measure):
    """Boots Debian's own system from the board's disk, once by each init."""

    name = "boot.distribution"
    title = "Boot of Debian 12 to its prompt"
    metrics = (
        Quantity(_TOTAL, "s", "from reset to the prompt of login: label init"),
        Quantity(_PART, "s", "a part of that; they add up: labels init, part"),
    )

    def measure(self, name: str, bench: Bench, setting: Setting, turn: Turn) -> Finding:
        metrics, figures, sentences = [], [], []
        for init, root in _ROOTS.items():
            try:
                boot = next(bench.boots({"root": root}, 1))
            except UsageError as error:
                raise NotMeasurable(str(error).rpartition(f"root={root}: ")[2]) from error
            except TargetError as error:
                sentences.append(f"By {init} it was not measured: {error}")
                continue
            parts = distribution_parts(boot)
            total = _seconds(_TOTAL, sum(parts.values()), init=init)
            metrics.append(total)
            figures.append(ShownMetric(f"{init}, in all", total))
            for part, ns in parts.items():
                metrics.append(_seconds(_PART, ns, init=init, part=part))
                figures.append(ShownMetric(f"{init}: {part}", metrics[-1]))
            if slowest := _slowest(boot):
                sentences.append(f"The slowest services of {init}: {slowest}.")
        if not metrics:
            raise NotMeasurable(" ".join(sentences))
        totals = [figure.metric for figure in figures if figure.metric.name == _TOTAL]
        short = ", ".join(f"{m.labels['init']} {format_value(m.samples[0], 's')}" for m in totals)
        return Finding(tuple(metrics), tuple(figures), short, "", " ".join(sentences))


MEASURES = (DistributionBoot(),)
