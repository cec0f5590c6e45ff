# SPDX-License-Identifier: Apache-2.0
"""A profile's options: what would make a board pass."""

from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from perfboard.images.program.base import ProgramJob
from perfboard.model.errors import UsageError
from perfboard.model.results.profile import ProfileResult
from perfboard.report.text import run_text
from perfboard.targets.virtual.program import ProgramResults
from tests.support.lab import RESULTS, FakeLab
from tests.support.profile_runs import (
    PROFILE,
    RECORDING,
    SCALED,
    SLOW,
    WorkShell,
    ends,
    no_programs,
    run,
    run_live,
)

OPTIONS = """
[[option]]
name = "larger"
title = "an Orange Pi"
cost = 4
board = "orangepi-pc"
[[option]]
name = "small"
title = "smaller pictures"
parameters = { width = 128 }
[[option]]
name = "quiet"
title = "a distribution's kernel"
factors = { config = "distribution" }
"""


def test_options_are_tried_where_the_board_does_not_pass(path: Path, tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    path.write_text(PROFILE + OPTIONS)

    def takes(job: ProgramJob, cancelled: Event) -> ProgramResults:
        # Two workloads on the board as it is, then two on the other one, then the picture alone.
        if len(fake.jobs) == 5:
            return replace(RESULTS, exit_code=3)
        return replace(RESULTS, stdout=SLOW if len(fake.jobs) <= 2 else SCALED)

    fake.ends = takes
    found = run(fake, path)
    (result,) = found.results_of(ProfileResult)
    assert result.outcome == "fail" and found.verdicts[0].outcome == "fail"
    larger, small, quiet = result.options
    assert larger.outcome == quiet.outcome == "pass" and larger.turns == ("picture",)
    assert small.outcome == "not measured" and not small.turns
    text = " ".join(run_text(found).split())
    assert "but with a distribution's kernel (+0 EUR) it passes" in text
    # What an option changes stands beside what was.
    assert "With an Orange Pi: picture 9.000 s to 1.000 s" in text
    assert "With smaller pictures: picture 9.000 s to not measured (" in text
    assert len({metric.samples for metric in found.metrics}) == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("width = 128", "widht = 32", 'no measure of the profile has a parameter "widht"'),
        ("width = 128", 'width = "32"', "option small: width is '32'; give a number"),
        ("width = 128", "width = 32", "image.scale: needs a width and a height of 64"),
        ("orangepi-pc", "orange-pc", "orange-pc"),
        ('config = "distribution"', 'config = "odd"', "odd"),
    ],
)
def test_an_option_that_cannot_be_is_refused_before_the_start(
    path: Path, tmp_path: Path, old: str, new: str, said: str
) -> None:
    path.write_text(PROFILE + OPTIONS.replace(old, new))
    fake = FakeLab(tmp_path)
    fake.ends = ends
    with pytest.raises(UsageError, match=said):
        run(fake, path)
    assert not fake.jobs


def test_the_kernel_has_what_an_option_wants_from_the_start(path: Path, tmp_path: Path) -> None:
    change = '[[option]]\nname = "xfs"\ntitle = "XFS"\nparameters = { filesystem = "xfs" }\n'
    path.write_text(RECORDING + change)
    fake = FakeLab(tmp_path)
    run(fake, path)
    assert [variant.levels["features"] for variant in fake.variants] == ["ext4+xfs"] * 2


def test_the_commands_of_an_option_are_shown_before_they_run(path: Path, tmp_path: Path) -> None:
    asks = RECORDING.replace("media.record.late", "memory.application.rss")
    asks = asks.replace("media.record", "memory.application").replace("<= 0 %", "<= 9 MB")
    asks += 'parameters = { command = "true" }\n'
    asks += '[[option]]\nname = "other"\ntitle = "O"\nparameters = { command = "reboot" }\n'
    path.write_text(asks)
    with pytest.raises(UsageError, match="runs these commands on the target:\n  true\n  reboot\n"):
        run(FakeLab(tmp_path), path)


def test_a_live_target_has_no_other_board(path: Path, tmp_path: Path) -> None:
    path.write_text(PROFILE + OPTIONS)
    found = run_live(WorkShell(SLOW.decode()), path, tmp_path, no_programs)
    options = found.results_of(ProfileResult)[0].options
    assert [option.reason[:14] for option in options] == ["this target is", "", "this target is"]
