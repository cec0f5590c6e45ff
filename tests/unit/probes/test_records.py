# SPDX-License-Identifier: Apache-2.0
"""What probes print becomes records, and nothing they print makes that fail."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.model.errors import TargetError
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.run import Run
from perfboard.probes.records import Merger, how_it_failed, read_probes, read_process
from tests.support.runs import make_run

PROCESS = (
    '{"process":{"probe":"memory.latency","arch":"x86_64","cpu":1,"clock":"monotonic_raw",'
    '"tick_s":1e-09,"cost_s":2.4e-08}}'
)
METRIC = (
    '{"metric":"memory.latency","unit":"s","better":"lower","alias":"lat_mem_rd",'
    '"labels":{"size":"4096","stride":"64"},"samples":[1e-9,2e-9]}'
)
END = (
    '{"end":{"elapsed_s":1.2,"disturbances":{"involuntary_switches":3,"steal_s":0,'
    '"frequency_before_hz":2.5e9,"temperature":null}}}'
)


def metric(**changes: Any) -> str:
    return json.dumps(json.loads(METRIC) | changes)


def test_a_process_is_read_whole() -> None:
    lines = [PROCESS, METRIC, '{"fact":"governor","value":"performance"}', '{"note":"n"}', END]
    report = read_process("memory.latency", 2, lines, "exit 0")
    process = report.process
    assert (process.round, process.cpu, process.elapsed_s) == (2, 1, 1.2)
    assert (process.clock, process.tick_s, process.cost_s) == ("monotonic_raw", 1e-9, 2.4e-8)
    assert process.disturbances == {
        "involuntary_switches": 3,
        "steal_s": 0,
        "frequency_before_hz": 2.5e9,
    }
    assert (process.notes, process.refused) == (("n",), None)
    (found,) = report.metrics
    assert (found.title, found.group) == ("Memory latency", "Memory")
    assert found.alias == "lat_mem_rd"
    assert found.labels == {"size": "4096", "stride": "64"}
    assert found.samples == (1e-9, 2e-9)
    assert report.facts == {"governor": "performance"}
    assert report.usable


def test_a_refusal_is_kept_and_the_probe_not_asked_again() -> None:
    lines = [PROCESS, '{"refused":"no /dev/shm: No such file or directory"}', END]
    report = read_process("memory.tmpfs", 0, lines, "exit 0")
    assert report.process.refused == "no /dev/shm: No such file or directory"
    assert not report.usable


def test_a_refusal_of_a_part_leaves_the_rest() -> None:
    lines = [PROCESS, METRIC, '{"refused":"no huge pages"}', '{"refused":"no room"}', END]
    report = read_process("memory.latency", 0, lines, "exit 0")
    assert report.process.refused == "no huge pages; no room"
    assert report.metrics
    assert report.usable


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("signal 9", "killed by SIGKILL, perhaps by the kernel for lack of memory"),
        ("signal 11", "killed by SIGSEGV"),
        ("signal 999", "killed by signal 999"),
        ("timeout", "took far longer than asked, and was killed"),
        ("exit 1", "ended with 'exit 1'"),
        ("\x1b[2J", "ended with '\\x1b[2J'"),
    ],
)
def test_a_process_that_did_not_end_well_says_how(end: str, words: str) -> None:
    report = read_process("ipc.switch", 0, [PROCESS, METRIC, METRIC[:40]], end)
    assert report.process.refused == words
    assert not report.usable
    # What it measured before stays.
    assert len(report.metrics) == 1
    assert "1 lines could not be read" in report.process.notes[0]
    assert how_it_failed("exit 0") is None


def test_a_process_that_gives_nothing_is_a_refusal_that_may_pass() -> None:
    lines = [PROCESS, '{"note":"180 points are left out"}', END]
    report = read_process("memory.bandwidth", 0, lines, "exit 0")
    assert report.process.refused == "it measured nothing: 180 points are left out"
    assert report.usable
    facts = read_process("system.facts", 0, [PROCESS, '{"fact":"a","value":"b"}', END], "exit 0")
    assert facts.process.refused is None


def test_an_output_without_its_end_is_not_whole() -> None:
    report = read_process("ipc.switch", 0, [], "exit 0")
    assert report.process.refused == "its output is not whole: nothing"
    assert not report.usable


@pytest.mark.parametrize(
    "line",
    [
        metric(samples=[1, "2"]),
        metric(samples=[True]),
        metric(samples=None),
        metric(samples=[1e200]),
        metric(samples=[10**400]),
        METRIC.replace("1e-9", "NaN"),
        METRIC.replace("1e-9", "inf"),
        metric(unit="furlong"),
        metric(better="worse"),
        metric(metric="../../etc"),
        metric(metric="<script>"),
        metric(labels={"size": 4096}),
        metric(labels={"size": "x" * 5000}),
        metric(labels={str(n): "" for n in range(500)}),
        metric(alias="\ud800"),
        "[" * 100_000,
        "9" * 10_000,
        "null",
        "",
        '{"process":7}',
        '{"end":{"elapsed_s":"long"}}',
        '{"fact":"a"}',
    ],
)
def test_a_strange_line_becomes_a_note(line: str) -> None:
    report = read_process("memory.latency", 0, [PROCESS, line, METRIC, END], "exit 0")
    assert len(report.metrics) == 1
    assert report.process.notes[0].startswith("1 lines could not be read: ")
    assert len(report.process.notes[0]) < 1000
    assert report.usable


def test_of_each_metric_it_is_known_how_many_processes_did_not_settle() -> None:
    merger = Merger()
    for settled in ({"settled": False}, {}, {"settled": False}, {"settled": True}):
        merger.add(read_process("memory.latency", 0, [PROCESS, metric(**settled), END], "exit 0"))
    (found,) = merger.metrics()
    assert (found.unsettled, len(merger.processes)) == (2, 4)


def test_samples_keep_their_process_when_reports_are_merged() -> None:
    merger = Merger()
    for round in range(3):
        lines = [PROCESS, metric(samples=[round, round + 0.5]), metric(labels={}), END]
        merger.add(read_process("memory.latency", round, lines, "exit 0"))
        merger.add(read_process("cpu.clock", round, [END], "exit 0"))
    first, second = merger.metrics()
    assert first.samples == (0, 0.5, 1, 1.5, 2, 2.5)
    assert first.processes == (0, 0, 2, 2, 4, 4)
    assert second.labels == {}
    assert merger.metrics("cpu.clock") == ()
    assert [process.round for process in merger.processes] == [0, 0, 1, 1, 2, 2]


def test_a_metric_that_changes_its_unit_is_left_out_with_a_note() -> None:
    merger = Merger()
    merger.add(read_process("memory.latency", 0, [METRIC, END], "exit 0"))
    merger.add(read_process("memory.latency", 1, [metric(unit="B"), END], "exit 0"))
    (found,) = merger.metrics()
    assert found.processes == (0, 0)
    assert "left out" in merger.processes[1].notes[0]


def test_the_list_of_probes_is_read_past_what_is_strange() -> None:
    lines = [
        "Welcome!",
        '{"probe":"memory.latency","summary":"reads","weight":8,"new":1}',
        '{"probe":"rm -rf /","summary":"","weight":1}',
        '{"probe":"a","summary":"","weight":-1}',
    ]
    (probe,) = read_probes(lines)
    assert (probe.name, probe.summary, probe.weight) == ("memory.latency", "reads", 8)
    with pytest.raises(TargetError, match="Welcome") as raised:
        read_probes(lines[:1])
    assert raised.value.kind == "garbage"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=10,
)
keys = st.sampled_from(
    [
        "process",
        "metric",
        "unit",
        "better",
        "labels",
        "samples",
        "fact",
        "value",
        "note",
        "refused",
        "end",
        "elapsed_s",
        "disturbances",
        "alias",
        "probe",
        "cpu",
    ]
)
values = json_values | st.sampled_from(
    ["s", "lower", "memory.latency", [1.0], [5e-324], {"size": "1"}]
)
said = st.one_of(
    st.text(max_size=200),
    st.dictionaries(keys, values | st.dictionaries(keys, values)).map(json.dumps),
    st.sampled_from([PROCESS, METRIC, END]),
)


@given(st.lists(st.lists(said, max_size=8), max_size=4), st.text(max_size=20))
def test_whatever_is_printed_gives_a_run_that_can_be_stored(
    outputs: list[list[str]], end: str
) -> None:
    merger = Merger()
    for round, lines in enumerate(outputs):
        merger.add(read_process("memory.latency", round, lines, end))
    run = make_run(
        metrics=merger.metrics(), results=(MeasuresResult(processes=tuple(merger.processes)),)
    )
    assert Run.model_validate_json(run.to_json()) == run
