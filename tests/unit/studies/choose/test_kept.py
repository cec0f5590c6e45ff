# SPDX-License-Identifier: Apache-2.0
"""Figures of the same board are taken over, and no others."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from perfboard.bench.request import Request
from perfboard.model.results.profile import ProfileResult
from perfboard.model.run import Run, Status
from perfboard.store.folder import runs_folder
from perfboard.studies.choose.board import BoardStudy
from perfboard.studies.choose.options import ChooseOptions
from perfboard.targets.base import Reply
from tests.support.lab import RESULTS, FakeLab
from tests.support.profile_runs import SCALED, WorkShell, ends, no_programs, run, run_live


def test_a_run_that_ended_early_is_taken_up_again(path: Path, tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    fake.interrupt_second(ends)
    first = run(fake, path)
    again = FakeLab(tmp_path)
    again.ends = ends
    titles: list[str] = []
    found = run(again, path, titles=titles)
    # The sound alone was measured; no earlier run says how long that takes.
    assert len(again.jobs) == 1 and found.status is Status.COMPLETE
    assert titles == ["measuring audio.encode (1 of 1, no earlier run tells how long)"]
    assert found.metrics == first.metrics
    assert f"Taken over from {first.id}: image.scale." in found.provenance.notes
    assert found.results_of(ProfileResult)[0].rows[0].outcome == "pass"


def test_a_measure_that_was_interrupted_is_measured_again(path: Path, tmp_path: Path) -> None:
    """Its record has what it found until then, and no time on the host."""
    fake = FakeLab(tmp_path)
    fake.interrupt_second(ends)
    first = run(fake, path)
    record = json.loads(first.to_json())
    for result in record["results"]:
        for each in result.get("measurements", ()):
            each["host_s"] = 0
    (runs_folder() / first.id / "run.json").write_text(json.dumps(record))
    again = FakeLab(tmp_path)
    again.ends = ends
    assert not taken(run(again, path)) and len(again.jobs) == 2


def test_rows_of_several_runs_are_taken_over(path: Path, tmp_path: Path) -> None:
    path.write_text(path.read_text().replace("audio.encode", "image.index"))
    for row in ("picture", "sound"):
        fake = FakeLab(tmp_path)
        fake.ends = lambda job, cancelled: replace(RESULTS, stdout=SCALED)
        run(fake, path, only=(row,))
    again = FakeLab(tmp_path)
    again.ends = ends
    found = run(again, path)
    assert "image.scale" in str([n for n in found.provenance.notes if n.startswith("Taken over")])


def test_only_a_run_of_the_same_set_up_is_taken_up(path: Path, tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    fake.ends = ends
    run(fake, path)
    request = Request("virtual:rpi2", {"detail": "counted"}, ("perfboard",))
    found = BoardStudy().run(request, ChooseOptions(profile=str(path)), fake.lab())
    assert not any("Taken over" in note for note in found.provenance.notes)


def test_only_a_run_of_the_same_machine_is_taken_up(path: Path, tmp_path: Path) -> None:
    class Machine(WorkShell):
        kernel = "6.1.0"

        def run(self, script: str, *, timeout_s: float = 20) -> Reply:
            if script == "uname -srm":
                return Reply(0, f"Linux {self.kernel} x86_64\n")
            return super().run(script, timeout_s=timeout_s)

    shell = Machine(SCALED.decode() * 5)
    first = run_live(shell, path, tmp_path, no_programs)
    assert first.board.facts["kernel"] == "6.1.0"
    # A machine may have changed since a run that came to its end.
    assert not taken(run_live(shell, path, tmp_path, no_programs))
    interrupt(first)
    assert taken(run_live(shell, path, tmp_path, no_programs)) == [
        f"Taken over from {first.id}: image.scale."
    ]
    interrupt(run_live(shell, path, tmp_path, no_programs))
    shell.kernel = "6.12.0"
    assert not taken(run_live(shell, path, tmp_path, no_programs))


def taken(found: Run) -> list[str]:
    return [note for note in found.provenance.notes if note.startswith("Taken over")]


def interrupt(found: Run) -> None:
    """The stored run becomes the only one, and one that did not come to its end."""
    for other in runs_folder().iterdir():
        if other.name != found.id:
            shutil.rmtree(other, ignore_errors=True)
    record = json.loads(found.to_json())
    record |= {"status": "aborted", "verdicts": [], "no_verdicts": []}
    (runs_folder() / found.id / "run.json").write_text(json.dumps(record))


def change_of(found: Run, **fields: object) -> None:
    """The stored run as if it had been made so."""
    record = json.loads(found.to_json())
    record["provenance"] |= fields
    (runs_folder() / found.id / "run.json").write_text(json.dumps(record))


def test_only_a_run_of_this_perfboard_is_taken_up(path: Path, tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    fake.ends = ends
    change_of(run(fake, path), perfboard="0.0.9")
    assert not taken(run(fake, path))


@pytest.mark.parametrize("other", [False, True])
def test_figures_of_another_kernel_are_measured_again(
    other: bool, path: Path, tmp_path: Path
) -> None:
    """A virtual board's kernel is known when the first job ran."""
    fake = FakeLab(tmp_path)
    fake.interrupt_second(ends)
    first = run(fake, path)
    if other:
        change_of(first, image={"kernel": "0" * 64})
    again = FakeLab(tmp_path)
    again.ends = ends
    found = run(again, path)
    assert len(again.jobs) == (2 if other else 1)
    assert any("Taken over" in note for note in found.provenance.notes) != other
