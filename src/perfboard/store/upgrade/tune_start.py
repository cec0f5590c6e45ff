# SPDX-License-Identifier: Apache-2.0
"""Records of before a baseline was a gate's alone: that of a tune is its start."""

from typing import Any

_OLD, _NEW = "baseline", "start"


def with_start(record: dict[str, Any]) -> dict[str, Any]:
    """The record, with the start of its tunes under that name.

    Damaged parts stay so, for the model of the record to refuse.
    """
    results = record.get("results")
    if not isinstance(results, list) or not any(map(_is_old, results)):
        return record
    found = {"results": [_result(each) if _is_old(each) else each for each in results]}
    if isinstance(metrics := record.get("metrics"), list):
        found["metrics"] = [_metric(each) for each in metrics]
    return record | found


def _is_old(result: Any) -> bool:
    return isinstance(result, dict) and result.get("kind") == "tune" and _OLD in result


def _result(result: dict[str, Any]) -> dict[str, Any]:
    found = {_NEW if key == _OLD else key: value for key, value in result.items()}
    if isinstance(tries := found.get("tries"), list):
        found["tries"] = [
            each | {"stage": _NEW} if isinstance(each, dict) and each.get("stage") == _OLD else each
            for each in tries
        ]
    return found


def _metric(metric: Any) -> Any:
    labels = metric.get("labels") if isinstance(metric, dict) else None
    if not isinstance(labels, dict) or labels.get("levels") != _OLD:
        return metric
    return metric | {"labels": labels | {"levels": _NEW}}
