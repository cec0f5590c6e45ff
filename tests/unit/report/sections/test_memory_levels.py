# SPDX-License-Identifier: Apache-2.0
"""The table of memory's levels, where the time did not suffice for all sizes."""

import re

import pytest

from perfboard.model.run import Metric, Run
from perfboard.report.html import render
from perfboard.report.text import run_text
from tests.support.html import Reader
from tests.support.probe_runs import make_probe_run, probe_metrics

LESS = "not measured in this time"
KIB, MIB = 1 << 10, 1 << 20


def run_up_to(most: int, operations: tuple[str, ...] = ("read", "write", "update", "copy")) -> Run:
    """A run whose time was spent before bandwidths of more than `most` bytes were measured."""

    def kept(metric: Metric) -> bool:
        of = metric.labels
        return (
            metric.name != "memory.bandwidth"
            or of["operation"] not in operations
            or int(of["size"]) <= most
        )

    return make_probe_run(metrics=tuple(filter(kept, probe_metrics())))


def rows(run: Run) -> list[list[str]]:
    """The table's rows on the terminal: sizes, latency, read, write, read-write, copy."""
    lines = run_text(run).splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("memory  ")) + 2
    return [re.split(r" {2,}", line) for line in lines[first : first + 4]]


def test_a_level_has_only_what_was_measured_in_it() -> None:
    whole, cut = rows(make_probe_run()), rows(run_up_to(512 * KIB))
    assert cut[:2] == whole[:2]
    for row in cut[2:]:
        assert row[2:] == ["–"] * 4  # noqa: RUF001
    assert [row[:2] for row in cut] == [row[:2] for row in whole]


def test_one_operation_may_lack_what_others_have() -> None:
    cut = rows(run_up_to(128 * KIB, ("copy",)))
    assert [row[5] == "–" for row in cut] == [False, False, True, True]  # noqa: RUF001
    assert all("GB/s" in cell for row in cut for cell in row[2:5])


def test_what_is_just_beyond_a_cache_is_partly_in_it() -> None:
    assert rows(run_up_to(64 * KIB))[1][2] == "–"  # noqa: RUF001
    assert rows(run_up_to(32 * MIB))[3][2] == "–"  # noqa: RUF001
    assert "GB/s" in rows(run_up_to(64 * MIB))[3][2]


@pytest.mark.parametrize("most", [256 * KIB, 128 * MIB])
def test_text_and_page_say_that_it_was_not_measured(most: int) -> None:
    run = run_up_to(most)
    for text in (run_text(run), Reader(render(run)).text):
        assert (LESS in " ".join(text.split())) == (most < MIB)
