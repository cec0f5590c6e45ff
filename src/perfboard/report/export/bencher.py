# SPDX-License-Identifier: Apache-2.0
"""A run in Bencher's metric format (BMF): benchmark, measure, value and its bounds.

Times are in nanoseconds and rates in operations a second, as Bencher's own measures
`latency` and `throughput` have them; `bandwidth` is in bytes a second, `size` in bytes.
The bounds of a timed run are wider by its board's margin.
"""

import json

from perfboard.analysis.statistics.summary import Interval
from perfboard.model.run import Run
from perfboard.report.export.googlebenchmark import benchmark_name
from perfboard.report.words.evidence import margin_of
from perfboard.report.words.figures import figure

_MEASURES = {
    "s": ("latency", 1e9),
    "1/s": ("throughput", 1.0),
    "B/s": ("bandwidth", 1.0),
    "B": ("size", 1.0),
    "J": ("energy", 1.0),
    "A": ("current", 1.0),
    "W": ("power", 1.0),
    "1": ("count", 1.0),
}


def metrics(run: Run) -> str:
    """The document: the median of each metric that has samples, with its interval if known.

    One that is only bounded has the middle of its bounds, with these.

    A metric that the timing model leaves out has no interval, since nobody knows how wrong it is.
    """
    found: dict[str, dict[str, dict[str, float]]] = {}
    for metric in run.metrics:
        measure, scale = _MEASURES[metric.unit]
        if not metric.samples:
            least, most = metric.between or (0.0, None)
            if most is not None:
                found.setdefault(benchmark_name(metric), {})[measure] = {
                    "value": (least + most) / 2 * scale,
                    "lower_value": least * scale,
                    "upper_value": most * scale,
                }
            continue
        known = figure(metric, run.evidence)
        value = {"value": known.estimate.median * scale}
        margin = margin_of(run, metric)
        interval = known.interval
        if interval is None and margin:
            interval = Interval(known.estimate.median, known.estimate.median)
        if interval is not None and metric.name not in run.left_out:
            value["lower_value"] = interval.low * scale / (1 + margin)
            value["upper_value"] = interval.high * scale * (1 + margin)
        found.setdefault(benchmark_name(metric), {})[measure] = value
    return json.dumps(found, indent=1) + "\n"
