# SPDX-License-Identifier: Apache-2.0
"""The profile study where a profile, a target or a program is not as it should be."""

import signal
from dataclasses import replace
from pathlib import Path

import pytest

from perfboard.images.program.codecs import BuiltCodec
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.results.profile import ProfileResult
from perfboard.model.rows import row_line
from perfboard.model.run import Status
from perfboard.report.text import run_text
from tests.support.lab import RESULTS, FakeLab
from tests.support.profile_runs import (
    PROFILE,
    RECORDING,
    SCALED,
    WorkShell,
    ends,
    no_programs,
    run,
    run_live,
)


class _LostShell(WorkShell):
    """A target that is gone when the work begins."""

    def push(self, data: bytes, path: str, progress: object) -> None:
        raise TargetError("lost", "the board does not answer")


def test_what_a_target_does_not_let_be_measured_is_a_row_s_reason_and_a_note(
    path: Path, tmp_path: Path
) -> None:
    fake = FakeLab(tmp_path)
    refused = row_line("absent", metric="image.scale.time", why="no clock")
    refused += row_line("absent", metric="none.such", why="why")
    fake.ends = lambda job, cancelled: replace(RESULTS, stdout=SCALED + refused.encode())
    found = run(fake, path, only=("picture",))
    row = found.results_of(ProfileResult)[0].rows[0]
    assert (row.outcome, row.reason) == ("not measured", "no clock")
    assert "Not measured: image.scale.time: no clock." in found.provenance.notes
    assert "none.such" not in str(found.provenance.notes)
    again = FakeLab(tmp_path)
    taken = run(again, path, only=("picture",))
    assert not again.jobs and taken.results_of(ProfileResult)[0].rows[0] == row


def test_an_interrupted_run_keeps_what_it_has(path: Path, tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    fake.interrupt_second(ends)
    found = run(fake, path)
    assert found.status is Status.ABORTED
    picture, sound = found.results_of(ProfileResult)[0].rows
    assert picture.outcome == "pass" and "ended before" in sound.reason


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('measure = "image.scale"', 'measure = "image.scal"', 'did you mean "image.scale"'),
        ("image.scale.time", "image.scale.tim", 'did you mean "image.scale.time"'),
        ("width = 64", "widht = 64", 'did you mean "width"'),
        ("width = 64", 'width = "wide"', "width is 'wide'; give a number, as 2048"),
        ("width = 64", "width = true", "width is True; give a number"),
        ("<= 3 s", "<= 3", "is not in a unit of image.scale.time, which is s, ms, us, ns, min"),
        ("<= 3 s", "<= 3 MB", "is not in a unit of image.scale.time"),
        ("<= 3 s", "<= 3 sec", 'the unit "sec" is not one of'),
    ],
)
def test_a_profile_that_is_wrong_is_refused_before_the_start(
    path: Path, tmp_path: Path, old: str, new: str, said: str
) -> None:
    path.write_text(PROFILE.replace(old, new, 1))
    with pytest.raises(UsageError, match=said):
        run(FakeLab(tmp_path), path)


def test_a_target_without_the_program_is_not_measurable(path: Path, tmp_path: Path) -> None:
    found = run_live(WorkShell(""), path, tmp_path)
    row = found.results_of(ProfileResult)[0].rows[0]
    assert row.reason == "the target has no djpeg and cjpeg; to build it: no network"
    assert found.no_verdicts[0].metric == "picture"


def test_a_target_without_the_program_is_given_one(path: Path, tmp_path: Path) -> None:
    (program := tmp_path / "djpeg").write_bytes(b"djpeg")

    def build(name: str, part: str, progress: object) -> BuiltCodec:
        return BuiltCodec({"djpeg": program}, f"{name} was built for {part}")

    shell = WorkShell(SCALED.decode())
    found = run_live(shell, path, tmp_path, build)
    assert "libjpeg-turbo was built for x86_64" in found.provenance.notes
    assert any(script.endswith("/djpeg") for script in shell.scripts)


def test_a_program_that_crashes_is_a_row_that_fails(path: Path, tmp_path: Path) -> None:
    """The board cannot do it, though no time was measured."""
    found = run_live(
        WorkShell("libjpeg: bad state\n", 128 + signal.SIGSEGV), path, tmp_path, no_programs
    )
    (result,) = found.results_of(ProfileResult)
    assert found.status is Status.COMPLETE and result.failed
    assert result.rows[0].reason == "SIGSEGV ended its script: libjpeg: bad state"
    text = " ".join(run_text(found).split())
    assert "Failed: SIGSEGV ended its script" in text
    assert "local is not right for this device, because picture fails" in text


def test_a_program_that_memory_ended_is_a_row_that_fails(path: Path, tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    fake.ends = lambda job, cancelled: replace(RESULTS, oom_kills=1, stdout=SCALED)
    found = run(fake, path)
    assert [row.outcome for row in found.results_of(ProfileResult)[0].rows] == ["fail", "fail"]
    assert len(fake.jobs) == 2


def test_a_target_without_room_is_told_before_the_start(path: Path, tmp_path: Path) -> None:
    shell = WorkShell(SCALED.decode(), free_kb=9)
    with pytest.raises(UsageError, match="/tmp of the target has 0 MB free, and the measures need"):
        run_live(shell, path, tmp_path)
    assert not shell.scripts


def test_a_board_without_room_is_told_before_its_boot(path: Path, tmp_path: Path) -> None:
    path.write_text(f"{RECORDING}parameters = {{ seconds = 60 }}\n")
    fake = FakeLab(tmp_path)
    found = run(fake, path, "virtual:converter")
    row = found.results_of(ProfileResult)[0].rows[0]
    assert row.reason.startswith("the board's disk has 17 MB, and it needs 45 MB")
    assert not fake.jobs


def test_a_target_that_is_lost_ends_the_run(path: Path, tmp_path: Path) -> None:
    found = run_live(_LostShell(""), path, tmp_path, no_programs)
    assert found.status is Status.FAILED and found.errors[0].kind == "lost"
    row = found.results_of(ProfileResult)[0].rows[0]
    assert row.outcome == "not measured" and row.reason == "the run ended before it"
