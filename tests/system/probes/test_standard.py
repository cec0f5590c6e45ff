# SPDX-License-Identifier: Apache-2.0
"""The standard study of this machine with the real probe, and every way in which it ends."""

import os
import platform
import re
import signal
import sys
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
import pytest

from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.binaries.probes import all_probes
from perfboard.model.errors import TargetError
from perfboard.model.progress import SilentProgress
from perfboard.probes.exchange import Exchange
from perfboard.probes.records import read_probes, read_process
from perfboard.targets.pipe.process import Process
from tests.support.probe_peer import Wire
from tests.support.probe_runs import GRAPHS
from tests.support.rich_boards import rich_board
from tests.support.runs import processes_of

from ..conftest import COUNTED, Here, Perfboard, until


def check_probes(run: Any, probes: set[str]) -> None:
    """Every probe ran, five times or refused, and each sample knows its process."""
    assert run["status"] == "complete"
    assert {process["probe"] for process in processes_of(run)} == probes
    measured = {processes_of(run)[m["processes"][0]]["probe"] for m in run["metrics"]}
    counts = Counter(process["probe"] for process in processes_of(run))
    refused = {process["probe"] for process in processes_of(run) if process["refused"]}
    # The facts are no metrics.
    assert probes - measured - refused <= {"system.facts"}
    for probe in probes - refused:
        assert counts[probe] >= 5, probe
    for metric in run["metrics"]:
        assert len(metric["samples"]) == len(metric["processes"]) > 0
    assert any(note.startswith("Stopped after") for note in run["provenance"]["notes"])


def check_standard(command: Perfboard, run: Any, probes: set[str]) -> None:
    """As check_probes(), and all is drawn."""
    check_probes(run, probes)
    page = Path(command("report", run["id"]).stdout.strip()).read_text()
    headings = re.findall(r"<section class=\"graph\">\s*<h2>([^<]*)</h2>", page)
    for title in GRAPHS:
        assert any(heading.startswith(title) for heading in headings), (title, headings)
    for layout in ("wide", "narrow"):
        assert page.count(f'<svg class="chart plot {layout}"') == len(headings)
    # A line or a bar is in each.
    for chart in re.findall(r'<svg class="chart plot .*?</svg>', page, re.DOTALL):
        assert 'class="line" d="M' in chart or 'class="bin"' in chart


def test_every_probe_of_this_machine_is_measured(here: Here) -> None:
    probes = {probe.name for probe in all_probes()}
    assert {"memory.latency", "kernel.syscall", "ipc.pipe"} <= probes
    run = here.json("study", "standard", "--time", "5")
    check_standard(here, run, probes)
    assert (run["evidence"], run["target"]) == ("host", "local")
    rounds: dict[int, list[str]] = {}
    for process in processes_of(run):
        rounds.setdefault(process["round"], []).append(process["probe"])
    assert all(len(set(round)) == len(round) for round in rounds.values())
    # Interleaved, in an order drawn anew for each round.
    assert len({tuple(rounds[number]) for number in range(5)}) == 5
    assert here.left_clean()
    assert "kernel.syscall" in here("show", run["id"]).stdout


def test_a_virtual_board_gives_the_same(perfboard: Perfboard) -> None:
    probes = {probe.name for probe in all_probes()}
    run = perfboard.json(
        "study", "standard", "--target", "virtual:verdex", "--time", "12", *COUNTED
    )
    check_standard(perfboard, run, probes)
    assert (run["evidence"], run["target"]) == ("counted", f"virtual:{rich_board('verdex')}")
    # What this kernel and this part do not have, and nothing else.
    refused = {process["probe"] for process in processes_of(run) if process["refused"]}
    assert refused == {"memory.latency", "cpu.branch", "system.kernel"}


def test_a_script_runs_it_as_the_page_says(here: Here) -> None:
    page = Path(__file__).parents[3] / "docs/runs/python.md"
    (code,) = re.findall(r"```python\n([^`]*run_study[^`]*)```", page.read_text())
    here.words = [sys.executable]
    assert re.match(r"complete \d{3} \(\)$", here("-c", code).stdout)


def test_one_probe_is_measured_alone(here: Here) -> None:
    words = ["measure", "kernel.syscall", "--time", "2"]
    run = here.json(*words)
    assert {process["probe"] for process in processes_of(run)} == {"kernel.syscall"}
    assert run["study"] == "measure"
    (metric,) = run["metrics"]
    assert 1e-9 < min(metric["samples"]) < max(metric["samples"]) < 1e-3
    said = here("measure", "kernel.sycall", code=2).stderr
    assert "kernel.syscall" in said
    assert [row["id"] for row in here.json("runs")] == [run["id"]]
    assert here.left_clean()


def test_the_processor_is_the_one_asked_for_or_the_last(here: Here) -> None:
    mine = sorted(os.sched_getaffinity(0))
    for words, cpu in ((["--cpu", str(mine[0])], mine[0]), ([], mine[-1])):
        run = here.json("measure", "kernel.syscall", "--time", "1", *words)
        found = {process["cpu"] for process in processes_of(run)}
        assert found == {cpu} or (not words and _speeds_differ(mine))
    said = here("measure", "kernel.syscall", "--cpu", "1000", code=2).stderr
    assert "no probe can run on CPU 1000" in said
    assert f"it may use {len(mine)} processors" in said


def _speeds_differ(cpus: list[int]) -> bool:
    files = (f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/cpuinfo_max_freq" for cpu in cpus)
    return len({Path(file).read_text() for file in files if Path(file).exists()}) > 1


def test_an_interruption_keeps_what_was_measured_and_leaves_nothing(here: Here) -> None:
    process = here.start("measure", "kernel.syscall", "ipc.pipe", "--time", "60", "--json")
    first = until(lambda: here.running("kernel.syscall", "ipc.pipe"))
    until(lambda: None if psutil.pid_exists(first.pid) else True)
    until(lambda: here.running("kernel.syscall", "ipc.pipe"))
    process.send_signal(signal.SIGINT)
    run = here.finish(process, 130)
    assert run["status"] == "aborted"
    assert run["errors"][0]["kind"] == "interrupted"
    assert 1 <= len(processes_of(run)) < 10
    assert run["metrics"]
    assert here.left_clean()


def test_a_probe_that_is_killed_is_reported_and_the_others_go_on(here: Here) -> None:
    process = here.start("measure", "kernel.syscall", "memory.latency", "--time", "10")
    until(lambda: here.running("memory.latency")).kill()
    run = here.finish(process, 5)
    assert run["status"] == "complete"
    counts = Counter(process["probe"] for process in processes_of(run))
    assert (counts["memory.latency"], counts["kernel.syscall"] >= 5) == (1, True)
    (killed,) = [p for p in processes_of(run) if p["probe"] == "memory.latency"]
    assert "killed by SIGKILL, perhaps by the kernel for lack of memory" in killed["refused"]
    assert here.left_clean()


def test_a_server_that_is_killed_ends_the_run_with_what_was_measured(here: Here) -> None:
    process = here.start("measure", "kernel.syscall", "ipc.pipe", "--time", "60")
    first = until(lambda: here.running("kernel.syscall", "ipc.pipe"))
    until(lambda: None if psutil.pid_exists(first.pid) else True)
    second = until(lambda: here.running("kernel.syscall", "ipc.pipe"))
    until(lambda: here.running("serve")).kill()
    run = here.finish(process, 4)
    assert run["status"] == "failed"
    assert run["errors"][0]["kind"] == "died"
    assert processes_of(run)
    # Its child does not outlive it.
    until(lambda: None if psutil.pid_exists(second.pid) else True)
    assert here.left_clean()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_terminated_command_leaves_nothing_either(here: Here, number: signal.Signals) -> None:
    process = here.start("measure", "kernel.syscall", "--time", "60")
    until(lambda: here.running("kernel.syscall"))
    process.send_signal(number)
    assert here.finish(process, 130)["status"] == "aborted"
    assert here.left_clean()


@pytest.mark.parametrize(("interrupted", "code"), [(False, 0), (True, 130)])
def test_a_command_to_which_nobody_listens_ends_as_any_other(
    here: Here, interrupted: bool, code: int
) -> None:
    process = here.start("measure", "kernel.syscall", "--time", "60" if interrupted else "1")
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    process.stderr.close()
    if interrupted:
        until(lambda: here.running("kernel.syscall"))
        process.send_signal(signal.SIGINT)
    assert process.wait(60) == code
    run = here.json("show", "latest")
    assert run["status"] == ("aborted" if interrupted else "complete")
    assert here.left_clean()


def test_a_killed_command_leaves_nothing_either(here: Here) -> None:
    process = here.start("measure", "kernel.syscall", "--time", "60")
    until(lambda: here.running("kernel.syscall"))
    process.kill()
    process.communicate(timeout=60)
    until(here.left_clean)


def test_a_command_that_is_killed_while_it_copies_leaves_nothing_either(here: Here) -> None:
    programs = here.place.parent / "programs"
    programs.mkdir()
    (programs / "cat").write_text("#!/bin/sh\nhead -c 1000\nsleep 5\nexec /bin/cat\n")
    (programs / "cat").chmod(0o755)
    here.environment["PATH"] = f"{programs}:{here.environment['PATH']}"
    process = here.start("measure", "kernel.syscall")
    until(lambda: any(here.place.glob("*/perfboard-probe")))
    process.kill()
    process.communicate(timeout=60)
    until(here.left_clean)


class Damaging:
    """A channel whose bytes are lost, changed and doubled both ways."""

    def __init__(self, channel: Process) -> None:
        self._channel = channel
        self.wire = Wire(rate=0.0003, seed=1)

    def write(self, data: bytes) -> None:
        self._channel.write(self.wire(data))

    def read(self, timeout_s: float) -> bytes:
        return self.wire(self._channel.read(timeout_s))

    def close(self) -> None:
        self._channel.close()


def test_the_real_server_is_understood_over_a_line_that_damages() -> None:
    binary = find_binary(architecture_of(platform.machine()), SilentProgress())
    server = Process([str(binary), "serve"], lambda said: TargetError("lost", said))
    channel = Damaging(server)
    exchange = Exchange(channel)
    try:
        assert exchange.hello().crc == zlib.crc32(binary.read_bytes())
        known = read_probes(exchange.run("run 30 list", 30).lines)
        for probe in ("kernel.syscall", "memory.bandwidth") * 2:
            assert probe in [one.name for one in known]
            answer = exchange.run(f"run 30 {probe} --seconds 0.5", 30)
            report = read_process(probe, 0, answer.lines, answer.end)
            # What the checksums let through is whole.
            assert report.usable
            assert not any("could not be read" in note for note in report.process.notes)
            assert report.metrics
    finally:
        exchange.bye()
        channel.close()
    assert channel.wire.damage > 0
