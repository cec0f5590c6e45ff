# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe disk-...`: each point has its figures, errors are told, and nothing stays."""

import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from perfboard.measures.disk.encryption import CryptRow
from perfboard.measures.disk.files import FilesRow
from perfboard.measures.disk.points import DiskPoint
from perfboard.model.rows import Count, RefusedRow, Row, Word, read_rows

from ..sanitized import PROBE
from .compiler import compile_commands

_OPERATIONS = (
    *("write", "read", "rewrite", "randread", "randwrite", "seeks", "putc", "getc"),
    *("sync", "append"),
)
_MIB = 1 << 20


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("disk") / "disk"
    return compile_commands(path, *(PROBE / "commands/disk").glob("*.c"), "commands/time.c")


class FileRow(Row):
    """The file in which points are measured."""

    row: Literal["file"]
    bytes: Count
    free_bytes: Count
    filesystem: Word


def found_rows(probe: str, *words: str | Path, cwd: Path | None = None) -> list[Row]:
    """All that the command printed."""
    done = subprocess.run(
        [probe, *words], capture_output=True, text=True, check=True, timeout=60, cwd=cwd
    )
    rows = read_rows(done.stdout, FileRow, DiskPoint, FilesRow, CryptRow, RefusedRow)
    assert len(rows) == len(done.stdout.splitlines())
    return rows


def refusal(rows: list[Row]) -> tuple[str, str]:
    """What was refused, and why, where nothing else was printed."""
    (row,) = rows
    assert isinstance(row, RefusedRow)
    return row.what, row.why


@pytest.mark.parametrize("operation", _OPERATIONS)
def test_a_point_moves_its_bytes_and_nothing_stays(
    probe: str, tmp_path: Path, operation: str
) -> None:
    point = f"{operation}/buffered/8192/1"
    file, found = found_rows(probe, "disk-points", tmp_path, str(4 * _MIB), "2000", point)
    assert isinstance(file, FileRow) and file.bytes == 4 * _MIB
    assert isinstance(found, DiskPoint) and (found.text, found.how) == (point, "calls")
    assert 0 < found.p50_ns <= found.p99_ns <= found.longest_ns <= 3 * found.took_ns
    assert found.own_us <= 10 * found.took_ns and found.kept_permille <= 1000
    if operation in ("write", "read", "rewrite", "putc", "getc"):
        assert found.bytes == 4 * _MIB
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("operation", ["randread", "randwrite"])
def test_several_at_a_time_move_as_many_bytes(probe: str, tmp_path: Path, operation: str) -> None:
    words = [f"{operation}/{mode}/4096/32" for mode in ("buffered", "direct", "direct")]
    _, *found = found_rows(probe, "disk-points", tmp_path, str(2 * _MIB), "5000", *words)
    points = [row for row in found if isinstance(row, DiskPoint)]
    assert all(point.bytes == 2 * _MIB for point in points)
    # A file system without O_DIRECT says so.
    assert len(found) == 3
    assert [point.how for point in points] in (["processes"], ["processes", *["io_submit"] * 2])


def test_a_point_ends_after_its_time(probe: str, tmp_path: Path) -> None:
    began = time.monotonic()
    words = ("disk-points", tmp_path, str(64 * _MIB), "50", "getc/buffered/512/1")
    _, found = found_rows(probe, *words)
    assert isinstance(found, DiskPoint) and found.bytes <= 64 * _MIB
    assert time.monotonic() - began < 30


def test_files_are_made_in_both_orders_and_are_gone(probe: str, tmp_path: Path) -> None:
    rows = found_rows(probe, "disk-files", tmp_path, "50")
    assert [(r.order, r.operation, r.count) for r in rows if isinstance(r, FilesRow)] == [
        (order, what, 50)
        for order in ("sequential", "random")
        for what in ("create", "stat", "delete")
    ]
    assert list(tmp_path.iterdir()) == []


def test_files_are_gone_when_it_is_told_to_end(probe: str, tmp_path: Path) -> None:
    words = [probe, "disk-files", str(tmp_path), "1000000"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        while not any(tmp_path.glob("*/*")):
            time.sleep(0.01)
        running.send_signal(signal.SIGTERM)
        output, _ = running.communicate(timeout=60)
    assert refusal(read_rows(output, RefusedRow)) == ("files", "create: told to end")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_may_not_grow_is_told_and_gone(probe: str, tmp_path: Path) -> None:
    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (_MIB, _MIB))

    words = [probe, "disk-points", str(tmp_path), str(4 * _MIB), "100", "write/buffered/8192/1"]
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=limited, timeout=60)
    what, why = refusal(read_rows(done.stdout, RefusedRow))
    assert done.returncode == 0 and what == "all" and why.startswith("the file cannot be written")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_does_not_do_is_named(probe: str, tmp_path: Path) -> None:
    words = ("disk-points", "/no/such", str(_MIB), "100", "read/direct/4096/1")
    assert refusal(found_rows(probe, *words)) == ("all", "/no/such: No such file or directory")
    for folder in (Path("/proc/self"), tmp_path):
        given = [probe, "disk-place", "/no/such", str(folder)]
        done = subprocess.run(given, capture_output=True, text=True, timeout=60)
        if done.returncode:
            what, why = refusal(read_rows(done.stdout, RefusedRow))
            assert what == "place" and why.startswith("/no/such: No such file or directory; ")
            # The machine's folder may be in memory.
            assert folder != tmp_path or why.endswith((": tmpfs", ": ramfs", ": overlay"))
        else:
            assert (folder, done.stdout) == (tmp_path, f"{tmp_path}\n")


@pytest.mark.parametrize(
    "point",
    [
        *("", "read", "read/direct/4096", "read/direct/4096/0", "read/odd/4096/1"),
        *("look/direct/512/1", "read/direct/1000/1", "read/direct/2097152/1"),
        *("read/direct/4096/65", "x" * 40 + "/direct/4096/1"),
    ],
)
def test_a_wrong_point_is_told(probe: str, tmp_path: Path, point: str) -> None:
    words = [probe, "disk-points", str(tmp_path), str(_MIB), "100", point]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "usage" in done.stderr


@pytest.mark.parametrize(
    "words", [["disk-place"], ["disk-files", "."], ["disk-files", ".", "0"], ["disk-points", "."]]
)
def test_wrong_words_are_told(probe: str, tmp_path: Path, words: list[str]) -> None:
    done = subprocess.run([probe, *words], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "usage" in done.stderr


_POINTS = ("write/buffered/65536/1", "read/buffered/65536/1")


def loops() -> str:
    return "".join(sorted(path.read_text() for path in Path("/sys/block").glob("loop*/loop/*")))


@pytest.mark.parametrize("way", ["plain", "xts", "adiantum", "fscrypt", "ecryptfs"])
def test_an_encrypted_file_system_is_measured_or_says_why_not_and_is_gone(
    probe: str, tmp_path: Path, way: str
) -> None:
    mounts, disks = Path("/proc/mounts").read_text(), loops()
    words = (way, ".", ".", str(48 * _MIB), str(4 * _MIB), "1000", *_POINTS)
    *points, last = found_rows(probe, "disk-crypt", *words, cwd=tmp_path)
    if isinstance(last, CryptRow):
        assert [row.text for row in points if isinstance(row, DiskPoint)] == list(_POINTS)
        assert (last.driver == "none") == (way == "plain")
    else:
        what, why = refusal([*points, last])
        assert what == way and why
    assert list(tmp_path.iterdir()) == [] and Path("/proc/mounts").read_text() == mounts
    settled(lambda: loops() == disks)


def test_an_encrypted_file_system_is_gone_when_it_is_killed(probe: str, tmp_path: Path) -> None:
    disks = loops()
    points = _POINTS * 200
    place = str(tmp_path)
    words = [probe, "disk-crypt", "plain", place, place, str(48 * _MIB), str(4 * _MIB), "100"]
    with subprocess.Popen([*words, *points], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout and read_rows(running.stdout.readline(), FileRow, RefusedRow)
        running.kill()
    assert list(tmp_path.iterdir()) == []
    settled(lambda: loops() == disks)


@pytest.mark.parametrize("words", [("rot13", "."), ("xts", ".", ".", "x", "1", "1", "y")])
def test_a_wrong_way_to_encrypt_is_told(probe: str, words: tuple[str, ...]) -> None:
    done = subprocess.run([probe, "disk-crypt", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "perfboard-probe disk-crypt plain|xts" in done.stderr


def settled(holds: Callable[[], bool]) -> None:
    """The kernel takes a disk apart after its last user has gone."""
    end = time.monotonic() + 20
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    assert holds()
