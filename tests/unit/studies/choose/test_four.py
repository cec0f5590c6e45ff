# SPDX-License-Identifier: Apache-2.0
"""A profile of boot time, network, memory and wake-ups: each a measure with its own ways."""

import re
from dataclasses import replace
from pathlib import Path
from threading import Event

from perfboard.images.program.base import ProgramJob
from perfboard.measures.wakeups.playback import AudioWakeups
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.results.profile import ProfileResult
from perfboard.model.rows import row_line
from perfboard.model.run import Status
from perfboard.report.html import render
from perfboard.report.text import run_text
from perfboard.targets.virtual.program import ProgramResults
from tests.support.lab import RESULTS, FakeLab
from tests.support.profile_runs import WorkShell, run, run_live
from tests.support.runs import only
from tests.unit.measures.memory.test_free import FREE

FOUR = """
schema = "perfboard.profile/2"
[profile]
name = "four"
device = "A gateway"
for = "us"
[[key_issue]]
name = "picture"
question = "Is it up soon?"
measure = "boot"
metric = "boot.total"
parameters = { boots = 1 }
budget = "<= 10 s"
[[key_issue]]
name = "network"
question = "Is it fast?"
measure = "network.tcp"
metric = "network.tcp.bandwidth"
labels = { way = "to the board", streams = "1" }
budget = ">= 1 MB/s"
[[key_issue]]
name = "memory"
question = "Is there room?"
measure = "memory.free"
metric = "system.ram.available"
labels = { by = "free+cache" }
budget = ">= 1 MB"
[[key_issue]]
name = "sleep"
question = "Does it sleep?"
measure = "wakeups"
metric = "wakeups.wakes"
parameters = { load = "copy" }
budget = "<= 1 1/s"
"""
COUNTED = "@file /proc/stat\n"


def ends(job: ProgramJob, cancelled: Event) -> ProgramResults:
    """What each script prints; the far end's client says a transfer for each line."""
    script = job.files[-1].read_text()
    if "tcp" in script:
        text = f"{COUNTED}cpu0 0 0 0 0 0 0 0 0\n"
        for number, _ in enumerate(re.findall(r"^echo (\w+ \d+ \d+) \|", script, re.MULTILINE), 1):
            text += row_line("moved", bytes=8_000_000, took_us=2_000_000, retransmitted=0)
            text += f"{COUNTED}cpu0 {number} 0 0 {number} 0 0 0 0\n"
        return replace(RESULTS, stdout=text.encode())
    printed = FREE if "system.memory" in script else AudioWakeups.examples[0].output
    return replace(RESULTS, stdout=printed.encode())


def test_four_rows_give_four_verdicts_on_a_virtual_board(tmp_path: Path) -> None:
    (path := tmp_path / "four.toml").write_text(FOUR)
    fake = FakeLab(tmp_path)
    fake.ends = ends
    found = run(fake, path, "virtual:beaglebone-green-eco")
    assert found.status is Status.COMPLETE, found.errors
    result = only(found, ProfileResult)
    outcomes = {row.name: row.outcome for row in result.rows}
    # No figure of the board's network was held against the model.
    decided = {"picture": "pass", "memory": "pass", "sleep": "fail"}
    assert outcomes == {**decided, "network": "inconclusive"}
    assert [v.metric for v in found.verdicts] == list(decided)
    assert [v.metric for v in found.no_verdicts] == ["network"]
    assert "no figure of the real part was held against" in run_text(found).replace("\n", " ")
    assert "no figure of the real part was held against" in run_text(found).replace("\n", " ")
    measurements = only(found, MeasuresResult).measurements
    assert [m.measure for m in measurements] == ["boot", "network.tcp", "memory.free", "wakeups"]
    places = {metric.name.split(".")[0]: metric.measurement for metric in found.metrics}
    assert places == {"boot": 0, "image": 0, "network": 1, "system": 2, "wakeups": 3}
    # The kernel of the jobs is another one than that of the board's own image.
    assert {"image", "kernel of jobs"} == set(found.provenance.image)
    # One kernel for all of the jobs.
    assert len({variant.levels["features"] for variant in fake.variants}) == 1
    assert "beaglebone-green-eco is not right for this device, because sleep fails" in run_text(
        found
    )
    assert "boot.total" in render(found)


def test_a_boot_is_no_row_of_a_running_system(tmp_path: Path) -> None:
    (path := tmp_path / "four.toml").write_text(FOUR)
    found = run_live(WorkShell(FREE), path, tmp_path)
    row = only(found, ProfileResult).rows[0]
    assert row.outcome == "not measured"
    assert row.reason.startswith("a running system is not booted")
