# SPDX-License-Identifier: Apache-2.0
"""Records of perfboard.run/1 as of /2."""

from typing import Any

from perfboard.analysis.budget import counted_words
from perfboard.analysis.program.titles import TITLES
from perfboard.model.run import Evidence, NoVerdict, Run

OLD, NEW = "perfboard.run/1", "perfboard.run/2"
# The one level of a factor that perturbed a run of OLD.
_PERTURBED = {
    "initcall_debug=on": "makes the kernel print lines for every initcall and probe, which takes "
    "time of its own: these times are longer than those of a boot without it."
}
# The keys that a record of OLD has not.
_ADDED = {"results", "headline", "perturbed"}
_HEADLINES = {"boot": "boot.total", "tune-boot": "boot.total", "try": "try.time.real"}
_GROUPS = {
    "memory": "Memory",
    "file": "Files",
    "ipc": "Between processes",
    "kernel": "Kernel",
    "cpu": "Processor",
    "system": "System",
}


def upgraded(record: dict[str, Any]) -> dict[str, Any]:
    """A record of schema OLD as one of NEW. Damaged parts stay so, for the model to refuse."""
    if _ADDED & record.keys():
        return record
    rest = dict(record)
    boots, processes, tried = (rest.pop(name, []) for name in ("boots", "processes", "tried"))
    trial, tuning = rest.pop("trial", None), rest.pop("tuning", None)
    metrics, factors = rest.get("metrics"), rest.get("factors")
    results = []
    if boots != []:
        results.append({"kind": "boot", "boots": boots})
    probed = processes != []
    if isinstance(metrics, list):
        metrics = rest["metrics"] = [_in_words(metric) for metric in metrics]
        probed |= any(isinstance(each, dict) and bool(each.get("processes")) for each in metrics)
    if probed:
        results.append({"kind": "probes", "processes": processes})
    if trial is not None:
        results.append(_of_kind("program", trial))
    if tuning is not None:
        results.append(_of_kind("tune", _renamed(tuning), tried=tried))
    elif tried != []:
        rest["tried"] = tried
    return {
        **rest,
        "schema": NEW,
        "headline": _HEADLINES.get(str(rest.get("study"))),
        "perturbed": _perturbed(factors),
        "results": results,
    }


def _perturbed(factors: Any) -> dict[str, str]:
    levels = factors if isinstance(factors, dict) else {}
    found = {f"{factor}={level}" for factor, level in levels.items()}
    return {level: words for level, words in _PERTURBED.items() if level in found}


def without_counted_seconds(run: Run) -> Run:
    """The run without verdicts in seconds of counted evidence, which version 0.1 gave.

    Each of their budgets stays, with the reason why nothing is held against it.
    """
    if run.evidence is not Evidence.COUNTED:
        return run
    reason = counted_words("use --set detail=timed, where the board has a timing model")
    dropped = [verdict for verdict in run.verdicts if verdict.unit == "s"]
    return run.model_copy(
        update={
            "verdicts": tuple(verdict for verdict in run.verdicts if verdict.unit != "s"),
            "no_verdicts": (
                *run.no_verdicts,
                *(
                    NoVerdict(metric=each.metric, unit=each.unit, budget=each.budget, reason=reason)
                    for each in dropped
                ),
            ),
        }
    )


def _in_words(metric: Any) -> Any:
    """A metric with its title and group."""
    if not isinstance(metric, dict):
        return metric
    name = str(metric.get("name"))
    group = _GROUPS.get(name.partition(".")[0], "")
    return {"title": TITLES.get(name, ""), "group": group, **metric}


def _renamed(tuning: Any) -> Any:
    """A tune whose tries say `excluded_because` for `barred`."""
    if not isinstance(tuning, dict) or not isinstance(tuning.get("tries"), list):
        return tuning
    tries = [
        {"excluded_because" if key == "barred" else key: value for key, value in each.items()}
        if isinstance(each, dict)
        else each
        for each in tuning["tries"]
    ]
    return {**tuning, "tries": tries}


def _of_kind(kind: str, result: Any, **more: Any) -> Any:
    return {"kind": kind, **more, **result} if isinstance(result, dict) else result
