# SPDX-License-Identifier: Apache-2.0
"""A virtual board's figures beside the published ones."""

import pytest

from perfboard.analysis.verify.reach import extrapolated
from perfboard.analysis.verify.rows import (
    accuracy,
    checked_ranges,
    measured,
    probes_for,
    row_of,
)
from perfboard.model.published import FigureScale, PublishedProgram, PublishedValue
from perfboard.model.run import Metric
from tests.support.runs import make_metric as metric
from tests.support.runs import published


def figure(metric: str, value: float, **labels: str) -> PublishedValue:
    return published(metric, value, labels=labels)


def test_the_best_loop_at_the_largest_size_counts() -> None:
    metrics = [
        metric("memory.bandwidth", value, "higher", operation=operation, size=size, loop=loop)
        for operation, size, loop, value in (
            ("copy", "1024", "ldm", 90.0),
            ("copy", "4096", "ldm", 10.0),
            ("copy", "4096", "neon", 12.0),
            ("read", "8192", "neon", 50.0),
        )
    ]
    assert measured(metrics, figure("memory.bandwidth", 1, operation="copy")) == 12.0
    assert measured(metrics, figure("memory.bandwidth", 1, operation="copy", loop="ldm")) == 10.0
    assert measured(metrics, figure("memory.bandwidth", 1, operation="copy", size="1 KiB")) == 90.0
    assert measured(metrics, figure("memory.bandwidth", 1, operation="write")) is None


def test_a_read_at_random_counts_beyond_what_the_smallest_takes() -> None:
    metrics = [
        metric("memory.random", 11e-9, size="4096"),
        metric("memory.random", 17.5e-9, size="65536"),
    ]
    asked = figure("memory.random.beyond_l1", 6.5e-9, size="64 KiB")
    assert measured(metrics, asked) == pytest.approx(6.5e-9)
    assert measured(metrics, figure("memory.random.beyond_l1", 1e-9, size="1 MiB")) is None
    assert probes_for([asked], {}) == ["memory.random"]


def test_a_saving_is_a_difference_for_a_kernel_of_the_real_size() -> None:
    copied = [metric("boot.kernel.load", 1.4), metric("image.kernel.size", 2e6)]
    in_flash = [metric("boot.kernel.load", 1.2), metric("image.kernel.size", 2e6)]
    asked = figure("boot.kernel.load", 0.1).model_copy(
        update={
            "less": {"kernel": "flash"},
            "scale": FigureScale(metric="image.kernel.size", value=1e6),
        }
    )
    assert measured(copied, asked, in_flash) == pytest.approx(0.1)
    assert measured(copied, asked) is None
    assert measured(copied[:1], asked, in_flash) is None


def test_phases_that_follow_each_other_are_added_up() -> None:
    slow = [metric("boot.root.mount", 0.1), metric("boot.userspace", 1.1)]
    fast = [metric("boot.root.mount", 0.05), metric("boot.userspace", 0.7)]
    asked = figure("boot.root.mount+userspace", 0.5)
    asked = asked.model_copy(update={"less": {"kernel": "copied"}})
    assert measured(slow, asked, fast) == pytest.approx(0.45)
    assert measured(slow, asked, fast[1:]) is None
    assert checked_ranges([asked]) == {"boot.root.mount": None, "boot.userspace": None}


def test_a_metric_is_measured_by_the_probe_that_has_it() -> None:
    copies = [figure("memory.copy.bandwidth", 1.0), figure("system.ram.available", 1.0)]
    probes = {
        "memory.copy": ["memory.copy.bandwidth"],
        "system.memory": ["system.ram.available"],
        "kernel.fork": ["kernel.fork", "kernel.exec"],
        "kernel.exec": ["kernel.fork", "kernel.exec"],
    }
    assert probes_for(copies, probes) == ["memory.copy", "system.memory"]
    assert probes_for([figure("kernel.fork", 1.0)], probes) == ["kernel.fork"]


def test_only_held_out_rows_tell_the_accuracy() -> None:
    metrics = [metric("a", 1.2), metric("b", 3.0), metric("c", 0.7)]
    figures = [
        figure("a", 1.0),
        published("b", 1.0, use="calibration"),
        figure("c", 1.0),
        figure("d", 1.0),
    ]
    rows = [row_of(figure, measured(metrics, figure), 0.25) for figure in figures]
    assert [row.within for row in rows] == [True, None, False, None]
    assert [row.ratio for row in rows] == [1.2, 3.0, 0.7, None]
    found = accuracy(rows)
    assert found is not None
    assert (found.rows, found.mean, found.worst) == pytest.approx((2, 0.25, 0.3))
    assert accuracy(rows[1:2]) is None


def read(size: int) -> Metric:
    return metric("memory.bandwidth", 1.0, "higher", operation="read", size=str(size))


def test_probes_and_ranges() -> None:
    figures = [
        figure("memory.bandwidth", 1.0, size="64 KiB"),
        figure("memory.bandwidth", 1.0, size="1 MiB"),
        figure("cpu.clock", 1.0),
    ]
    assert probes_for(figures, {}) == ["cpu.clock", "memory.bandwidth"]
    checked = checked_ranges(figures)
    assert checked == {"memory.bandwidth": (65536, 1048576), "cpu.clock": None}
    metrics = [read(65536), metric("cpu.clock", 1.0)]
    assert extrapolated(metrics, checked) == []
    metrics += [read(2 << 20), metric("ipc.pipe.latency", 1.0)]
    assert extrapolated(metrics, checked) == ["memory.bandwidth", "ipc.pipe.latency"]


def test_a_figure_of_one_operation_says_nothing_of_another() -> None:
    copies = figure("memory.bandwidth", 1.0, operation="copy", size="1 MiB")
    checked = checked_ranges([copies])
    assert checked == {"memory.bandwidth copy": (1 << 20, 1 << 20)}
    copied = metric("memory.bandwidth", 1.0, "higher", operation="copy", size=str(1 << 20))
    assert extrapolated([copied, read(1 << 20)], checked) == ["memory.bandwidth read"]
    # Where another figure names none, it is of the best of them.
    free = figure("memory.bandwidth", 1.0, size="1 MiB")
    assert extrapolated([copied, read(1 << 20)], checked_ranges([copies, free])) == []


@pytest.mark.parametrize(
    ("name", "labels", "said"),
    [
        ("memory.bandwidth", {"size": "64 KB2"}, '"64 KB2" is not a size'),
        ("memory.random.beyond_l1", {}, "labels lacks size"),
    ],
)
def test_a_figure_at_no_size_is_refused(name: str, labels: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        figure(name, 1.0, **labels)


def test_a_trial_is_extrapolated_where_no_program_was_checked() -> None:
    trial = [metric("try.time.real", 1.0)]
    assert extrapolated(trial, checked_ranges([figure("cpu.clock", 1.0)])) == ["try.time.real"]
    program = PublishedProgram(packages=("bc",), command=("bc",))
    tried = figure("cpu.clock", 1.0).model_copy(update={"metric": "program.bc", "program": program})
    assert extrapolated(trial, checked_ranges([tried])) == []
