# SPDX-License-Identifier: Apache-2.0
"""The scope's records: marks, stamps, and whose the processor was."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.reading.scope_log import parse_scope, scope_marks
from perfboard.analysis.boot.reading.turns import process_times

IDLE, INIT, CHILD = 0xC0000000, 0xC1000000, 0xC2000000


def record(mark: str, ns: int, words: tuple[int, ...] = (), text: str | None = None) -> str:
    fields: dict[str, object] = {"mark": mark, "ns": ns, "instructions": ns // 8}
    if words:
        fields["words"] = words
    if text is not None:
        fields["text"] = text
    return json.dumps(fields)


def test_marks_are_named_after_programs_and_accounting_is_left_out() -> None:
    log = parse_scope(
        [
            record("kernel.entry", 80),
            record("switch", 90, (IDLE, IDLE, INIT)),
            record("exec", 100, text="/etc/init.d/S10filesystems"),
        ]
    )
    assert [(mark.name, mark.t_ns) for mark in scope_marks(log, 8)] == [
        ("reset", 0),
        ("kernel.entry", 80),
        ("exec:S10filesystems", 100),
    ]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/etc/init.d/udev", ["exec:udev", "step:udev"]),
        ("/etc/init.d/rcS", ["exec:rcS"]),
        ("/etc/init.d/rc", ["exec:rc"]),
        ("/etc/init.d/S10filesystems", ["exec:S10filesystems"]),
        ("/sbin/udev", ["exec:udev"]),
    ],
)
def test_a_script_of_system_v_init_is_a_step(path: str, names: list[str]) -> None:
    log = parse_scope([record("exec", 100, text=path)])
    assert [mark.name for mark in scope_marks(log, 8)] == ["reset", *names]


def test_console_stamps_stay_in_the_order_of_the_bytes() -> None:
    log = parse_scope(['{"console":[8,1,16,2]}', '{"console":[24,3]}'])
    assert list(log.stamps.ns) == [8, 16, 24]
    assert log.stamps.instructions is not None
    assert list(log.stamps.instructions) == [1, 2, 3]


@pytest.mark.parametrize("arguments", [2, 3])
def test_processor_time_goes_to_whoever_ran(arguments: int) -> None:
    def switch(ns: int, before: int, after: int) -> str:
        return record("switch", ns, (*[before] * (arguments - 1), after))

    log = parse_scope(
        [
            record("fork", 50, (INIT,)),
            switch(100, IDLE, INIT),
            record("exec", 300, text="/sbin/init"),
            record("fork", 400, (CHILD,)),
            switch(500, INIT, CHILD),
            record("exec", 600, text="/bin/cp"),
            switch(1000, CHILD, IDLE),
            record("kernel.late", 1600),
            switch(9999, IDLE, INIT),
        ]
    )
    times = {row.name: row.time_ns for row in process_times(log, 2000)}
    # The child is init's until it becomes cp.
    assert times == {"swapper": 200 + 600, "init": 200 + 100, "cp": 400}


@given(st.lists(st.tuples(st.integers(1, 1000), st.sampled_from([IDLE, INIT, CHILD]))))
def test_processor_times_add_up_to_the_time_since_the_first_switch(
    switches: list[tuple[int, int]],
) -> None:
    now, lines = 0, []
    for gap, task in switches:
        now += gap
        lines.append(record("switch", now, (IDLE, IDLE, task)))
    rows = process_times(parse_scope(lines), now)
    first = switches[0][0] if switches else 0
    assert sum(row.time_ns for row in rows) == now - first


@given(st.lists(st.text(max_size=80)))
def test_what_is_not_a_record_is_left_out(lines: list[str]) -> None:
    parse_scope(lines)
