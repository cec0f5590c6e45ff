# SPDX-License-Identifier: Apache-2.0
"""The output of a probe's process, as records of the run. Nothing of it is trusted."""

import json
import re
import signal
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from perfboard.binaries.probes import all_probes
from perfboard.model.errors import TargetError
from perfboard.model.record import Int64, Quantity
from perfboard.model.results.probes import ProbeProcess
from perfboard.model.run import Metric, MetricName
from perfboard.model.text import signal_name

_MOST_SAMPLES = 100_000
_MOST_FACTS = 200
_MOST_NOTES = 50
_Text = Annotated[str, Field(max_length=2000)]
_Word = Annotated[str, Field(max_length=100)]
_Labels = Annotated[dict[_Word, _Word], Field(max_length=20)]


class _RecordLine(BaseModel):
    """Base of what is read from a line. Keys that a newer probe adds are passed over."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)


_Kind = TypeVar("_Kind", bound=_RecordLine)


class ProbeEntry(_RecordLine):
    """One probe of the binary; `weight` is its share of a study's time."""

    name: Annotated[str, Field(alias="probe", pattern=r"^[a-z][a-z0-9.]{0,60}$")]
    summary: _Text
    weight: Annotated[int, Field(ge=0, le=10_000)]


class _ProcessHead(_RecordLine):
    probe: _Word
    cpu: Int64 | None = None
    clock: _Word = ""
    tick_s: Quantity | None = None
    cost_s: Quantity | None = None


class _MetricLine(_RecordLine):
    metric: MetricName
    unit: Literal["s", "B", "B/s", "1/s", "1"]
    better: Literal["lower", "higher"]
    alias: _Word | None = None
    labels: _Labels = {}
    samples: Annotated[list[Quantity], Field(max_length=_MOST_SAMPLES)]
    settled: bool = True


class _Fact(_RecordLine):
    fact: _Word
    value: _Text


class _Note(_RecordLine):
    note: _Text


class _ProbeRefusal(_RecordLine):
    refused: _Text


class _ProcessEnd(_RecordLine):
    elapsed_s: Quantity
    disturbances: Annotated[dict[_Word, Quantity | None], Field(max_length=50)] = {}


@dataclass(frozen=True)
class ProcessReport:
    """The results of one process of a probe: its metrics, only with its own samples.

    `usable` says whether another process of the probe may give anything.
    """

    process: ProbeProcess
    metrics: tuple[Metric, ...]
    facts: dict[str, str]
    usable: bool


def read_probes(lines: Sequence[str]) -> tuple[ProbeEntry, ...]:
    """The probes that `list` names. Raises TargetError("garbage") where it names none."""
    found: dict[str, ProbeEntry] = {}
    for value in map(_parse, lines):
        try:
            probe = ProbeEntry.model_validate(value)
        except ValidationError:
            continue
        found[probe.name] = probe
    if not found:
        raise TargetError(
            "garbage",
            f"The probe's list of what it measures cannot be read: {_quote(lines)}\n"
            "Is the target out of memory or its disk full? Run it again.",
        )
    return tuple(found.values())


def read_process(probe: str, round: int, lines: Sequence[str], end: str) -> ProcessReport:
    """The record of a process of `probe` that printed `lines` and ended as `end` says.

    A line that cannot be read becomes a note of the process, and what is missing
    because the process was killed becomes a refusal.
    """
    process = _ProcessHead(probe=probe)
    heading = _heading(probe)
    ended: _ProcessEnd | None = None
    metrics: list[Metric] = []
    facts: dict[str, str] = {}
    notes: list[str] = []
    refused: list[str] = []
    strange: list[str] = []
    for line in lines:
        match _parse(line):
            case {"process": dict(value)} if found := _read(_ProcessHead, value):
                process = found
            case {"metric": str()} as value if measured := _read(_MetricLine, value):
                fields = measured.model_dump(exclude={"metric", "settled"})
                unsettled = int(not measured.settled)
                metric = Metric(name=measured.metric, unsettled=unsettled, **heading, **fields)
                metrics += [metric] if metric.samples else []
            case {"fact": str()} as value if fact := _read(_Fact, value):
                facts[fact.fact] = fact.value
            case {"note": str()} as value if note := _read(_Note, value):
                notes.append(note.note)
            case {"refused": str()} as value if refusal := _read(_ProbeRefusal, value):
                refused.append(refusal.refused)
            case {"end": dict(value)} if last := _read(_ProcessEnd, value):
                ended = last
            case _:
                strange.append(line)
    if strange:
        notes.append(f"{len(strange)} lines could not be read: {_quote(strange)}")
    wrong = how_it_failed(end)
    if wrong is None and ended is None:
        wrong = f"its output is not whole: {_quote(lines)}"
    usable = wrong is None and (bool(metrics) or not refused)
    if wrong is not None:
        refused.append(wrong)
    elif not (metrics or facts or refused):
        # It may yet give something, where it has more time.
        refused.append(f"it measured nothing: {', '.join(notes) or 'it does not say why'}")
    disturbances = ended.disturbances if ended else {}
    return ProcessReport(
        process=ProbeProcess(
            probe=probe,
            round=round,
            elapsed_s=ended.elapsed_s if ended else 0.0,
            cpu=process.cpu,
            clock=process.clock,
            tick_s=process.tick_s,
            cost_s=process.cost_s,
            disturbances={k: v for k, v in disturbances.items() if v is not None},
            notes=tuple(notes[:_MOST_NOTES]),
            refused="; ".join(refused)[:2000] or None,
        ),
        metrics=tuple(metrics),
        facts=dict(list(facts.items())[:_MOST_FACTS]),
        usable=usable,
    )


@cache
def _heading(probe: str) -> dict[str, str]:
    """Title and group of a probe's metrics; nothing for one that only the target knows."""
    return next(
        ({"title": one.title, "group": one.group} for one in all_probes() if one.name == probe), {}
    )


def how_it_failed(end: str) -> str | None:
    """In words, how a process ended that should have ended with "exit 0"; None if it did."""
    if end == "exit 0":
        return None
    if match := re.fullmatch(r"signal (\d{1,3})", end):
        words = f"killed by {signal_name(int(match[1]))}"
        killed = int(match[1]) == signal.SIGKILL
        return f"{words}, perhaps by the kernel for lack of memory" if killed else words
    if end == "timeout":
        return "took far longer than asked, and was killed"
    return f"ended with {end[:100]!r}"


def _key_of(metric: Metric) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A metric's identity among those of its run."""
    return metric.name, tuple(sorted(metric.labels.items()))


class Merger:
    """Puts the reports of a run's processes together; samples keep their process."""

    def __init__(self) -> None:
        self.processes: list[ProbeProcess] = []
        self.facts: dict[str, str] = {}
        self._metrics: dict[tuple[str, tuple[tuple[str, str], ...]], list[tuple[int, Metric]]] = {}

    def add(self, report: ProcessReport) -> None:
        """Takes the next process. Lines that contradict the earlier ones are left out, with a
        note."""
        number = len(self.processes)
        notes = list(report.process.notes)
        for metric in report.metrics:
            parts = self._metrics.setdefault(_key_of(metric), [])
            if parts and (metric.unit, metric.better) != (parts[0][1].unit, parts[0][1].better):
                notes.append(f"{metric.name} is in {metric.unit}, unlike before; left out")
                continue
            parts.append((number, metric))
        self.processes.append(report.process.model_copy(update={"notes": tuple(notes)}))
        for name, value in report.facts.items():
            self.facts.setdefault(name, value)

    def metrics(self, probe: str | None = None) -> tuple[Metric, ...]:
        """The metrics of one probe, or of all, each with the samples of all processes."""
        return tuple(
            _merged(parts)
            for parts in self._metrics.values()
            if parts and probe in (None, self.processes[parts[0][0]].probe)
        )


def _merged(parts: Sequence[tuple[int, Metric]]) -> Metric:
    return parts[0][1].model_copy(
        update={
            "samples": tuple(x for _, metric in parts for x in metric.samples),
            "processes": tuple(number for number, metric in parts for _ in metric.samples),
            "unsettled": sum(metric.unsettled for _, metric in parts),
        }
    )


def _parse(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _read(kind: type[_Kind], value: dict[str, Any]) -> _Kind | None:
    try:
        return kind.model_validate(value)
    except ValidationError:
        return None


def _quote(lines: Iterable[str]) -> str:
    text = " ".join(lines)
    return repr(text if len(text) <= 200 else f"{text[:200]}...") if text else "nothing"
