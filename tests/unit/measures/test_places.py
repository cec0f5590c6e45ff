# SPDX-License-Identifier: Apache-2.0
"""Places that anybody may write to: no script makes a name there that can be guessed."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from perfboard.bench.job import DISK_FOLDER, TMPFS_PLACE, WHOLE_DISK
from perfboard.measures.base import Measure
from perfboard.measures.catalogue import all_measures
from tests.support.measures import LIVE, setting_of

NAME = "perfboard-0123456789abcdef"
# The number of a process, and what is made or written in a folder of everybody's.
GUESSED = re.compile(r"\$\$|\$PPID|mktemp|(>|mkdir|touch|-f|of=) *\"?/(tmp|dev/shm|var/tmp)/")


def scripts_of(measure: Measure) -> list[str]:
    parameters = dict(measure.examples[0].parameters) if measure.examples else {}
    job = measure.job(setting_of(measure, parameters, LIVE))
    if job is None:
        return []
    files = [data.decode() for name, data in job.files.items() if name.endswith(".sh")]
    return [job.script, *files]


@pytest.mark.parametrize("measure", all_measures().values(), ids=lambda each: each.name)
def test_no_script_makes_a_name_that_can_be_guessed(measure: Measure) -> None:
    for script in scripts_of(measure):
        assert not GUESSED.search(script)
        # A usual folder is taken for the job alone.
        if "/dev/shm" in script or "/var/tmp" in script:
            assert 'mkdir -m 700 "$place"' in script


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """The folder of a job, next to one that anybody may write to, in which a disk is found."""
    (tmp_path / "everybody's").mkdir()
    (tmp_path / "job").mkdir()
    (tmp_path / "job/owner").write_text("board 1 2\n")
    probe = tmp_path / "job/probe"
    probe.write_text(f'#!/bin/sh\necho "{tmp_path}/everybody\'s"\n')
    probe.chmod(0o755)
    return tmp_path / "job"


def run(job: Path, script: str) -> subprocess.CompletedProcess[str]:
    # A tmpfs is found as a disk is: the kernel's are everybody's indeed.
    script = script.replace("/dev/shm /run/shm", f"{job.parent}/none /dev/shm")
    return subprocess.run(
        ["sh", "-c", f'{script}echo secret > "$place/file"; echo "$place"'],
        cwd=job,
        env={"PATH": os.environ["PATH"], "OWN": NAME, "PROBE": "./probe"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("script", [DISK_FOLDER.script, WHOLE_DISK.script])
def test_a_job_has_a_folder_of_its_own_on_the_disk(job: Path, script: str) -> None:
    done = run(job, script)
    place = job.parent / "everybody's" / NAME
    assert (done.returncode, done.stdout) == (0, f"{place}\n")
    assert place.stat().st_mode & 0o777 == 0o700
    assert (place / "owner").read_text() == "board 1 2\n"
    assert (job / "others").read_text() == f"{place}\n"


def test_a_job_has_a_folder_of_its_own_in_memory(job: Path) -> None:
    done = run(job, TMPFS_PLACE.replace('grep -q " $folder tmpfs " /proc/mounts', "true"))
    place = Path(done.stdout.strip())
    try:
        assert place.name == NAME and place.parent != job
        assert (job / "others").read_text() == f"{place}\n"
    finally:
        (place / "file").unlink()
        (place / "owner").unlink()
        place.rmdir()


@pytest.mark.parametrize("is_there", ["link", "folder", "file"])
def test_a_name_that_somebody_has_taken_is_not_used(job: Path, is_there: str) -> None:
    theirs, victim = job.parent / "everybody's" / NAME, job.parent / "victim"
    victim.mkdir()
    if is_there == "link":
        theirs.symlink_to(victim)
    elif is_there == "folder":
        theirs.mkdir()
    else:
        theirs.write_text("theirs")
    done = run(job, DISK_FOLDER.script)
    assert done.returncode == 1 and not any(victim.iterdir())
    assert "File exists" in done.stderr
    assert is_there == "file" or not any(theirs.iterdir())
