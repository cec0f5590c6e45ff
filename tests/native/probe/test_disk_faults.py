# SPDX-License-Identifier: Apache-2.0
"""Points on disks that are full, may not be written, fail or stall: told, and nothing stays."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from perfboard.measures.disk.points import DiskPoint
from perfboard.model.rows import RefusedRow, read_row

from .test_disk import FileRow, found_rows, probe, refusal

__all__ = ("probe",)

_MIB = 1 << 20
pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not all(map(shutil.which, ("mke2fs", "fsfreeze"))),
    reason="wants root, e2fsprogs and util-linux",
)


@contextmanager
def mounted(folder: Path, *words: str | Path) -> Iterator[Path]:
    """A file system in a folder of `folder`, with a file of another's in it."""
    place = folder / "disk"
    place.mkdir()
    if subprocess.run(["mount", *words, place], check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


@contextmanager
def on_a_file(folder: Path) -> Iterator[tuple[Path, Path]]:
    """An ext4 on a loop device; and the file below it."""
    below = folder / "below"
    below.touch()
    os.truncate(below, 64 * _MIB)
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", below], check=True)
    with mounted(folder, "-o", "loop", below) as place:
        (place / "other").write_text("of another")
        yield place, below
        assert {path.name for path in place.iterdir()} == {"lost+found", "other"}
        assert (place / "other").read_text() == "of another"


@contextmanager
def reading(probe: str, place: Path, point: str) -> Iterator[subprocess.Popen[str]]:
    """The probe, which has begun with the second of many points."""
    words = [probe, "disk-points", str(place), str(4 * _MIB), "3000", *[point] * 200]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout and read_row(running.stdout.readline(), FileRow)
        assert read_row(running.stdout.readline(), DiskPoint)
        yield running


def test_a_disk_without_room_says_how_much_it_has(probe: str, tmp_path: Path) -> None:
    with mounted(tmp_path, "-t", "tmpfs", "-o", "size=2m", "none") as place:
        words = (str(4 * _MIB), "100", "read/buffered/4096/1")
        _, why = refusal(found_rows(probe, "disk-points", place, *words))
        assert "no room: a third of what is free is" in why
        assert list(place.iterdir()) == []


def test_a_disk_that_fills_meanwhile_is_told(probe: str, tmp_path: Path) -> None:
    point = "write/buffered/65536/1"
    with mounted(tmp_path, "-t", "tmpfs", "-o", "size=16m", "none") as place:
        with reading(probe, place, point) as running:
            fill = ["dd", "if=/dev/zero", f"of={place}/other", "oflag=append", "conv=notrunc"]
            while running.poll() is None:
                subprocess.run(fill, capture_output=True, check=False)
            assert running.stdout
            *_, last = running.stdout.readlines()
        failed = read_row(last, RefusedRow)
        assert failed and failed.what == point and "No space left on device" in failed.why
        assert [path.name for path in place.iterdir()] == ["other"]


@pytest.mark.parametrize("command", ["disk-points", "disk-files"])
def test_a_disk_that_is_only_read_is_told(probe: str, tmp_path: Path, command: str) -> None:
    words = (str(_MIB), "100", "read/buffered/4096/1") if command == "disk-points" else ("10",)
    with mounted(tmp_path, "-t", "tmpfs", "-o", "ro", "none") as place:
        _, why = refusal(found_rows(probe, command, place, *words))
        assert "Read-only file system" in why


def test_a_disk_that_fails_is_told(probe: str, tmp_path: Path) -> None:
    point = "read/direct/4096/1"
    with on_a_file(tmp_path) as (place, below):
        with reading(probe, place, point) as running:
            # A loop device answers EIO where the file below it has no bytes.
            os.truncate(below, _MIB)
            assert running.stdout
            *_, last = running.stdout.readlines()
        failed = read_row(last, RefusedRow)
        assert failed and failed.what == point and failed.why.startswith("read at byte ")
        assert failed.why.endswith(": Input/output error") and running.returncode == 0


def test_a_disk_that_stalls_is_waited_for_and_the_wait_is_told(probe: str, tmp_path: Path) -> None:
    point = "write/direct/65536/1"
    with on_a_file(tmp_path) as (place, _):
        with reading(probe, place, point) as running:
            subprocess.run(["fsfreeze", "--freeze", place], check=True)
            time.sleep(1)
            subprocess.run(["fsfreeze", "--unfreeze", place], check=True)
            assert running.stdout
            rows = (read_row(line, DiskPoint) for line in running.stdout)
            stalled = next(row for row in rows if row and row.longest_ns > 0.9e9)
            running.terminate()
        assert stalled.text == point and stalled.took_ns >= stalled.longest_ns
