# SPDX-License-Identifier: Apache-2.0
"""Whose the processor was, and what each core of several did."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.reading.scope_log import ScopeLog, parse_scope
from perfboard.analysis.boot.reading.turns import core_times, process_times, turns
from perfboard.model.results.boot import CoreTime

IDLE, INIT, CHILD = 0xC0000000, 0xC1000000, 0xC2000000
# The task of a core that has nothing to do; nobody forks it.
IDLES = [IDLE, IDLE + 1]


def record(
    mark: str,
    ns: int,
    words: tuple[int, ...] = (),
    text: str | None = None,
    core: int | None = None,
    ran: tuple[int, ...] = (),
) -> str:
    """A record; `ran` are the instructions of each core until then."""
    fields: dict[str, object] = {"mark": mark, "ns": ns, "instructions": sum(ran) or ns // 8}
    if words:
        fields["words"] = words
    if text is not None:
        fields["text"] = text
    if core is not None:
        fields["core"] = core
        fields["counters"] = {f"core{i}_instructions": count for i, count in enumerate(ran)}
    return json.dumps(fields)


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
    times = {row.name: row.time_ns for row in process_times(turns(log, 2000))}
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
    rows = process_times(turns(parse_scope(lines), now))
    first = switches[0][0] if switches else 0
    assert sum(row.time_ns for row in rows) == now - first


def times_of(log: ScopeLog, until_ns: int) -> tuple[CoreTime, ...]:
    return core_times(log, turns(log, until_ns), until_ns)


def two_cores() -> ScopeLog:
    """The kernel starts on the first core, init runs there, and its child on the second."""
    return parse_scope(
        [
            record("kernel.rest_init", 1000, core=0, ran=(100, 0)),
            record("fork", 1000, (INIT,), core=0, ran=(100, 0)),
            record("switch", 1100, (IDLES[1], IDLES[1]), core=1, ran=(110, 10)),
            record("switch", 1200, (IDLE, INIT), core=0, ran=(120, 10)),
            record("exec", 1200, text="/sbin/init", core=0, ran=(120, 10)),
            record("fork", 2000, (CHILD,), core=0, ran=(200, 10)),
            # The second core is behind the first one when it records.
            record("switch", 1900, (IDLES[1], CHILD), core=1, ran=(200, 20)),
            record("switch", 4000, (INIT, IDLE), core=0, ran=(400, 200)),
            record("exec", 3000, text="/bin/cp", core=1, ran=(400, 120)),
            record("switch", 5000, (CHILD, IDLES[1]), core=1, ran=(400, 320)),
            record("kernel.late", 6000, core=0, ran=(410, 330)),
        ]
    )


def test_a_process_has_the_time_and_the_instructions_of_its_core() -> None:
    rows = {row.name: row for row in process_times(turns(two_cores(), 6000))}
    assert (rows["init"].time_ns, rows["init"].instructions) == (2800 + 1100, 280 + 100)
    assert (rows["cp"].time_ns, rows["cp"].instructions) == (2000, 200)


def test_a_core_works_where_it_does_not_idle() -> None:
    first, second = times_of(two_cores(), 6000)
    assert first.busy_ns == 1000 + 2800 and second.busy_ns == 1100 + 2000
    assert (first.instructions, second.instructions) == (410, 330)
    assert [(each.process, each.start_ns, each.duration_ns) for each in second.stretches] == [
        ("init", 1900, 1100),
        ("cp", 3000, 2000),
    ]
    assert first.stretches[0].start_ns == 0


def test_one_core_is_not_taken_apart() -> None:
    assert times_of(parse_scope([record("switch", 1, (IDLE, INIT))]), 10) == ()


@given(st.lists(st.tuples(st.integers(1, 1000), st.integers(0, 3), st.booleans()), max_size=200))
def test_stretches_lie_in_the_boot_one_after_the_other(
    switches: list[tuple[int, int, bool]],
) -> None:
    now, lines = 0, [record("fork", 0, (INIT,), core=0, ran=(0, 0, 0, 0))]
    for gap, core, works in switches:
        now += gap
        words = (IDLE, INIT if works else IDLE)
        lines.append(record("switch", now, words, core=core, ran=(now, now, now, now)))
    for core_time in times_of(parse_scope(lines), now):
        end_ns = 0
        for each in core_time.stretches:
            assert end_ns <= each.start_ns < each.start_ns + each.duration_ns <= now
            end_ns = each.start_ns + each.duration_ns
        assert core_time.busy_ns <= sum(each.duration_ns for each in core_time.stretches)
