# SPDX-License-Identifier: Apache-2.0
"""Runs as a boot study makes them, for tests: verdex, counted, three boots."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import strategies as st

from perfboard.analysis.boot.metrics import metrics_of
from perfboard.model.published import PublishedValue
from perfboard.model.results.base import Result
from perfboard.model.results.boot import Boot, BootResult, Mark, ProcessTime, Span
from perfboard.model.run import BoardSummary, Evidence, Metric, Provenance, Run, Status
from perfboard.store.making import new_run
from perfboard.store.recording import Content

ResultType = TypeVar("ResultType", bound=Result)
# Nanoseconds since reset, about as a boot of the reference system goes.
MARKS = {
    "reset": 0,
    "bootloader.main": 96_482_192,
    "boot.command": 96_490_016,
    "kernel.entry": 214_602_664,
    "kernel.sched_init": 702_193_448,
    "kernel.prepare_namespace": 1_009_336_904,
    "init.exec": 1_024_120_344,
    "exec:S10filesystems": 1_041_870_120,
    "exec:S20devices": 1_102_480_008,
    "exec:S30ethernet": 1_271_903_512,
    "exec:S40syslog": 1_318_744_872,
    "exec:S50misc": 1_352_018_400,
    "exec:S60application": 1_371_554_208,
    "exec:S70copy": 1_498_027_496,
    "usable": 1_543_210_984,
}


def make_boot(changes: dict[str, int] | None = None, **fields: Any) -> Boot:
    """A boot; `changes` delays each named mark, and all after it, by nanoseconds."""
    late = 0
    marks = []
    for name, t_ns in MARKS.items():
        late += (changes or {}).get(name, 0)
        now = t_ns + late
        marks.append(Mark(name=name, t_ns=now, source="scope", instructions=now // 8))
    spans = (
        Span(
            kind="initcall",
            name="physmap_init",
            start_ns=800_000_000,
            duration_ns=42_000_000,
            returned=0,
        ),
        Span(
            kind="probe",
            name="0.flash",
            start_ns=801_000_000,
            duration_ns=40_500_000,
            returned=0,
        ),
        Span(
            kind="probe",
            name="virtio-net",
            start_ns=830_000_000,
            duration_ns=90_000_000,
            returned=-517,
        ),
        Span(kind="initcall", name="0xc0a01234", start_ns=None, duration_ns=3_000, returned=0),
    )
    processes = (
        ProcessTime(name="swapper", time_ns=700_000_000, instructions=87_500_000),
        ProcessTime(name="sh", time_ns=310_000_000, instructions=38_750_000),
    )
    content = {"marks": tuple(marks), "spans": spans, "processes": processes} | fields
    return Boot(**content)


# All that a record takes for one, from hypothesis.
QUANTITIES = st.just(0.0) | st.floats(1e-100, 1e100) | st.floats(-1e100, -1e-100)


def make_run(id: str = "20261121-091500-boot-verdex-3f2a", **fields: Any) -> Run:
    """A complete run of three boots, the third slower by 80 ns in user space."""
    boots = fields.pop("boots", (make_boot(), make_boot(), make_boot({"exec:S20devices": 80})))
    started = datetime(2026, 11, 21, 9, 15, tzinfo=UTC)
    content: dict[str, Any] = {
        "id": id,
        "study": "boot",
        "board": BoardSummary(
            name="verdex",
            title="Verdex, virtual",
            description="The board of the boot study of 2009, as a virtual one.",
            facts={"RAM": "64 MiB"},
        ),
        "target": "virtual:verdex",
        "evidence": Evidence.COUNTED,
        "status": Status.COMPLETE,
        "started": started,
        "finished": started + timedelta(seconds=12),
        "factors": {"quiet": "on"},
        "provenance": Provenance(
            perfboard="0.1.0",
            command=("perfboard", "study", "boot", "--board", "verdex"),
            host={"machine": "x86_64"},
            image={"kernel": "ab" * 32},
        ),
        "headline": "boot.total",
        "metrics": metrics_of(boots),
        "results": boot_results(boots),
    }
    return Run(**(content | fields))


def boot_results(boots: Sequence[Boot]) -> tuple[BootResult, ...]:
    """What a run has of these boots."""
    return (BootResult(boots=tuple(boots)),) if boots else ()


def only(found: Run | Content, kind: type[ResultType]) -> ResultType:
    """The one result of that type."""
    (result,) = (each for each in found.results if isinstance(each, kind))
    return result


def result_of(record: dict[str, Any], kind: str) -> Any:
    """The one result of that kind in the record of a run."""
    (result,) = (each for each in record["results"] if each["kind"] == kind)
    return result


def boots_of(record: dict[str, Any]) -> Any:
    """The boots in the record of a run."""
    return result_of(record, "boot")["boots"]


def processes_of(record: dict[str, Any]) -> Any:
    """The processes of probes in the record of a run."""
    return result_of(record, "measures")["processes"]


def make_metric(name: str, value: float, better: str = "lower", **labels: str) -> Metric:
    """A metric in s of three samples alike."""
    return Metric.model_validate(
        {"name": name, "unit": "s", "labels": labels, "better": better, "samples": [value] * 3}
    )


def published(metric: str, value: float = 1.0, **fields: Any) -> PublishedValue:
    """A held-out figure of a metric, in s, as a board's file has it."""
    content = {"unit": "s", "use": "held-out", "source": "somebody's bench", "kind": "measured"}
    return PublishedValue.model_validate({"metric": metric, "value": value} | content | fields)


def stored(**fields: Any) -> Path:
    """The folder of a run with those fields, in the test's own data."""
    folder = new_run("boot", "verdex")
    folder.write_artifact("console.log", b"U-Boot\n")
    folder.finish(make_run(folder.id, **fields))
    return folder.path
