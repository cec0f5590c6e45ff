# SPDX-License-Identifier: Apache-2.0
"""Metrics made from boots."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.metrics import boot_rows, counted_metrics, metrics_of
from perfboard.analysis.boot.record import boot_record
from perfboard.model.results.boot import Boot, Mark
from tests.support.runs import MARKS, make_boot, make_run

TOP = [
    "boot.bootloader",
    "boot.delay",
    "boot.kernel.load",
    "boot.kernel.init",
    "boot.root.mount",
    "boot.userspace",
]


def without(boot: Boot, *names: str) -> Boot:
    return Boot(marks=tuple(mark for mark in boot.marks if mark.name not in names))


def test_a_metric_for_time_and_one_for_instructions_of_each_row() -> None:
    metrics = {metric.name: metric for metric in make_run().metrics}
    assert metrics["boot.bootloader"].unit == "s"
    assert metrics["boot.bootloader"].samples == (0.096482192,) * 3
    assert metrics["boot.bootloader.instructions"].unit == "1"
    assert metrics["boot.bootloader.instructions"].samples == (96_482_192 // 8,) * 3
    assert metrics["boot.userspace.devices"].samples == (0.169423504,) * 3
    assert metrics["boot.userspace.filesystems"].samples[2] == pytest.approx(0.060609968, abs=1e-15)
    assert metrics["boot.total"].samples == (1.543210984, 1.543210984, 1.543211064)


def test_rows_are_in_the_order_of_the_boot_with_the_total_last() -> None:
    names = [row.name for row in boot_rows([make_boot()])]
    assert [name for name in names if name in TOP] == TOP
    assert names[-2:] == ["boot.userspace.copy", "boot.total"]


@given(st.lists(st.sampled_from([n for n in MARKS if n not in ("reset", "usable")])))
def test_the_phases_add_up_to_the_total_whatever_mark_is_missing(missing: list[str]) -> None:
    rows = boot_rows([without(make_boot(), *missing)])
    phases = [row for row in rows if row.depth == 0 and row.name != "boot.total"]
    assert sum(row.instructions[0] for row in phases if row.instructions) == 1_543_210_984 // 8
    assert sum(row.seconds[0] for row in phases) == pytest.approx(1.543210984, abs=1e-12)


def test_a_row_that_one_boot_lacks_is_absent() -> None:
    metrics = metrics_of([make_boot(), without(make_boot(), "exec:S70copy")])
    assert "boot.userspace.copy" not in {metric.name for metric in metrics}


def test_instructions_are_absent_unless_every_boot_counted_them() -> None:
    uncounted = [mark.model_copy(update={"instructions": None}) for mark in make_boot().marks]
    metrics = metrics_of([make_boot(), Boot(marks=tuple(uncounted))])
    assert {metric.unit for metric in metrics} == {"s"}


def test_scripts_of_one_name_are_summed() -> None:
    marks = [
        Mark(name=name, t_ns=t_ns, source="scope")
        for name, t_ns in [
            ("init.exec", 0),
            ("exec:S10net", 10),
            ("exec:S20log", 30),
            ("exec:S30net", 60),
            ("usable", 100),
        ]
    ]
    rows = {row.name: row.seconds for row in boot_rows([Boot(marks=tuple(marks))])}
    assert rows["boot.userspace.net"] == (60e-9,)


def test_a_script_named_instructions_does_not_hide_the_count_of_user_space() -> None:
    boot = make_boot()
    named = [
        mark.model_copy(update={"name": "exec:S50instructions"}) if "misc" in mark.name else mark
        for mark in boot.marks
    ]
    metrics = metrics_of([Boot(marks=tuple(named))])
    units = [metric.unit for metric in metrics if metric.name == "boot.userspace.instructions"]
    assert sorted(units) == ["1", "s"]


def test_no_boots_no_metrics() -> None:
    assert metrics_of([]) == ()


def test_what_the_kernel_printed_is_counted_until_init() -> None:
    """A byte of the decompressor's, three of the kernel's, one of init's."""
    marks = {"kernel.sched_init": 20, "init.exec": 50, "exec": 70}
    records: list[dict[str, object]] = [
        {"mark": name, "ns": ns, "instructions": ns, "text": "/etc/last"}
        for name, ns in marks.items()
    ]
    stamps = [10, 20, 30, 49, 50]
    records.append({"console": [number for ns in stamps for number in (ns, ns)]})
    records.sort(key=lambda record: int(str(record.get("ns", 80))))
    log = "\n".join(map(json.dumps, records))
    boot = boot_record(log, b".abc#", "exec:last", 1, None)
    assert boot.kernel_bytes == 3
    (metric,) = counted_metrics([boot, boot])
    assert (metric.name, metric.unit, metric.samples) == ("boot.kernel.console", "B", (3, 3))
    assert counted_metrics([boot, without(boot, "kernel.sched_init")]) == ()
    without_init = "\n".join(line for line in log.splitlines() if "init.exec" not in line)
    assert boot_record(without_init, b".abc#", "exec:last", 1, None).kernel_bytes is None
