# SPDX-License-Identifier: Apache-2.0
"""`--resume` takes over figures of the same machine, and no others."""

import json
from pathlib import Path

import pytest

from perfboard.bench.request import Request
from perfboard.model.errors import UsageError
from perfboard.model.results.profile import ProfileResult
from perfboard.model.run import Run, Status
from perfboard.store.folder import runs_folder
from perfboard.studies.base import run_study
from perfboard.studies.profile.study import STUDY, ProfileOptions
from perfboard.targets.base import Reply
from tests.support.lab import FakeLab
from tests.support.profile_runs import SCALED, WorkShell, ends, no_programs, run, run_live


def test_a_run_that_ended_early_is_taken_up_again(path: Path, tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    fake.interrupt_second(ends)
    first = run(fake, path)
    again = FakeLab(tmp_path)
    again.ends = ends
    titles: list[str] = []
    found = run(again, path, titles=titles, resume="resume")
    # The sound alone was measured; no earlier run says how long that takes.
    assert len(again.jobs) == 1 and found.status is Status.COMPLETE
    assert titles == ["measuring audio.encode (1 of 1, no earlier run tells how long)"]
    assert found.metrics == first.metrics
    assert f"Taken over from {first.id}: image.scale." in found.provenance.notes
    assert found.results_of(ProfileResult)[0].rows[0].outcome == "pass"
    # A run without --resume measures all again, and knows how long the picture took.
    titles.clear()
    anew = FakeLab(tmp_path)
    anew.ends = ends
    run(anew, path, titles=titles)
    assert len(anew.jobs) == 2
    assert titles[0] == "measuring image.scale (1 of 2, more than 0 s left)"


def test_only_a_run_of_the_same_set_up_is_taken_up(path: Path, tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    fake.ends = ends
    with pytest.raises(UsageError, match="there is no earlier run of box on rpi2"):
        run(fake, path, resume="resume")
    run(fake, path)
    request = Request("virtual:rpi2", {"detail": "counted"}, ("perfboard",))
    given = ProfileOptions(profile=str(path), resume="resume")
    with pytest.raises(UsageError, match="is of other evidence: timed, and now counted"):
        run_study(STUDY, request, given, fake.lab())


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
    again = run_live(shell, path, tmp_path, no_programs, resume="resume")
    assert f"Taken over from {first.id}: image.scale." in again.provenance.notes
    shell.kernel = "6.12.0"
    with pytest.raises(UsageError, match=r"of other machine: Linux 6\.1\.0 x86_64, and now Linux"):
        run_live(shell, path, tmp_path, no_programs, resume="resume")


def change_of(found: Run, **fields: object) -> None:
    """The stored run as if it had been made so."""
    record = json.loads(found.to_json())
    record["provenance"] |= fields
    (runs_folder() / found.id / "run.json").write_text(json.dumps(record))


def test_only_a_run_of_this_perfboard_is_taken_up(path: Path, tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    fake.ends = ends
    change_of(run(fake, path), perfboard="0.0.9")
    with pytest.raises(UsageError, match=r"of other version of Perfboard: 0\.0\.9, and now "):
        run(fake, path, resume="resume")


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
    found = run(again, path, resume="resume")
    assert len(again.jobs) == (2 if other else 1)
    assert any("Taken over" in note for note in found.provenance.notes) != other
