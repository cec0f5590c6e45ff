# SPDX-License-Identifier: Apache-2.0
"""The standard study on a target in memory: what it records, however it ends."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from errno import ENOSPC
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from perfboard.bench.lab import Lab
from perfboard.bench.live import NAMING_FACTS
from perfboard.bench.request import Request
from perfboard.boards.loader import load_board
from perfboard.model.errors import DefectError, EnvironmentLacksError, TargetError, UsageError
from perfboard.model.progress import Progress
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.run import Evidence, Run, Status
from perfboard.probes.exchange import ProbeAnswer
from perfboard.probes.records import ProbeEntry
from perfboard.report.sections.measures.probe_rows import probe_rows
from perfboard.report.text import run_text
from perfboard.store.folder import find_run, finished_folders, runs_folder
from perfboard.store.reading import load_run
from perfboard.studies.probing import ProbeOptions, measure_target
from perfboard.studies.standard.study import STUDY
from perfboard.targets.base import Reply, Shell, Target
from tests.support.runs import only
from tests.support.shells import SayingShell

NAMES = ("memory.latency", "ipc.pipe", "system.facts")
# Of those that the probe gives; see native/probe/probes/system/facts.c.
FACTS = {"board": "A Board", "governor": "none"}


def lines_of(probe: str, facts: Mapping[str, str] = FACTS) -> tuple[str, ...]:
    measured = {"metric": probe, "unit": "s", "better": "lower", "samples": [1e-9, 1.1e-9]}
    said: list[dict[str, Any]] = [{"process": {"probe": probe, "cpu": 0}}, measured]
    if probe == "system.facts":
        said[1:] = [{"fact": name, "value": value} for name, value in facts.items()]
    said.append({"end": {"elapsed_s": 0.1, "disturbances": {"steal_s": 0.01}}})
    return tuple(map(json.dumps, said))


class Place:
    """What the study meets: a target, and a session whose probes print what `prints` gives."""

    def __init__(self) -> None:
        self.opened: list[str] = []
        self.busy = False
        self.ran: list[str] = []
        self.fails_at: tuple[int, BaseException] | None = None
        self.fails_opening: BaseException | None = None
        self.fails_closing: BaseException | None = None
        self.fields: dict[str, Any] = {"evidence": Evidence.HOST}
        self.facts = FACTS
        self.prints: Callable[[str], Sequence[str]] = lambda probe: lines_of(probe, self.facts)
        self.arguments: list[Sequence[str]] = []
        self.machine, self.arch = "x86_64", "x86_64"
        self.shell: Shell = SayingShell()

    @contextmanager
    def open_target(
        self,
        text: str,
        progress: Progress,
        artifacts: Path,
        factors: Mapping[str, str] = MappingProxyType({}),
    ) -> Iterator[Target]:
        self.opened.append(text)
        if self.fails_opening:
            raise self.fails_opening
        (artifacts / "console.log").write_bytes(b"login: ")
        given: dict[str, Any] = {"name": text, "shell": self.shell, "factors": factors}
        yield Target(**(given | self.fields))
        # What the console says last belongs to the record too.
        (artifacts / "console.log").write_bytes(b"login: bye")
        if self.fails_closing:
            raise self.fails_closing

    @contextmanager
    def session(self, target: Target, progress: Progress) -> Iterator["Place"]:
        self.busy = True
        yield self
        self.busy = False

    def probes(self) -> tuple[ProbeEntry, ...]:
        return tuple(
            ProbeEntry.model_validate({"probe": name, "summary": "", "weight": 1}) for name in NAMES
        )

    def run(self, probe: str, arguments: Sequence[str], limit_s: float) -> ProbeAnswer:
        if self.fails_at and len(self.ran) == self.fails_at[0]:
            raise self.fails_at[1]
        self.ran.append(probe)
        self.arguments.append(arguments)
        return ProbeAnswer(tuple(self.prints(probe)), "exit 0")

    def study(
        self,
        target: str = "local",
        factors: Mapping[str, str] = MappingProxyType({}),
        cpu: int | None = None,
    ) -> Run:
        """A run of the study standard here."""
        return STUDY.run(Request(target, factors, ()), ProbeOptions(1.0, cpu), self.lab())

    def measure(self, target: str, *probes: str) -> Run:
        """A run of those probes here."""
        request, options = Request(target, {}, ()), ProbeOptions(1.0)
        return measure_target("measure", request, probes, options, self.lab())

    def lab(self) -> Lab:
        return Lab(open=self.open_target, probe=self.session)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return Place()


def test_a_whole_run_is_stored(place: Place) -> None:
    run = place.study()
    assert load_run(find_run(run.id)).metrics == run.metrics
    assert (run.status, run.errors, run.study) == (Status.COMPLETE, (), "standard")
    assert (run.target, run.evidence) == ("local", Evidence.HOST)
    assert sorted(place.ran) == sorted(NAMES * 5)
    assert [process.probe for process in only(run, MeasuresResult).processes] == place.ran
    for metric in run.metrics:
        owners = {only(run, MeasuresResult).processes[number].probe for number in metric.processes}
        assert owners == {metric.name}
        assert len(metric.samples) == len(metric.processes) == 10
    outcome, stolen = run.provenance.notes
    assert outcome.startswith("Stopped after 5 rounds and 15 processes")
    assert "10% of the probes' time" in stolen


def test_a_clock_that_stepped_is_in_the_record_and_the_report(place: Place) -> None:
    stepped = {"end": {"elapsed_s": 0.1, "disturbances": {"clock_step_s": -3600.0}}}
    lines = [*lines_of("ipc.pipe")[:-1], json.dumps(stepped)]
    place.prints = lambda probe: lines
    run = place.study()
    assert run.status is Status.COMPLETE
    processes = only(run, MeasuresResult).processes
    assert {process.disturbances["clock_step_s"] for process in processes} == {-3600.0}
    (row,) = [row for row in probe_rows(processes) if row.probe == "ipc.pipe"]
    assert any(words.startswith("clock step ") for words in row.disturbances)


def test_the_board_is_made_of_what_the_probe_found(place: Place) -> None:
    board = place.study("ssh://root@10.0.0.7:2222").board
    assert (board.name, board.title) == ("10.0.0.7", "A Board")
    assert board.facts == FACTS


@pytest.mark.parametrize(
    ("facts", "title"),
    [
        ({"processor": "A Processor", "product": "A Product", "board": "A Board"}, "A Board"),
        ({"processor": "A Processor", "product": "A Product"}, "A Product"),
        ({"processor": "A Processor"}, "A Processor"),
        ({"governor": "none"}, "x86_64"),
    ],
)
def test_a_board_is_called_what_its_kernel_calls_it(
    place: Place, facts: dict[str, str], title: str
) -> None:
    place.facts = facts
    assert place.study().board.title == title


@pytest.mark.parametrize(
    ("facts", "evidence", "noted"),
    [
        ({"hypervisor": "KVMKVMKVM"}, Evidence.SILICON, True),
        ({"hypervisor": "KVMKVMKVM"}, Evidence.HOST, False),
        ({}, Evidence.SILICON, False),
    ],
)
def test_a_real_board_that_is_a_virtual_machine_is_noted(
    place: Place, facts: dict[str, str], evidence: Evidence, noted: bool
) -> None:
    place.facts = facts
    place.fields["evidence"] = evidence
    notes = place.study("ssh://board").provenance.notes
    assert any("virtual machine" in note and "KVMKVMKVM" in note for note in notes) == noted


LIMITED = "".join(
    f"/sys/devices/system/cpu/cpufreq/policy0/{name}={value}\n"
    for name, value in (("cpuinfo_max_freq", 1800000), ("scaling_max_freq", 1200000))
)


@pytest.mark.parametrize("target", ["local", "ssh://board", "serial:///dev/ttyUSB0"])
def test_what_held_the_probes_back_is_noted_on_any_target(place: Place, target: str) -> None:
    place.shell = SayingShell(LIMITED)
    for run in (place.study(target), place.measure(target, "ipc.pipe")):
        assert any("held to 1.200 GHz of its 1.800 GHz" in n for n in run.provenance.notes)
        assert "held to 1.200 GHz" in " ".join(run_text(run).split())


def test_nothing_holds_a_virtual_board_back(place: Place) -> None:
    place.shell = SayingShell(LIMITED)
    place.fields["evidence"] = Evidence.COUNTED
    notes = place.study("virtual:verdex").provenance.notes
    assert not any("held to" in note for note in notes)


@pytest.mark.parametrize("stops", [False, True])
def test_conditions_are_asked_for_while_no_probe_has_the_console(place: Place, stops: bool) -> None:
    class Watched(SayingShell):
        def run(self, script: str, *, timeout_s: float = 20) -> Reply:
            assert not place.busy
            return super().run(script, timeout_s=timeout_s)

    place.shell = shell = Watched(LIMITED)
    if stops:
        place.fails_at = (7, TargetError("lost", "The board is gone."))
    run = place.study("serial:///dev/ttyUSB0")
    assert any("held to 1.200 GHz" in note for note in run.provenance.notes)
    # Of a target that is lost nothing more is asked.
    asked = [script for script in shell.scripts if "/proc/stat" in script]
    assert len(asked) == (1 if stops else 2)


def test_a_target_that_ends_after_its_last_probe_keeps_its_run(place: Place) -> None:
    class Ending(SayingShell):
        def run(self, script: str, *, timeout_s: float = 20) -> Reply:
            if len(self.scripts) > 2:
                raise TargetError("lost", "The connection is gone.")
            return super().run(script, timeout_s=timeout_s)

    place.shell = Ending("Linux 6.1 x86_64", "", LIMITED)
    run = place.study("ssh://board")
    assert run.status is Status.COMPLETE
    assert any("held to 1.200 GHz" in note for note in run.provenance.notes)


def test_the_processor_that_was_asked_for_is_measured(place: Place) -> None:
    place.prints = lambda probe: [line.replace('"cpu": 0', '"cpu": 2') for line in lines_of(probe)]
    run = place.study(cpu=2)
    assert all(list(words[-2:]) == ["--cpu", "2"] for words in place.arguments)
    assert {process.cpu for process in only(run, MeasuresResult).processes} == {2}


def test_a_processor_that_the_target_does_not_have_is_refused(place: Place) -> None:
    note = {"note": "not pinned to processor 9: Invalid argument"}
    lines = list(lines_of("system.facts", {"processors": "4"}))
    lines.insert(1, json.dumps(note))
    place.prints = lambda probe: lines
    with pytest.raises(UsageError) as raised:
        place.study("ssh://board", cpu=9)
    assert "CPU 9" in str(raised.value)
    assert "Invalid argument" in str(raised.value)
    assert "it may use 4 processors" in str(raised.value)
    assert list(runs_folder().iterdir()) == []


def test_the_facts_that_name_a_board_are_the_probes() -> None:
    source = (Path(__file__).parents[4] / "native/probe/probes/system/facts.c").read_text()
    for fact in (*NAMING_FACTS, "hypervisor"):
        assert f'"{fact}"' in source


def test_a_boards_own_description_comes_first(place: Place) -> None:
    place.fields |= {"evidence": Evidence.TIMED, "image": {"kernel": "ab"}}
    place.facts = {**FACTS, "processor": "what the emulator says"}
    run = place.study("virtual:verdex")
    known = load_board("verdex").board
    assert (run.board.name, run.board.title) == ("verdex", known.title)
    assert run.board.facts == {**place.facts, **known.facts}
    assert run.provenance.image == {"kernel": "ab"}
    assert run.evidence is Evidence.TIMED


def test_what_the_target_says_last_is_in_the_record(place: Place) -> None:
    run = place.study()
    folder = find_run(run.id)
    assert (folder / "artifacts" / "console.log").read_bytes() == b"login: bye"
    (artifact,) = load_run(folder).artifacts
    assert artifact.size == len(b"login: bye")


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (TargetError("lost", "The board is gone."), Status.FAILED, "lost"),
        (KeyboardInterrupt(), Status.ABORTED, "interrupted"),
        (OSError(ENOSPC, "No space left on device"), Status.FAILED, EnvironmentLacksError.kind),
    ],
)
def test_what_was_measured_before_the_end_is_kept(
    place: Place, error: BaseException, status: Status, kind: str
) -> None:
    place.fails_at = (7, error)
    run = load_run(find_run(place.study().id))
    assert run.status is status
    (recorded,) = run.errors
    assert recorded.kind == kind
    assert ", round 3" in recorded.message
    assert len(only(run, MeasuresResult).processes) == 7
    assert run.metrics


def test_a_target_that_cannot_be_opened_leaves_no_run(place: Place) -> None:
    place.fails_opening = TargetError("lost", "no route to host")
    with pytest.raises(TargetError, match="no route"):
        place.study("ssh://nowhere")
    assert list(runs_folder().iterdir()) == []


def test_a_failure_to_close_keeps_the_measurements(place: Place) -> None:
    place.fails_closing = TargetError("lost", "gone")
    run = load_run(find_run(place.study().id))
    assert run.status is Status.FAILED
    assert len(only(run, MeasuresResult).processes) == 15


@pytest.mark.parametrize(
    ("first", "second", "status", "kind"),
    [
        (TargetError("hang", "silent"), KeyboardInterrupt(), Status.FAILED, "hang"),
        (KeyboardInterrupt(), TargetError("lost", "gone"), Status.ABORTED, "interrupted"),
        (TargetError("hang", "silent"), TargetError("lost", "gone"), Status.FAILED, "hang"),
    ],
)
def test_what_ended_a_run_first_is_its_end(
    place: Place, first: BaseException, second: BaseException, status: Status, kind: str
) -> None:
    place.fails_at, place.fails_closing = (7, first), second
    run = load_run(find_run(place.study().id))
    assert (run.status, [error.kind for error in run.errors]) == (status, [kind])


def test_a_defect_while_closing_is_not_hidden(place: Place) -> None:
    place.fails_at, place.fails_closing = (7, KeyboardInterrupt()), ZeroDivisionError()
    with pytest.raises(DefectError, match="ZeroDivisionError"):
        place.study()


def test_a_defect_is_not_hidden(place: Place) -> None:
    place.fails_at = (2, ZeroDivisionError())
    with pytest.raises(DefectError, match="ZeroDivisionError"):
        place.study()


def test_probes_are_chosen_by_name(place: Place) -> None:
    run = place.measure("local", "ipc.pipe", "ipc.pipe")
    # What it is measured on is told, though nobody asked for that probe.
    assert place.ran == ["system.facts", *["ipc.pipe"] * 5]
    assert {process.probe for process in only(run, MeasuresResult).processes} == {"ipc.pipe"}
    assert run.study == "measure"
    with pytest.raises(UsageError, match=r"no probe .nosuch.\. The probes are: cpu\.bogomips"):
        place.measure("local", "ipc.pipe", "nosuch")
    assert len(finished_folders()) == 1


def test_a_mistyped_probe_is_found_before_the_target_is_opened(place: Place) -> None:
    with pytest.raises(UsageError, match=r"did you mean .memory\.latency.\?"):
        place.measure("virtual:verdex", "memory.latncy")
    assert place.opened == []
    assert not runs_folder().exists()


def test_factors_are_those_of_the_target(place: Place) -> None:
    levels = {"detail": "counted"}
    assert place.study("virtual:verdex", factors=levels).factors == levels


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("local", "local"),
        ("ssh://board", "board"),
        ("ssh://me@board.example:22", "board.example"),
        ("serial:///dev/ttyUSB0", "dev-ttyUSB0"),
        ("virtual:verdex", "verdex"),
        ("ssh://[fe80::1]:22", "fe80-1"),
        ("ssh://" + "x" * 300, "x" * 40),
    ],
)
def test_a_run_is_named_after_its_place(place: Place, target: str, name: str) -> None:
    assert place.study(target).board.name == name


def test_the_facts_alone_are_what_was_asked_for(place: Place) -> None:
    run = place.measure("local", "system.facts")
    assert (run.status, run.errors, run.metrics) == (Status.COMPLETE, (), ())
    assert run.board.facts == FACTS
    place.facts = {}
    (undecided,) = place.measure("local", "system.facts").errors
    assert undecided.kind == "inconclusive"
