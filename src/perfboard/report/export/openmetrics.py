# SPDX-License-Identifier: Apache-2.0
"""A run in the OpenMetrics text format, version 1.0: a gauge a metric, with its unit.

The label `statistic` says which number it is: `median`, `best`, and `low` and `high` of
the interval where there is one; a metric that is only bounded has these alone.
`perfboard_verdict` has a sample for each budget, whose label `outcome` is pass, fail,
inconclusive or not measured; its `weight` is should where it does not decide.
`metric` and `alias` are Perfboard's and lmbench's names.
The time stamp is that of the run's end. `perfboard_run_info` has the margin of a timed run.
"""

import re
from collections.abc import Iterator, Mapping

from perfboard.model.run import Metric, Run
from perfboard.model.text import printable
from perfboard.report.export.held import held_budgets
from perfboard.report.words.figures import figure

_UNITS = {
    **{"s": "seconds", "B": "bytes", "B/s": "bytes_per_second", "1/s": "per_second", "1": ""},
    **{"J": "joules", "A": "amperes", "W": "watts"},
}
_ABOUT = "perfboard_run"
_VERDICT = "perfboard_verdict"
_OURS = (_ABOUT, f"{_ABOUT}_info", _VERDICT)
# Labels of our own, which a metric's may not be mistaken for.
_OWN = ("run", "board", "evidence", "metric", "alias", "statistic")


def exposition(run: Run) -> str:
    """The text, families of one name together, ended by the end-of-file line."""
    stamp = f"{run.finished.timestamp():.3f}"
    families: dict[str, tuple[str, dict[str, str]]] = {}
    for metric in run.metrics:
        if metric.extent is None:
            continue
        name, unit = _family(metric), _UNITS[metric.unit]
        # A name is of one unit, and not the info's.
        while families.get(name, (unit,))[0] != unit or name in _OURS:
            name = f"perfboard_{name}"
        family = families.setdefault(name, (unit, {}))[1]
        for statistic, value in _statistics(metric, run):
            # No study makes two metrics of one name and labels; the first would stand.
            family.setdefault(_labels(run, metric, statistic), f"{value!r} {stamp}")
    lines = [f"# TYPE {_ABOUT} info", f"# HELP {_ABOUT} What was measured, and how."]
    lines.append(f"{_ABOUT}_info{_braced(_about(run))} 1 {stamp}")
    for name, (unit, samples) in families.items():
        lines.append(f"# TYPE {name} gauge")
        lines += [f"# UNIT {name} {unit}"] if unit else []
        lines.append(f"# HELP {name} Measured by Perfboard.")
        lines += [f"{name}{labels} {value}" for labels, value in samples.items()]
    if held := held_budgets(run):
        lines.append(f"# TYPE {_VERDICT} gauge")
        lines.append(f"# HELP {_VERDICT} Whether a figure kept its budget, by the label outcome.")
    for each in dict.fromkeys((each.name, each.outcome, each.decides) for each in held):
        name, outcome, decides = each
        labels = {"run": run.id, "board": run.board.name, "evidence": run.evidence.value}
        labels |= {"metric": name, "outcome": outcome.value if outcome else "not measured"}
        labels |= {} if decides else {"weight": "should"}
        lines.append(f"{_VERDICT}{_braced(labels)} 1 {stamp}")
    return "\n".join([*lines, "# EOF\n"])


def _family(metric: Metric) -> str:
    name = re.sub(r"[^a-zA-Z0-9_]", "_", metric.name)
    return "_".join(part for part in ("perfboard", name, _UNITS[metric.unit]) if part)


def _statistics(metric: Metric, run: Run) -> Iterator[tuple[str, float]]:
    if not metric.samples:
        if metric.between is not None:
            least, most = metric.between
            yield "low", float(least)
            if most is not None:
                yield "high", float(most)
        return
    known = figure(metric, run.evidence)
    yield "median", float(known.estimate.median)
    yield "best", float(known.estimate.best)
    if known.interval is not None:
        yield "low", float(known.interval.low)
        yield "high", float(known.interval.high)


def _about(run: Run) -> Mapping[str, str]:
    margin = run.margin
    return {
        "run": run.id,
        "study": run.study,
        "board": run.board.name,
        "target": run.target,
        "evidence": run.evidence.value,
        "status": run.status.value,
        "version": run.provenance.perfboard,
        **({"margin": str(margin)} if margin else {}),
    }


def _labels(run: Run, metric: Metric, statistic: str) -> str:
    labels = {
        "run": run.id,
        "board": run.board.name,
        "evidence": metric.evidence or run.evidence.value,
    }
    labels |= {"metric": metric.name, "statistic": statistic}
    if metric.alias:
        labels["alias"] = metric.alias
    for key, value in sorted(metric.labels.items()):
        name = re.sub(r"[^a-zA-Z0-9_]", "_", key).lstrip("_") or "label"
        name = f"label_{name}" if name[0].isdigit() or name in _OWN else name
        while name in labels:
            name += "_"
        labels[name] = value
    return _braced(labels)


def _braced(labels: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
