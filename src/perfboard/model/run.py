# SPDX-License-Identifier: Apache-2.0
"""The record of one study on one target, as it stands in run.json."""

from enum import StrEnum
from typing import Annotated, Literal, TypedDict

from pydantic import ConfigDict, Field, model_validator

from perfboard.model.record import Int64, Moment, Quantity, Record
from perfboard.model.results.tune import Tuning

MetricName = Annotated[str, Field(pattern=r"^[a-z0-9]+([._+-][A-Za-z0-9_+-]+)*$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
# "scope", "console", "kernel-log", "command", or another instrument's name.
InstrumentName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
# JSON wants only those below a blank escaped, and terminals obey these too.
_CONTROLS = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}


class Evidence(StrEnum):
    """How a number was had."""

    SILICON = "silicon"
    HOST = "host"
    TIMED = "timed"
    COUNTED = "counted"


class Status(StrEnum):
    """How a run ended."""

    COMPLETE = "complete"
    ABORTED = "aborted"
    FAILED = "failed"


class Outcome(StrEnum):
    """What a verdict says."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


class Mark(Record):
    """A named instant. `t_ns` counts from reset on `clock`.

    `precision_ns` is how far the instant may be from the truth;
    `instructions` counts those executed since reset, where that is known.
    """

    name: str
    t_ns: Int64
    clock: Literal["virtual", "host"] = "virtual"
    source: InstrumentName
    precision_ns: Int64 = 0
    instructions: Int64 | None = None


class Span(Record):
    """A recorded stretch of time inside a boot: an initcall or a driver probe.

    `start_ns` is None where the log gives a duration only.
    """

    kind: Literal["initcall", "probe"]
    name: str
    start_ns: Int64 | None
    duration_ns: Int64
    returned: Int64


IDLE_TASK = "swapper"


class ProcessTime(Record):
    """Processor time of one process over a boot.

    IDLE_TASK is the kernel's own first task: it starts the kernel, and then runs when
    nothing else does.
    """

    name: str
    time_ns: Int64
    instructions: Int64


class Boot(Record):
    """One boot: its marks in order of time, and what the instruments saw.

    `untimed` names initcalls and probes that the log has without a usable time. `counters`
    are the timing model's at the last mark, by the scope's names (docs/scope.md).
    `kernel_bytes` is how many bytes were on the console from the kernel's first mark until init.
    """

    marks: tuple[Mark, ...]
    spans: tuple[Span, ...] = ()
    untimed: tuple[str, ...] = ()
    processes: tuple[ProcessTime, ...] = ()
    counters: dict[str, int] = Field(default_factory=dict)
    kernel_bytes: Int64 | None = None
    host_seconds: float | None = None

    def mark(self, name: str) -> Mark | None:
        """The first mark of that name, or None."""
        return next((mark for mark in self.marks if mark.name == name), None)


class ProbeProcess(Record):
    """One process of a probe on the target.

    `tick_s` and `cost_s` are the resolution of its clock and what reading that
    took. `disturbances` counts what came between, by name, in the unit that the
    name ends with (`steal_s`) or as a plain count (`involuntary_switches`).
    `refused` says why it could not measure.
    """

    probe: str
    round: Int64
    elapsed_s: Quantity
    cpu: Int64 | None = None
    clock: str = ""
    tick_s: Quantity | None = None
    cost_s: Quantity | None = None
    disturbances: dict[str, Quantity] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    refused: str | None = None


# Times and rates, which a model's margin is of; counts and sizes are exact.
TIMED_UNITS = ("s", "B/s", "1/s")


class Metric(Record):
    """A named quantity: raw samples, one a boot or repetition, in `unit`.

    `processes` says for each sample which of the run's processes took it, where
    probes did: samples of one process share its page layout. In `unsettled` of these the drift
    was not under 1 % when they were taken. `alias` is the name by which lmbench knows the quantity.
    """

    name: MetricName
    unit: Literal["s", "B", "B/s", "1/s", "1"]
    labels: dict[str, str] = Field(default_factory=dict)
    better: Literal["lower", "higher"] = "lower"
    samples: tuple[Quantity, ...]
    processes: tuple[Int64, ...] = ()
    unsettled: Int64 = 0
    alias: str | None = None


class FunctionTime(Record):
    """What one function of a program, a library or the kernel took of the processor.

    `file` is its path on the board, "kernel", or "no file" for code that lies in none.
    """

    name: str
    file: str
    time_s: Quantity
    instructions: Int64


class Trial(Record):
    """A command that was tried on a board, and how it ended.

    `exit_code` is None where a `signal` killed it. `late` says that the time limit did,
    `oom_kills` how many processes the kernel killed for want of memory, `cut` that there
    was no room for all of its output. `profile` has the functions that took the most,
    the longest first; `profiled_s` is the time of all.
    """

    command: tuple[str, ...]
    packages: tuple[str, ...] = ()
    pushed: tuple[str, ...] = ()
    limit_s: Quantity
    exit_code: Int64 | None = None
    signal: Int64 | None = None
    late: bool = False
    oom_kills: Int64 = 0
    cut: bool = False
    stdout_bytes: Int64 = 0
    stderr_bytes: Int64 = 0
    profile: tuple[FunctionTime, ...] = ()
    profiled_s: Quantity = 0.0


class Verdict(Record):
    """A metric held against a budget; `low` and `high` bound its interval."""

    metric: str
    unit: str
    budget: Quantity
    value: Quantity
    low: Quantity
    high: Quantity
    outcome: Outcome


class Artifact(Record):
    """A file of the run folder, by its path there."""

    path: str
    size: Int64
    sha256: Sha256


class RunError(Record):
    """What stopped a run: the error's kind, and its whole message."""

    kind: str
    message: str


class Provenance(Record):
    """What must be known to repeat the run."""

    perfboard: str
    command: tuple[str, ...]
    host: dict[str, str]
    tools: dict[str, str] = Field(default_factory=dict)
    image: dict[str, str] = Field(default_factory=dict)
    packages: dict[str, str] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


class TimedAs(Record):
    """What a virtual board's clock was driven by: the part, and how far that may be wrong.

    `margin` is a share of each time; `margin_source` says what it rests on. `checked` are
    the metrics that figures of the real board were held against, each with the least and
    greatest size of those: others are extrapolated. Behind a metric's name may stand the
    operation or method that alone was checked.
    """

    part: str
    margin: Quantity
    margin_source: str
    checked: dict[str, tuple[Int64, Int64] | None] = Field(default_factory=dict)


class BoardSummary(Record):
    """What a report says of the board, kept so that it needs no board file."""

    name: str
    title: str
    description: str
    facts: dict[str, str] = Field(default_factory=dict)
    timed_as: TimedAs | None = None


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
    process: int | None  # its place in the run's processes; None: no probe took it
    value: float


class Run(Record):
    """One study on one target. Summaries are computed when read.

    `tuning` is what a sweep over factors tried; its tries name their boots by the place in
    `tried`. `boots` and the metrics without labels are then those of the best combination.
    """

    schema_: Literal["perfboard.run/1"] = Field("perfboard.run/1", alias="schema")
    id: Annotated[str, Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$")]
    study: str
    board: BoardSummary
    target: str
    evidence: Evidence
    status: Status
    started: Moment
    finished: Moment
    factors: dict[str, str] = Field(default_factory=dict)
    provenance: Provenance
    metrics: tuple[Metric, ...] = ()
    boots: tuple[Boot, ...] = ()
    processes: tuple[ProbeProcess, ...] = ()
    trial: Trial | None = None
    tuning: Tuning | None = None
    tried: tuple[Boot, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    errors: tuple[RunError, ...] = ()

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, populate_by_name=True
    )

    @property
    def margin(self) -> float | None:
        """The share that its times may be wrong by, as the board states it; None if not timed."""
        timed = self.board.timed_as
        return timed.margin if timed is not None and self.evidence is Evidence.TIMED else None

    @model_validator(mode="after")
    def _tries_have_boots(self) -> "Run":
        for number, one in enumerate(self.tuning.tries if self.tuning else ()):
            if one.boot is not None and not 0 <= one.boot < len(self.tried):
                raise ValueError(f"tuning.tries[{number}].boot is {one.boot}, which is no boot")
        return self

    def rows(self) -> list[MetricRow]:
        """Each sample of each metric as a plain row, in the order of the record."""
        return [
            MetricRow(
                run=self.id,
                study=self.study,
                board=self.board.name,
                evidence=self.evidence.value,
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
        """The text of run.json, in which all control characters are escaped."""
        return self.model_dump_json(by_alias=True, indent=1).translate(_CONTROLS) + "\n"
