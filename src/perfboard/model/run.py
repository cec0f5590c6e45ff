# SPDX-License-Identifier: Apache-2.0
"""The record of one study on one target, as it stands in run.json."""

import json
from enum import StrEnum
from typing import Annotated, Any, Literal, TypedDict, TypeVar

from pydantic import (
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic_core import CoreSchema

from perfboard.model.record import Int64, Moment, Quantity, Record, without_unset
from perfboard.model.results.base import Result
from perfboard.model.results.kinds import known
from perfboard.model.tags import TAG_NAME, TAG_VALUE
from perfboard.model.timed_as import Sha256, StatedMargin, TimedAs

MetricName = Annotated[str, Field(pattern=r"^[a-z0-9]+([._+-][A-Za-z0-9_+-]+)*$")]
TagName = Annotated[str, Field(pattern=f"^{TAG_NAME}$")]
TagValue = Annotated[str, Field(pattern=f"^{TAG_VALUE}$")]


class _Escapes(dict[int, str]):
    """Characters that do not print, such as C1 and bidirectional controls, as JSON's escapes.

    JSON needs only those below a blank escaped, and terminals and editors obey more.
    """

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1]
        return self[code]


_ESCAPES = _Escapes()


class Evidence(StrEnum):
    """How a number was had."""

    SILICON = "silicon"
    HOST = "host"
    TIMED = "timed"
    COUNTED = "counted"
    # Imported, and the user does not say of what.
    UNKNOWN = "unknown"


class Status(StrEnum):
    """How a run ended."""

    COMPLETE = "complete"
    ABORTED = "aborted"
    FAILED = "failed"


class Outcome(StrEnum):
    """The outcome of a verdict."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


# Times and rates, which a model's margin is of; counts and sizes are exact.
TIMED_UNITS = ("s", "B/s", "1/s")


Unit = Literal["s", "B", "B/s", "1/s", "1", "J", "A", "W"]


class Metric(Record):
    """A named quantity: raw samples, one a boot or repetition, in `unit`.

    `processes` says for each sample which of the run's processes took it, where
    probes did: samples of one process share its page layout. In `unsettled` of these the drift
    was not under 1 % when they were taken. `alias` is the name by which lmbench knows the quantity.
    `evidence` is "modelled" if the values are a model's, whatever the run's is, and "published" if
    they are somebody else's of the real board.
    `measurement` is its place among the run's measurements; None: it is of the whole run, or that
    is not known. One that is only bounded has no samples, but `between` two values; the second
    may be None: there is no bound.
    `title` says what it is, and `group` heads it and others in a report; each "" for its name's.
    """

    name: MetricName
    title: str = ""
    group: str = ""
    unit: Unit
    labels: dict[str, str] = Field(default_factory=dict)
    better: Literal["lower", "higher"] = "lower"
    samples: tuple[Quantity, ...]
    processes: tuple[Int64, ...] = ()
    unsettled: Int64 = 0
    alias: str | None = None
    evidence: Literal["modelled", "published"] | None = None
    measurement: Int64 | None = None
    between: tuple[Quantity, Quantity | None] | None = None

    @model_serializer(mode="wrap")
    def _measured(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_unset(self, handler(self), "measurement", "between")

    @property
    def extent(self) -> tuple[float, float | None] | None:
        """The least and the most that it was, or may have been; None: nothing is known of it."""
        if self.samples:
            return min(self.samples), max(self.samples)
        return self.between


class _Limit(Record):
    """The figure that a budget limits: a metric or, in percent, that percentile of its samples."""

    metric: str
    percentile: Quantity | None = None

    @model_serializer(mode="wrap")
    def _of_percentile(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_unset(self, handler(self), "percentile")

    @property
    def name(self) -> str:
        """The metric or the percentile of it."""
        return held_name(self.metric, self.percentile)


class Verdict(_Limit):
    """A metric held against a budget; `low` and `high` bound its interval."""

    unit: str
    budget: Quantity
    value: Quantity
    low: Quantity
    high: Quantity
    outcome: Outcome


class NoVerdict(_Limit):
    """A budget, in `unit`, that the metric was not held against; the reason, and what to do."""

    unit: str
    budget: Quantity
    reason: str


def held_name(metric: str, percentile: float | None) -> str:
    """A metric, or a percentile of it, as a budget names it."""
    return metric if percentile is None else f"{metric} p{percentile:g}"


class Artifact(Record):
    """A file of the run folder, by its path there."""

    path: str
    size: Int64
    sha256: Sha256


class RunError(Record):
    """The error that stopped a run: its kind, and its whole message."""

    kind: str
    message: str


class Provenance(Record):
    """The information needed to repeat the run."""

    perfboard: str
    command: tuple[str, ...]
    host: dict[str, str]
    tools: dict[str, str] = Field(default_factory=dict)
    image: dict[str, str] = Field(default_factory=dict)
    packages: dict[str, str] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


class FirmwareTime(Record):
    """How long a virtual board's real firmware runs before what is emulated, as published.

    `seconds` is None where nobody published it of this model; `spread_s` is from the least to
    the most, and `includes` says what else is in it.
    """

    seconds: float | None = None
    spread_s: float = 0.0
    includes: str = ""
    source: str = ""


class BoardSummary(Record):
    """A report's description of the board, so that it needs no board file."""

    name: str
    title: str
    description: str
    facts: dict[str, str] = Field(default_factory=dict)
    # Bit/s of the console's line, where it is known.
    console_baud: Int64 | None = None
    timed_as: TimedAs | None = None
    # None: nothing runs before, or it is part of what was measured.
    firmware: FirmwareTime | None = None

    @model_serializer(mode="wrap")
    def _of_firmware(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_unset(self, handler(self), "firmware")


class MetricRow(TypedDict):
    """One sample of a metric, with all that is needed to read it."""

    run: str  # the run's id
    study: str
    board: str
    evidence: str
    metric: str
    unit: str
    better: str  # "lower" or "higher"
    labels: dict[str, str]
    sample: int  # its place among the metric's samples, from 0
    process: int | None  # its place among the processes of probes; None: no probe took it
    value: float


class _AnyResult:
    """The union of all known results, which is made when the first run is made or read."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return handler.generate_schema(known().any_result)


_Kind = TypeVar("_Kind", bound=Result)


class Run(Record):
    """One study on one target. Summaries are computed when read.

    `headline` is the metric that the list of runs shows. `tags` are the user's own. `perturbed`
    says of a factor's level, or of an instrument, what it does to what was measured.
    """

    schema_: Literal["perfboard.run/3"] = Field("perfboard.run/3", alias="schema")
    id: Annotated[str, Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$")]
    study: str
    board: BoardSummary
    target: str
    evidence: Evidence
    status: Status
    started: Moment
    finished: Moment
    factors: dict[str, str] = Field(default_factory=dict)
    tags: dict[TagName, TagValue] = Field(default_factory=dict)
    provenance: Provenance
    perturbed: dict[str, str] = Field(default_factory=dict)
    headline: MetricName | None = None
    metrics: tuple[Metric, ...] = ()
    results: tuple[Annotated[Result, _AnyResult()], ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    no_verdicts: tuple[NoVerdict, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    errors: tuple[RunError, ...] = ()

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        populate_by_name=True,
        # A package that brings a result may import this module.
        defer_build=True,
    )

    @property
    def timed(self) -> TimedAs | None:
        """The model that its times are of; None if it is not timed."""
        return self.board.timed_as if self.evidence is Evidence.TIMED else None

    @property
    def margin(self) -> float | None:
        """The margin of its work of several classes; None if it is not timed or has none."""
        return self.timed.several.share if self.timed else None

    def stated(self, metric: str) -> StatedMargin | None:
        """How near its times of `metric` are known to be; None if it is not timed."""
        return self.timed.stated(metric) if self.timed else None

    @property
    def left_out(self) -> dict[str, str]:
        """The metrics that its timing model leaves out, each with the reason."""
        return self.timed.left_out if self.timed else {}

    @property
    def outcome(self) -> Outcome:
        """The answer of its verdicts and results together; pass where nothing says else."""
        outcomes = {verdict.outcome for verdict in self.verdicts}
        if Outcome.FAIL in outcomes or any(result.failed for result in self.results):
            return Outcome.FAIL
        undecided = any(result.undecided for result in self.results)
        return (
            Outcome.INCONCLUSIVE if undecided or Outcome.INCONCLUSIVE in outcomes else Outcome.PASS
        )

    def results_of(self, kind: type[_Kind]) -> tuple[_Kind, ...]:
        """The results of that type."""
        return tuple(each for each in self.results if isinstance(each, kind))

    def rows(self) -> list[MetricRow]:
        """Each sample of each metric as a plain row, in the order of the record."""
        return [
            MetricRow(
                run=self.id,
                study=self.study,
                board=self.board.name,
                evidence=metric.evidence or self.evidence.value,
                metric=metric.name,
                unit=metric.unit,
                better=metric.better,
                labels=metric.labels,
                sample=number,
                process=metric.processes[number] if number < len(metric.processes) else None,
                value=value,
            )
            for metric in self.metrics
            for number, value in enumerate(metric.samples)
        ]

    def to_json(self) -> str:
        """The text of run.json, in which all that does not print is escaped."""
        return self.model_dump_json(by_alias=True, indent=1).translate(_ESCAPES) + "\n"
