# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe disk`: each point has its figures, errors are told, and nothing stays."""

import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .compiler import HERE, compile_sources

_OPERATIONS = ("write", "read", "rewrite", "randread", "randwrite", "seeks", "putc", "getc")
_MIB = 1 << 20


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("disk") / "disk"
    disk = (
        f"disk/{name}.c"
        for name in ("busy", "crypt", "disk", "files", "move", "place", "points", "random")
    )
    measure = ("child", "clock", "memory", "number", "place", "reading", "reason")
    needed = (f"measure/{name}.c" for name in measure)
    return str(compile_sources(path, HERE / "disk_harness.c", *disk, *needed, "run/time.c"))


def lines(probe: str, *words: str | Path, cwd: Path | None = None) -> list[list[str]]:
    done = subprocess.run(
        [probe, *words], capture_output=True, text=True, check=True, timeout=60, cwd=cwd
    )
    return [line.split(" ") for line in done.stdout.splitlines()]


@pytest.mark.parametrize("operation", _OPERATIONS)
def test_a_point_moves_its_bytes_and_nothing_stays(
    probe: str, tmp_path: Path, operation: str
) -> None:
    point = f"{operation}/buffered/8192/1"
    head, found = lines(probe, "points", tmp_path, str(4 * _MIB), "2000", point)
    assert head[0] == "@file" and int(head[1]) == 4 * _MIB
    assert found[:2] == ["@point", point] and found[-1] == "calls"
    moved, operations, ns, own, busy, middle, late, longest, kept = map(int, found[2:-1])
    assert operations and ns and 0 < middle <= late <= longest <= 3 * ns
    assert own <= 10 * ns and busy >= 0 and 0 <= kept <= 1000
    if operation in ("write", "read", "rewrite", "putc", "getc"):
        assert moved == 4 * _MIB
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("operation", ["randread", "randwrite"])
def test_several_at_a_time_move_as_many_bytes(probe: str, tmp_path: Path, operation: str) -> None:
    words = [f"{operation}/{mode}/4096/32" for mode in ("buffered", "direct", "direct")]
    _, buffered, *direct = lines(probe, "points", tmp_path, str(2 * _MIB), "5000", *words)
    assert buffered[-1] == "processes" and int(buffered[2]) == 2 * _MIB
    for found in direct:
        # A file system without O_DIRECT says so.
        assert found[0] == "@failed" or (found[-1] == "io_submit" and int(found[2]) == 2 * _MIB)


def test_a_point_ends_after_its_time(probe: str, tmp_path: Path) -> None:
    began = time.monotonic()
    _, found = lines(probe, "points", tmp_path, str(64 * _MIB), "50", "getc/buffered/512/1")
    assert int(found[2]) <= 64 * _MIB and time.monotonic() - began < 30


def test_files_are_made_in_both_orders_and_are_gone(probe: str, tmp_path: Path) -> None:
    found = [words[1:4] for words in lines(probe, "files", tmp_path, "50")]
    assert found == [
        [order, what, "50"]
        for order in ("sequential", "random")
        for what in ("create", "stat", "delete")
    ]
    assert list(tmp_path.iterdir()) == []


def test_files_are_gone_when_it_is_told_to_end(probe: str, tmp_path: Path) -> None:
    words = [probe, "files", str(tmp_path), "1000000"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        while not any(tmp_path.glob("*/*")):
            time.sleep(0.01)
        running.send_signal(signal.SIGTERM)
        output, _ = running.communicate(timeout=60)
    assert "@failed files create: told to end" in output
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_may_not_grow_is_told_and_gone(probe: str, tmp_path: Path) -> None:
    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (_MIB, _MIB))

    words = [probe, "points", str(tmp_path), str(4 * _MIB), "100", "write/buffered/8192/1"]
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=limited, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("@failed all the file cannot be written")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_does_not_do_is_named(probe: str, tmp_path: Path) -> None:
    assert lines(probe, "points", "/no/such", str(_MIB), "100", "read/direct/4096/1") == [
        ["@failed", "all", "/no/such:", "No", "such", "file", "or", "directory"]
    ]
    (failed,) = lines(probe, "place", "/no/such", "/proc/self")
    assert failed[:2] == ["@failed", "place"] and "/no/such:" in failed
    (found,) = lines(probe, "place", "/no/such", tmp_path)
    if found[0] == "@place":
        assert found[3] == str(tmp_path)
    elif os.path.ismount("/dev/shm"):
        assert "tmpfs" in " ".join(found) or "overlay" in " ".join(found)


@pytest.mark.parametrize(
    "point",
    [
        *("", "read", "read/direct/4096", "read/direct/4096/0", "read/odd/4096/1"),
        *("look/direct/512/1", "read/direct/1000/1", "read/direct/2097152/1"),
        *("read/direct/4096/65", "x" * 40 + "/direct/4096/1"),
    ],
)
def test_a_wrong_point_is_told(probe: str, tmp_path: Path, point: str) -> None:
    words = [probe, "points", str(tmp_path), str(_MIB), "100", point]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "usage" in done.stderr


@pytest.mark.parametrize("words", [[], ["x"], ["files", "."], ["files", ".", "0"], ["points", "."]])
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
    *points, last = lines(probe, "crypt", *words, cwd=tmp_path)
    if last[0] == "@crypt":
        assert [words[1] for words in points if words[0] == "@point"] == list(_POINTS)
        assert (last[2] == "none") == (way == "plain")
    else:
        assert last[:2] == ["@failed", way] and len(last) > 3 and not points
    assert list(tmp_path.iterdir()) == [] and Path("/proc/mounts").read_text() == mounts
    settled(lambda: loops() == disks)


def test_an_encrypted_file_system_is_gone_when_it_is_killed(probe: str, tmp_path: Path) -> None:
    disks = loops()
    points = _POINTS * 200
    place = str(tmp_path)
    words = [probe, "crypt", "plain", place, place, str(48 * _MIB), str(4 * _MIB), "100"]
    with subprocess.Popen([*words, *points], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout and running.stdout.readline().startswith(("@file", "@failed"))
        running.kill()
    assert list(tmp_path.iterdir()) == []
    settled(lambda: loops() == disks)


@pytest.mark.parametrize("words", [("rot13", "."), ("xts", ".", ".", "x", "1", "1", "y")])
def test_a_wrong_way_to_encrypt_is_told(probe: str, words: tuple[str, ...]) -> None:
    done = subprocess.run([probe, "crypt", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "usage: perfboard-probe disk crypt" in done.stderr


def settled(holds: Callable[[], bool]) -> None:
    """The kernel takes a disk apart after its last user has gone."""
    end = time.monotonic() + 20
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    assert holds()
