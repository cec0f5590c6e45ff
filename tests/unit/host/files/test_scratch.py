# SPDX-License-Identifier: Apache-2.0
"""Folders for a while: removed by their process, or after its death by the next one."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from perfboard.host.files.scratch import scratch_folder, sweep, temporary_folder

HOLD = """
from perfboard.host.files.scratch import scratch_folder
with scratch_folder() as folder:
    (folder / "bank").write_text("64 MB")
    print(folder, flush=True)
    input()
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    return place


@contextmanager
def holder() -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process with such a folder, and the folder."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process, Path(process.stdout.readline().strip())


def test_a_folder_is_private_and_is_removed(place: Path) -> None:
    with scratch_folder() as folder:
        assert folder.parent == place and folder.stat().st_mode & 0o777 == 0o700
        sweep()
        assert folder.exists()
    assert list(place.iterdir()) == []


def test_that_of_a_killed_process_is_swept_and_that_of_a_living_one_is_not(place: Path) -> None:
    with holder() as (process, folder):
        sweep()
        assert (folder / "bank").exists()
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert folder.exists()
        sweep()
        assert list(place.iterdir()) == []


def test_what_is_not_ours_stays(place: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    (other / "file").touch()
    (place / "perfboard-scratch-aaaaaaaa").symlink_to(other)
    for name in ("perfboard-aaaaaaaa", "pb-aaaaaaaa"):
        (place / name).mkdir(mode=0o700)
    (place / "perfboard-scratch-bbbbbbbb").touch(mode=0o700)
    (place / "perfboard-scratch-cccccccc").mkdir(mode=0o755)
    if not os.geteuid():
        theirs = place / "perfboard-scratch-dddddddd"
        theirs.mkdir(mode=0o700)
        os.chown(theirs, 65534, 65534)
    before = sorted(place.iterdir())
    sweep()
    assert sorted(place.iterdir()) == before and (other / "file").exists()


@pytest.mark.parametrize("whole", [True, False])
def test_a_work_trees_entry_goes_with_it_and_no_other_does(
    place: Path, tmp_path: Path, whole: bool
) -> None:
    """Nor does it matter whether git was ended before it made the tree."""
    folder = place / "perfboard-scratch-eeeeeeee"
    folder.mkdir(mode=0o700)
    if whole:
        (folder / "tree").mkdir()
        (folder / "tree/.git").write_text("gitdir: elsewhere\n")
    entries = tmp_path / "repository/worktrees"
    (folder / "repository").symlink_to(entries.parent)
    for name, tree in (("tree", folder / "tree"), ("theirs", tmp_path / "tree")):
        (entries / name).mkdir(parents=True)
        (entries / name / "gitdir").write_text(f"{tree}/.git\n")
    sweep()
    assert not folder.exists()
    assert [entry.name for entry in entries.iterdir()] == ["theirs"]


def test_where_it_is(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert temporary_folder() == place
    monkeypatch.setenv("TMPDIR", "/proc/nowhere")
    assert temporary_folder() == Path("/tmp")
    monkeypatch.delenv("TMPDIR")
    assert temporary_folder() == Path("/tmp")


def test_another_disk_that_is_full_is_not_blamed_on_it(place: Path) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/elsewhere/file")
    with pytest.raises(OSError, match="elsewhere"), scratch_folder():
        raise full
