# SPDX-License-Identifier: Apache-2.0
"""Programs of the user's in a profile: what it brings is shown, and what its part would stop at."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from perfboard.bench.request import Request
from perfboard.images.program.base import ProgramJob
from perfboard.measures.reading import example_time
from perfboard.model.errors import UsageError
from perfboard.model.results.profile import ProfileResult
from perfboard.model.run import Run
from perfboard.studies.choose.board import BoardStudy
from perfboard.studies.choose.options import ChooseOptions
from perfboard.studies.choose.work import BoardWork, sent
from perfboard.targets.virtual.program import ProgramResults
from tests.support.elfs import elf_of, page_hash
from tests.support.lab import RESULTS, FakeLab
from tests.support.profile_runs import PROFILE, run

OWN = (
    PROFILE.partition("[[key_issue]]")[0]
    + """
[[key_issue]]
name = "own"
question = "Is it fast?"
measure = "program"
metric = "program.result"
budget = ">= 5 MB/s"
[key_issue.parameters]
command = "./app"
files = { armhf = "bin/app", arm64 = ["bin/app64", "data"] }
packages = "libpng16-16"
pattern = "([0-9.]+) MB"
unit = "MB/s"
better = "higher"
"""
)
CODE = b"code of the program"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "app").write_bytes(elf_of("armhf", code=CODE))
    path = tmp_path / "own.toml"
    path.write_text(OWN)
    return path


def prints(text: str) -> Callable[[ProgramJob, Event], ProgramResults]:
    output = example_time("program", 10**9, 10**6) + text
    return lambda job, cancelled: replace(RESULTS, stdout=output.encode())


def row_of(found: Run) -> tuple[str, float | None, str]:
    (result,) = found.results_of(ProfileResult)
    return result.rows[0].outcome, result.rows[0].value, result.rows[0].reason


def test_all_that_a_strangers_profile_brings_is_shown_before_it_runs(
    own: Path, tmp_path: Path
) -> None:
    fake = FakeLab(tmp_path)
    with pytest.raises(UsageError) as refused:
        run(fake, own)
    said = str(refused.value)
    assert "runs these commands on the target:\n  ./app\n" in said
    assert "copies these files to it:\n  armhf=bin/app arm64=bin/app64 arm64=data\n" in said
    assert "has these Debian packages on a virtual board:\n  libpng16-16\n" in said
    assert said.endswith("If you want that, give --yes") and not fake.jobs


def test_a_board_runs_the_file_of_its_architecture_and_the_run_says_which(
    own: Path, tmp_path: Path
) -> None:
    fake = FakeLab(tmp_path)
    fake.ends = prints(">9 MB/s\n")
    found = run(fake, own, yes="yes")
    assert {file.name for file in fake.jobs[-1].files} == {"app", "work.sh"}
    (metric,) = (metric for metric in found.metrics if metric.name == "program.result")
    assert (metric.unit, metric.samples) == ("B/s", (9e6,))
    assert any(note.startswith("files: app: 8 KiB, for armhf") for note in found.provenance.notes)
    # No path of the user's machine is in the run, but that of its command.
    assert str(tmp_path) not in found.model_copy(update={"artifacts": ()}).to_json()
    # What such a file was is not known later: it is measured again.
    again = FakeLab(tmp_path)
    again.ends = prints(">8 MB/s\n")
    assert run(again, own, yes="yes").metrics != found.metrics


def test_a_board_without_a_file_of_its_own_says_so_and_a_wrong_one_is_refused(
    own: Path, tmp_path: Path
) -> None:
    own.write_text(OWN.replace(', arm64 = ["bin/app64", "data"]', ""))
    outcome, _, reason = row_of(run(FakeLab(tmp_path), own, "virtual:teres", yes="yes"))
    assert outcome == "not measured" and "none is for arm64" in reason
    fake = FakeLab(tmp_path)
    own.write_text(OWN.replace('armhf = "bin/app"', 'armhf = "bin/other"'))
    (tmp_path / "bin" / "other").write_bytes(elf_of("i386"))
    with pytest.raises(UsageError, match="bin/other is for i386, and the board runs armhf"):
        run(fake, own, yes="yes")
    assert not fake.jobs


def test_another_machine_is_sent_the_files_with_the_profile(own: Path, tmp_path: Path) -> None:
    (tmp_path / "bin" / "app64").write_bytes(b"for another board")
    options = ChooseOptions(profile=str(own), yes="yes")
    request = Request("virtual:rpi2", {}, ("perfboard",))
    work = sent(BoardWork(BoardStudy(), request, options), own)
    assert set(work.files) == {"bin/app", "bin/app64"}
    for path in (own, tmp_path / "bin" / "app"):
        path.unlink()
    fake = FakeLab(tmp_path)
    fake.ends = prints(">9 MB/s\n")
    end = work.run(fake.lab(), Event())
    assert end.run is not None and row_of(end.run)[1] == 9e6


@pytest.mark.parametrize(
    ("board", "kind", "page", "said"),
    [
        ("rpi-zero", "neon", CODE, "it uses NEON, which the part lacks (app ran them 12 times: 12"),
        # The part has VFP; Debian's programs have NEON; and this part has all of it.
        ("rpi-zero", "float", CODE, ""),
        ("rpi-zero", "neon", b"code of Debian's", ""),
        ("rpi2", "neon", CODE, ""),
    ],
)
def test_what_the_part_would_have_stopped_at_has_no_time(
    own: Path, tmp_path: Path, board: str, kind: str, page: bytes, said: str
) -> None:
    fake = FakeLab(tmp_path)
    fake.ends = prints(">9 MB/s\n")
    ran = {"address": 0x10000 + 4096 + 8, "page": page_hash(page), "ran": {kind: 12}}
    fake.beyond = json.dumps(ran) + "\n"
    found = run(fake, own, f"virtual:{board}", yes="yes")
    outcome, value, reason = row_of(found)
    assert (outcome == "not measured" and value is None) == bool(said)
    assert said in reason
    assert bool([m for m in found.metrics if m.name.startswith("program.")]) != bool(said)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('">= 5 MB/s"', '">= 5 MB"', "is not in a unit of program.result, which is B/s"),
        ('armhf = "bin/app"', "armhf = 3", "found 3; give text"),
        ('armhf = "bin/app"', 'arm = "bin/app"', "arm=bin/app is for no architecture"),
    ],
)
def test_a_wrong_file_or_unit_is_refused(
    own: Path, tmp_path: Path, old: str, new: str, said: str
) -> None:
    own.write_text(OWN.replace(old, new))
    with pytest.raises(UsageError) as refused:
        run(FakeLab(tmp_path), own, yes="yes")
    assert said in str(refused.value)
