# SPDX-License-Identifier: Apache-2.0
"""Records of perfboard.run/2 as of /3: all that was measured is one result, `measures`."""

import json
from typing import Any

OLD, NEW = "perfboard.run/2", "perfboard.run/3"
# The keys of a metric that a record of OLD has not.
_ADDED = {"measurement", "between"}


def upgraded(record: dict[str, Any]) -> dict[str, Any]:
    """A record of schema OLD as one of NEW. Damaged parts stay so, for the model to refuse."""
    metrics, results = record.get("metrics", []), record.get("results", [])
    if not isinstance(metrics, list) or not isinstance(results, list):
        return {**record, "schema": NEW}
    if any(isinstance(metric, dict) and _ADDED & metric.keys() for metric in metrics) or any(
        _get(result, "kind") == "measures" for result in results
    ):
        return record
    measures = _Measures(metrics)
    kept: list[Any] = []
    place = None
    for result in results:
        kept += measures.rest_of(result)
        if measures.found and place is None:
            place = len(kept)
    if place is not None:
        kept.insert(place, {"kind": "measures", **measures.found})
    new = {**record, "schema": NEW, "results": kept}
    return new | {"metrics": measures.metrics} if "metrics" in record else new


class _Measures:
    """The one result, as it is `found` in others, and the metrics, which get their places in it."""

    def __init__(self, metrics: list[Any]) -> None:
        self.metrics = list(metrics)
        self.found: dict[str, Any] = {}
        self._measurements: list[Any] = []

    def rest_of(self, result: Any) -> list[Any]:
        """Takes what was measured out of a result. Keys that it should not have stay, in any."""
        kind = _get(result, "kind")
        if kind not in ("probes", "bringup", "profile"):
            return [result]
        rest = dict(result)
        if kind == "probes":
            self._take_probes(_items(rest.pop("processes", None)))
        elif kind == "bringup":
            self._take_rows(_items(rest.pop("rows", None)))
        else:
            self._take_tasks(_items(rest.pop("tasks", [])), _items(rest.pop("films", [])))
        if kind != "profile" or self._measurements:
            self.found["measurements"] = self._measurements
        if kind == "profile":
            return [rest]
        del rest["kind"]
        self.found |= rest
        return []

    def _take_probes(self, processes: list[Any]) -> None:
        names = [_get(process, "probe") for process in processes]
        places: dict[str, int] = {}
        refused: dict[str, str] = {}
        for name, process in zip(names, processes, strict=True):
            if isinstance(name, str):
                places.setdefault(name, len(self._measurements) + len(places))
                if isinstance(why := _get(process, "refused"), str):
                    refused.setdefault(name, why.removeprefix(f"{name}: "))
        titles: dict[str, list[Any]] = {}
        for number, metric in enumerate(self.metrics):
            first = next(iter(_items(_get(metric, "processes") or [])), None)
            if type(first) is int and 0 <= first < len(names) and isinstance(names[first], str):
                titles.setdefault(names[first], []).append(_get(metric, "title"))
                self._place(number, number + 1, places[names[first]])
        for name in places:
            of = titles.get(name, [])
            one = of[0] if of and isinstance(of[0], str) and of == of[:1] * len(of) else ""
            reason = "" if of else refused.get(name, "")
            self._measurements.append({"measure": name, "title": one, "reason": reason})
        self.found["processes"] = [*self.found.get("processes", []), *processes]

    def _take_rows(self, rows: list[Any]) -> None:
        places: dict[str, int] = {}
        for row in rows:
            for figure in _items(_get(row, "figures") or []):
                key = _key(_get(figure, "metric"), figure)
                places.setdefault(key, len(self._measurements))
            self._measurements.append(_renamed(row, name="measure", sentence="why"))
            # The subject is the first word of the name.
            if isinstance(_get(row, "subject"), str):
                del self._measurements[-1]["subject"]
        before, its_place = 0, None
        for number, metric in enumerate(self.metrics):
            place = places.get(_key(_get(metric, "name"), metric))
            if place is not None:
                # A metric between two of a row is of the row too.
                self._place(before if place == its_place else number, number + 1, place)
                before, its_place = number, place

    def _take_tasks(self, tasks: list[Any], films: list[Any]) -> None:
        places: dict[str, int] = {}
        at = 0
        for task in tasks:
            new = _renamed(task, workload="measure")
            if type(count := _get(task, "metrics")) is int and count >= 0:
                end = min(at + count, len(self.metrics))
                self._place(at, end, len(self._measurements))
                at = end
                del new["metrics"]
            if isinstance(name := _get(task, "workload"), str):
                places.setdefault(name, len(self._measurements))
            self._measurements.append(new)
        blocks: dict[int, list[Any]] = {}
        for film in films:
            name, of = _get(film, "workload"), _get(film, "task")
            if not isinstance(name, str) or not isinstance(of, str):
                self._measurements.append(film)
                continue
            if name not in places:
                places[name] = len(self._measurements)
                self._measurements.append({"measure": name})
            block = {"kind": "film", "title": f"{name}: {of}", **film}
            del block["workload"], block["task"]
            blocks.setdefault(places[name], []).append(block)
        for place, own in blocks.items():
            self._measurements[place]["blocks"] = own

    def _place(self, start: int, end: int, place: int) -> None:
        for number in range(start, end):
            if isinstance(metric := self.metrics[number], dict):
                self.metrics[number] = {**metric, "measurement": place}


def _get(part: Any, key: str) -> Any:
    return part.get(key) if isinstance(part, dict) else None


def _items(value: Any) -> list[Any]:
    """A list as it is, and what should be one as an item, which the model refuses."""
    return value if isinstance(value, list) else [value]


def _key(name: Any, of: Any) -> str:
    """A metric's name and its labels: the same of a metric and of a figure."""
    return json.dumps([name, _get(of, "labels") or {}], sort_keys=True)


def _renamed(part: Any, **names: str) -> Any:
    if not isinstance(part, dict):
        return part
    return {names.get(key, key): value for key, value in part.items()}
