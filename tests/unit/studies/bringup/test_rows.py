# SPDX-License-Identifier: Apache-2.0
"""The rows of the bring-up: what each gives of what its board printed, or why it gives nothing."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.model.run import Evidence
from perfboard.studies.bringup.rows.base import SUBJECTS, Bed, Row, all_rows, subject_of
from perfboard.studies.profile.workloads.base import NotMeasurable, Work

ROWS = list(all_rows().values())
every_row = pytest.mark.parametrize("row", ROWS, ids=lambda one: one.name)


def bed(run: Callable[[Work], str]) -> Bed:
    return Bed(run, Evidence.HOST, 64 << 20, 3)


@every_row
def test_a_row_says_what_it_is(row: Row) -> None:
    assert subject_of(row) in SUBJECTS and row.title and row.metrics
    assert row.writes(bed(lambda work: "")) >= 0


@every_row
@given(output=st.text(alphabet='@name anon{}":0123456789 .\n', max_size=200))
def test_any_output_is_read_or_refused(row: Row, output: str) -> None:
    try:
        answer = row.measure(bed(lambda work: output))
    except NotMeasurable as error:
        assert str(error)
    else:
        assert answer.figures and {m.name for m in answer.metrics} <= set(row.metrics)


COPIES = """\
{"metric":"memory.copy.bandwidth","unit":"B/s","better":"higher",\
"labels":{"method":"memcpy","size":"1048576","loop":"libc"},"samples":[9e7]}
{"metric":"memory.copy.bandwidth","unit":"B/s","better":"higher",\
"labels":{"method":"memcpy","size":"16777216","loop":"libc"},"samples":[3e7,2e7,4e7]}
{"metric":"memory.copy.bandwidth","unit":"B/s","better":"higher",\
"labels":{"method":"dumb","size":"1048576","loop":"c"},"samples":[6e7]}
{"end":{"elapsed_s":1.0}}
"""


def test_copying_is_told_at_mbws_size_or_the_next_above() -> None:
    answer = all_rows()["memory.copy"].measure(bed(lambda work: COPIES))
    assert [(f.title, f.metric.labels["size"]) for f in answer.figures] == [
        ("memcpy, as mbw, 16 MiB", "16777216"),
        ("word by word, as mbw, 1 MiB", "1048576"),
    ]
    assert answer.short == "copies 60.00 MB/s"


FREE = """\
{"metric":"system.ram.available","unit":"B","better":"higher","labels":{"by":"free+cache"},\
"samples":[25505792]}
{"end":{"elapsed_s":0.1}}
@name sshd
@anon 1024 kB
@name kthreadd
@name sshd
@anon 2048 kB
@name init
@anon 100 kB
"""


def test_the_largest_users_of_memory_are_named() -> None:
    answer = all_rows()["memory.free"].measure(bed(lambda work: FREE))
    assert answer.short == "24.32 MiB free"
    assert "sshd (3 MiB), init (100 KiB)" in answer.sentence
    users = [m for m in answer.metrics if m.name == "system.ram.user"]
    assert [m.samples for m in users] == [(3072 * 1024,), (100 * 1024,)]
