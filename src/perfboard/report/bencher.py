# SPDX-License-Identifier: Apache-2.0
"""A run in Bencher's metric format (BMF): benchmark, measure, value and its bounds.

Times are in nanoseconds and rates in operations a second, as Bencher's own measures
`latency` and `throughput` have them; `bandwidth` is in bytes a second, `size` in bytes.
"""

import json

from perfboard.model.run import Run
from perfboard.report.googlebenchmark import benchmark_name
from perfboard.report.measured import figure

_MEASURES = {
    "s": ("latency", 1e9),
    "1/s": ("throughput", 1.0),
    "B/s": ("bandwidth", 1.0),
    "B": ("size", 1.0),
    "1": ("count", 1.0),
}


def metrics(run: Run) -> str:
    """The document: the median of each metric that has samples, with its interval if known."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for metric in run.metrics:
        if not metric.samples:
            continue
        measure, scale = _MEASURES[metric.unit]
        known = figure(metric, run.evidence)
        value = {"value": known.estimate.median * scale}
        if known.interval is not None:
            value["lower_value"] = known.interval.low * scale
            value["upper_value"] = known.interval.high * scale
        found.setdefault(benchmark_name(metric), {})[measure] = value
    return json.dumps(found, indent=1) + "\n"
