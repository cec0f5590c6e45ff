# SPDX-License-Identifier: Apache-2.0
"""Boots as Perfetto reads them: tracks, instants and tables."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.timeline.join import join
from perfboard.analysis.timeline.source import SourceMarks
from perfboard.model.results.boot import Boot, ProcessTime, Span
from perfboard.model.results.timeline import Sighting
from perfboard.report.export.choose import export
from tests.support.runs import MARKS, boot_results, make_boot, make_run


def events(*boots: Boot) -> list[dict[str, Any]]:
    document = json.loads(export(make_run(boots=boots), "perfetto"))
    assert document["displayTimeUnit"] == "ns"
    assert document["otherData"]["evidence"] == "counted"
    found: list[dict[str, Any]] = document["traceEvents"]
    return found


def thread(found: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    (tid,) = [
        event["tid"]
        for event in found
        if event["name"] == "thread_name" and event["args"]["name"] == name
    ]
    return [event for event in found if event["tid"] == tid and event["ph"] != "M"]


def nanoseconds(microseconds: float) -> int:
    """As Perfetto's reader of this format makes them."""
    return int(microseconds * 1000.0)


def test_every_event_has_what_its_phase_requires() -> None:
    for event in events(make_boot(), make_boot()):
        assert {"name", "ph", "pid", "tid"} <= event.keys()
        if event["ph"] == "X":
            assert event["ts"] >= 0
            assert event["dur"] >= 0
        elif event["ph"] == "i":
            assert event["s"] == "t"
            assert event["ts"] >= 0
        else:
            assert event["ph"] == "M"
            assert event["name"] in (
                "process_name",
                "process_sort_index",
                "thread_name",
                "thread_sort_index",
            )


def test_each_boot_is_a_process_and_no_two_threads_share_an_id() -> None:
    found = events(make_boot(), make_boot())
    names = [event["args"]["name"] for event in found if event["name"] == "process_name"]
    assert names == ["boot 1: verdex, counted", "boot 2: verdex, counted"]
    ids = [event["tid"] for event in found if event["name"] == "thread_name"]
    assert len(set(ids)) == len(ids)
    assert not set(ids) & {event["pid"] for event in found}


def test_phases_and_steps_abut_to_the_nanosecond() -> None:
    found = events(make_boot())
    steps = thread(found, "steps")
    user_space = [row for row in steps if row["args"]["number"] == "3.2"]
    assert [row["name"] for row in user_space][:3] == ["init itself", "filesystems", "devices"]
    for rows, start in ((thread(found, "phases"), 0), (user_space, MARKS["init.exec"])):
        now = start
        for row in rows:
            assert nanoseconds(row["ts"]) == now
            now += nanoseconds(row["dur"])
        assert now == MARKS["usable"]
    load = thread(found, "phases")[2]
    assert load["args"] == {
        "metric": "boot.kernel.load",
        "number": "2.1",
        "from": "boot.command",
        "to": "kernel.sched_init",
        "precision_ns": 0,
        "instructions": 702_193_448 // 8 - 96_490_016 // 8,
    }


@given(st.integers(0, 10**14))
def test_perfetto_gets_back_every_nanosecond(t_ns: int) -> None:
    mark = make_boot().marks[0].model_copy(update={"t_ns": t_ns})
    (event,) = thread(events(Boot(marks=(mark,))), "marks (virtual clock)")
    assert nanoseconds(event["ts"]) == t_ns


def test_marks_are_instants_with_their_precision() -> None:
    found = thread(events(make_boot()), "marks (virtual clock)")
    assert [event["name"] for event in found] == list(MARKS)
    assert found[1]["args"] == {
        "t_ns": 96_482_192,
        "clock": "virtual",
        "source": "scope",
        "precision_ns": 0,
        "instructions": 12_060_274,
    }


def test_marks_of_different_clocks_are_kept_apart() -> None:
    boot = make_boot()
    late = boot.marks[-1].model_copy(update={"clock": "host"})
    found = events(Boot(marks=(*boot.marks[:-1], late)))
    assert [event["name"] for event in thread(found, "marks (host clock)")] == ["usable"]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=20))
def test_spans_nest_or_follow_in_every_lane(times: list[tuple[int, int]]) -> None:
    spans = tuple(
        Span(kind="probe", name=str(i), start_ns=start, duration_ns=length, returned=0)
        for i, (start, length) in enumerate(times)
    )
    found = [
        event
        for event in events(Boot(marks=make_boot().marks, spans=spans))
        if event.get("cat") == "probe"
    ]
    assert sorted(event["name"] for event in found) == sorted(span.name for span in spans)
    for lane in {event["tid"] for event in found}:
        placed = [
            (nanoseconds(event["ts"]), nanoseconds(event["ts"]) + nanoseconds(event["dur"]))
            for event in found
            if event["tid"] == lane
        ]
        for i, (start, end) in enumerate(placed):
            for other, other_end in placed[i + 1 :]:
                assert other >= end or other_end <= end
                assert other >= start


def test_overlapping_probes_get_lanes_and_spans_without_start_none() -> None:
    found = events(make_boot())
    assert [e["name"] for e in thread(found, "driver probes 1")] == ["0.flash"]
    assert [e["name"] for e in thread(found, "driver probes 2")] == ["virtio-net"]
    assert thread(found, "driver probes 2")[0]["args"] == {"returned": -517}
    assert [e["name"] for e in thread(found, "initcalls")] == ["physmap_init"]


def test_processes_are_a_table_at_the_last_instant() -> None:
    names = (ProcessTime(name="a", time_ns=1, instructions=1),) * 2
    (event,) = thread(events(make_boot(processes=names)), "processes")
    assert nanoseconds(event["ts"]) == MARKS["usable"]
    assert [row["name"] for row in event["args"]["processes"]] == ["a", "a"]


def test_every_source_of_a_timeline_is_there_with_its_manifest() -> None:
    """Read back by the published format: a mark that two clocks saw lies at one place."""
    first = [
        Sighting(name=n, t_ns=t, precision_ns=10) for n, t in (("reset", 50), ("usable", 10**9))
    ]
    # It began 5 s before, gains 40 ppm, and saw a mark of its own.
    other = [
        Sighting(name=mark.name, t_ns=round(5e9 + mark.t_ns * (1 + 40e-6)), precision_ns=10)
        for mark in first
    ]
    own = Sighting(name="led", t_ns=round(5e9 + 4e8 * (1 + 40e-6)), precision_ns=10)
    apart = SourceMarks("apart", (Sighting(name="x", t_ns=7, precision_ns=1),))
    timeline = join([SourceMarks("pins", tuple(first)), SourceMarks("log", (*other, own)), apart])
    run = make_run(results=(*boot_results((make_boot(),)), timeline))
    document = json.loads(export(run, "perfetto"))
    clocks = {clock["name"]: clock for clock in document["otherData"]["clocks"]}
    assert [clocks[name]["joined"] for name in ("pins", "log", "apart")] == [True, True, False]
    log = clocks["log"]
    assert log["reference"] == "pins" and log["common"] == ["reset", "usable"]
    assert abs(log["drift_ppm"] - 40) <= log["drift_error_ppm"] < 1
    events = document["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    seen = {
        (names[event["pid"]].removeprefix("source: "), event["name"]): event
        for event in events
        if event.get("cat") == "source"
    }
    assert abs(seen["pins", "usable"]["ts"] - seen["log", "usable"]["ts"]) * 1000 <= 2
    assert abs(seen["log", "led"]["ts"] * 1000 - (4e8 - 50)) <= log["error_ns"] + 30
    # The manifest alone leads from the source's own time to the trace's.
    since = seen["log", "led"]["args"]["own_ns"] - log["pivot_ns"]
    assert log["at_ns"] + since * (1 - log["drift_ppm"] / 1e6) == pytest.approx(
        seen["log", "led"]["ts"] * 1000, abs=2
    )
    threads = [(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"]
    assert len({tid for _, tid in threads}) == len(threads)
    assert not {tid for _, tid in threads} & set(names)
