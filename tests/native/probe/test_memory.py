# SPDX-License-Identifier: Apache-2.0
"""The probes of memory and cached files, compiled with sanitizers: their parts, and run briefly."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..sanitized import PROBE
from .compiler import HERE, compile_sources, probe_sources

_MIB = 1 << 20
_PARTS = (
    *("measure/batch.c", "measure/child.c", "measure/clock.c", "measure/disturbance.c"),
    *("measure/frequency.c", "measure/fresh.c", "measure/memory.c", "measure/memory_buffers.c"),
    *("measure/number.c", "measure/place.c", "measure/reading.c", "measure/reason.c"),
    *("measure/scratch.c", "talk/json.c"),
)
_NOT_MEMORY = (
    "loops/operations_",
    *(f"probes/{room}/" for room in ("cpu", "ipc", "kernel", "system")),
)
_OPERATIONS = {"read", "write", "update", "copy"}


def _loops() -> Iterator[Path]:
    return PROBE.glob("loops/loops_*.c")


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = HERE / "memory_harness.c"
    folder = tmp_path_factory.mktemp("native")
    wrapped = (f"-Wl,--wrap={name}" for name in ("clock_gettime", "mmap", "open"))
    return compile_sources(folder / "memory", *wrapped, source, *_PARTS, *_loops())


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = probe_sources(without=_NOT_MEMORY)
    return compile_sources(tmp_path_factory.mktemp("native") / "probe", *sources)


@pytest.fixture
def run(program: Path, tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    """Runs a probe in a folder of its own, where it is to leave nothing."""

    def run(probe: str, seconds: float, *words: str) -> list[dict[str, Any]]:
        folder = tmp_path / "folder"
        folder.mkdir(exist_ok=True)
        command = [str(program), probe, "--seconds", str(seconds), *words]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, b"")
        assert list(folder.iterdir()) == []
        return [json.loads(line) for line in done.stdout.decode("ascii").splitlines()]

    return run


def output(harness: Path, *words: object) -> str:
    arguments = [str(harness), *(str(word) for word in words)]
    return subprocess.run(arguments, capture_output=True, check=True, text=True).stdout


def fresh(
    harness: Path, *, tick: int = 1, each: int, grows: bool = True, drift: int = 0
) -> dict[str, Any]:
    """What time_fresh() finds, in 0.1 s, of work of so many ns; see memory_harness.c."""
    return dict(json.loads(output(harness, "fresh", tick, 20, each, int(grows), drift, 0.1)))


def test_no_more_memory_is_given_back_than_was_taken(harness: Path) -> None:
    assert output(harness, "beyond") == ""


def test_renewing_the_work_is_not_in_its_time(harness: Path) -> None:
    found = fresh(harness, each=700)
    assert found["measured"]
    assert found["samples"] == pytest.approx([7e-7] * len(found["samples"]), rel=1e-12)
    assert found["renewed"] == found["worked"]
    assert (found["settled"], found["unsettled"]) == (1, 0)


def test_fresh_work_is_warmed_until_it_settles(harness: Path) -> None:
    found = fresh(harness, each=70_000, drift=6)
    assert (found["settled"], found["unsettled"]) == (1, 0)
    assert found["samples"] == pytest.approx([found["samples"][0]] * len(found["samples"]))


def test_fresh_work_that_never_settles_is_measured_and_counted(harness: Path) -> None:
    found = fresh(harness, each=700, drift=1000)
    assert found["measured"]
    assert (found["settled"], found["unsettled"]) == (0, 1)


def test_fresh_work_that_is_refused_is_not_counted_as_unsettled(harness: Path) -> None:
    found = fresh(harness, tick=1_000_000, each=10, drift=1000)
    assert (found["measured"], found["unsettled"]) == (0, 0)


def test_work_that_takes_no_longer_when_larger_counts_as_unusable(harness: Path) -> None:
    found = fresh(harness, each=20_000_000, grows=False)
    assert not found["measured"]
    assert found["unusable"] > 0
    assert "took no longer" in found["why"]


def test_work_too_short_for_the_clock_is_refused(harness: Path) -> None:
    found = fresh(harness, tick=1_000_000, each=10)
    assert not found["measured"]
    assert "less than 1000 ticks" in found["why"]


@given(st.integers(1, 16), st.lists(st.integers(1, 40), min_size=1, max_size=5))
def test_pieces_are_visited_round_and_round(harness: Path, of: int, counts: list[int]) -> None:
    done, *visits = map(int, output(harness, "pieces", of * 64, 64, *counts).split())
    assert done == sum(counts) == sum(visits)
    assert visits == [sum(counts) // of + (index < sum(counts) % of) for index in range(of)]


def warm(harness: Path, root: Path, cache: str, size: int, each: int, drift: int) -> float:
    """How many rounds of a buffer of `size` bytes warm it, where the last cache is so large."""
    for cpu in os.sched_getaffinity(0) if cache else ():
        file = root / f"sys/devices/system/cpu/cpu{cpu}/cache/index3/size"
        file.parent.mkdir(parents=True)
        file.write_text(f"{cache}\n")
    return int(output(harness, "warm", root, size, each, drift)) * 64 / size


@pytest.mark.parametrize(("each", "drift", "rounds"), [(1000, 0, 2), (1000, 48, 5)])
def test_what_a_cache_may_hold_is_warmed_until_it_is_steady(
    harness: Path, tmp_path: Path, each: int, drift: int, rounds: int
) -> None:
    """A round is 16 pieces: of those after 48 two are the first that take as long."""
    assert warm(harness, tmp_path, "1K", 1024, each, drift) == rounds


def test_what_never_gets_steady_is_warmed_for_25_ms(harness: Path, tmp_path: Path) -> None:
    assert 2 < warm(harness, tmp_path, "1K", 1024, 100_000, 1000) < 16


@pytest.mark.parametrize(("cache", "rounds"), [("1K", 0.5), ("", 1)])
def test_what_no_cache_holds_is_warmed_once(
    harness: Path, tmp_path: Path, cache: str, rounds: float
) -> None:
    assert warm(harness, tmp_path, cache, 2048, 1000, 1000) == rounds


@pytest.mark.parametrize("power", range(9))
def test_each_size_comes_once_the_largest_first(harness: Path, power: int) -> None:
    sizes = [int(line) for line in output(harness, "sizes", power).split()]
    assert sorted(sizes) == [65536 << index for index in range(power + 1)]
    assert sizes[0] == 65536 << power
    if power >= 2:
        assert sizes[1] == 65536 << power - 2


def spare(harness: Path, root: Path, groups: str, **files: int | str) -> int:
    """What can be spared of 1000 MiB, in MiB, as half of it is left to the board.

    `groups` is the content of /proc/self/cgroup; `files` are those of control groups, by what
    follows /sys/fs/cgroup, numbers in MiB.
    """
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/meminfo").write_text(f"MemTotal: 9 kB\nMemAvailable: {1000 << 10} kB\n")
    (root / "proc/self/cgroup").write_text(groups)
    for name, content in files.items():
        file = root / "sys/fs/cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{content * _MIB if isinstance(content, int) else content}\n")
    return int(output(harness, "spare", root)) * 2 // _MIB


def test_a_group_without_a_limit_leaves_all(harness: Path, tmp_path: Path) -> None:
    assert spare(harness, tmp_path, "0::/a\n", **{"a/memory.max": "max"}) == 1000


@pytest.mark.parametrize(
    ("group", "left"),
    [("/", 700), ("/a", 200), ("/a/b", 200), ("/a/b/c", 200), ("/d", 150), ("/of/another", 700)],
)
def test_the_group_above_that_leaves_least_counts(
    harness: Path, tmp_path: Path, group: str, left: int
) -> None:
    files: dict[str, int | str] = {
        "memory.max": 900,
        "memory.current": 200,
        "a/memory.max": 300,
        "a/memory.current": 100,
        "a/b/memory.max": 800,
        "d/memory.max": 150,
    }
    assert spare(harness, tmp_path, f"0::{group}\n", **files) == left


def test_cached_files_that_are_not_in_use_can_be_had(harness: Path, tmp_path: Path) -> None:
    files: dict[str, int | str] = {
        "a/memory.max": 300,
        "a/memory.current": 250,
        "a/memory.stat": f"anon 9\nfile 9\ninactive_file {150 * _MIB}\nactive_file 9",
    }
    assert spare(harness, tmp_path, "0::/a\n", **files) == 200


def test_a_group_that_is_full_leaves_nothing(harness: Path, tmp_path: Path) -> None:
    files: dict[str, int | str] = {"a/memory.max": 300, "a/memory.current": 301}
    assert spare(harness, tmp_path, "0::/a\n", **files) == 0


@pytest.mark.parametrize("controllers", ["memory", "cpu,memory", "memory,cpu"])
def test_groups_of_version_1_count_too(harness: Path, tmp_path: Path, controllers: str) -> None:
    files: dict[str, int | str] = {
        "memory/memory.limit_in_bytes": 1 << 43,
        "memory/memory.usage_in_bytes": 900,
        "memory/a/memory.limit_in_bytes": 300,
        "memory/a/memory.usage_in_bytes": 250,
        # Of the group alone, and of those below it, which the usage counts too.
        "memory/a/memory.stat": f"inactive_file 7\ntotal_inactive_file {150 * _MIB}",
    }
    groups = f"5:name=systemd:/memory\n4:{controllers}:/a/b\n3:cpuset:/x\n0::/\n"
    assert spare(harness, tmp_path, groups, **files) == 200


@pytest.fixture(scope="session")
def loops(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Without sanitizers: the harness is stopped at pages without access, on purpose."""
    program = tmp_path_factory.mktemp("native") / "loops"
    source = HERE / "loops_harness.c"
    compile_sources(program, "-fno-sanitize=all", source, *_loops())
    return [json.loads(line) for line in output(program).splitlines()]


def test_each_loop_touches_each_word_and_nothing_else(loops: list[Any]) -> None:
    for found in loops:
        assert found["contents"] and found["within"], found
        assert found["words"] == found["of"], found


def test_the_widest_set_has_all_operations_and_the_last_is_in_c(loops: list[Any]) -> None:
    first, last = loops[0], loops[-1]
    for end in (first, last):
        assert {one["operation"] for one in loops if one["loop"] == end["loop"]} == _OPERATIONS
    assert last["loop"] == "c" and not last["assembly"]
    for one in loops:
        if one["assembly"] and one["width"] * 2 < first["width"] and one["loop"] != "rep":
            assert one["operation"] in ("write", "copy")


@pytest.mark.parametrize("seconds", [0.002, 0.1])
@pytest.mark.parametrize(
    "probe",
    [
        *("memory.bandwidth", "memory.copy", "memory.fault", "memory.latency", "memory.map"),
        *("memory.mapped", "memory.page", "memory.random", "memory.tmpfs", "memory.word"),
        "file.read",
    ],
)
def test_however_little_time_there_is_something_is_said(
    run: Callable[..., list[dict[str, Any]]], probe: str, seconds: float
) -> None:
    lines = run(probe, seconds)
    assert any("metric" in line or line.get("refused") for line in lines)
    for line in lines:
        assert all(sample > 0 for sample in line.get("samples", ()))
        assert "self-check" not in line.get("refused", "")


@pytest.mark.parametrize("room", [0, 65536, 3 * _MIB, 6 * _MIB])
@pytest.mark.parametrize("probe", ["memory.bandwidth", "memory.copy", "memory.word"])
def test_buffers_are_within_the_room(
    run: Callable[..., list[dict[str, Any]]], probe: str, room: int
) -> None:
    lines = run(probe, 0.1, "--room", str(room))
    sizes = [int(line["labels"]["size"]) for line in lines if "metric" in line]
    assert all(2 * size < room for size in sizes)
    assert sizes or any("can spare" in line.get("refused", "") for line in lines)


@pytest.mark.parametrize("room", [0, 100, 4096])
def test_where_there_is_no_room_time_is_not_blamed(
    run: Callable[..., list[dict[str, Any]]], room: int
) -> None:
    lines = run("memory.latency", 0.3, "--room", str(room))
    said = [line["note"] for line in lines if "note" in line]
    assert [note for note in said if note.startswith("arrays above")] == [
        f"arrays above {room // 1024} KiB are left out: the board can spare no more"
    ]
    assert any("can spare" in line.get("refused", "") for line in lines)


def test_each_walk_is_on_its_pages(run: Callable[..., list[dict[str, Any]]]) -> None:
    lines = run("memory.latency", 3, "--room", str(8 * _MIB))
    of = [line["labels"] for line in lines if "metric" in line]
    walks = {(labels["pages"], labels["walk"], int(labels["stride"])) for labels in of}
    line = next(stride for pages, walk, stride in walks if walk == "local")
    found = {("small", walk, line) for walk in ("random", "local")}
    found |= {("small", "stride", stride) for stride in (32, 64, 128, 512, 4096)}
    if not any("huge pages" in line.get("refused", "") for line in lines):
        found |= {("huge", "random", line), ("huge", "stride", 64), ("huge", "stride", 4096)}
    assert walks == found


@pytest.mark.parametrize("room", [100_000, 6 * _MIB])
def test_reads_at_random_have_each_size_once(
    run: Callable[..., list[dict[str, Any]]], room: int
) -> None:
    metrics = [line for line in run("memory.random", 0.5, "--room", str(room)) if "metric" in line]
    sizes = [int(line["labels"]["size"]) for line in metrics]
    assert sizes == [4096 << index for index in range(len(sizes))]
    assert sizes[-1] <= room < 4 * sizes[-1]
    assert {(line["metric"], line["unit"], line["better"]) for line in metrics} == {
        ("memory.random", "s", "lower")
    }


def test_a_copy_says_how_and_by_what(run: Callable[..., list[dict[str, Any]]]) -> None:
    lines = run("memory.copy", 0.5, "--room", str(6 * _MIB))
    metrics = [line for line in lines if "metric" in line]
    assert {line["metric"] for line in metrics} == {"memory.copy.bandwidth"}
    of = [tuple(line["labels"][name] for name in ("size", "method", "loop")) for line in metrics]
    small = str(_MIB)
    assert {(small, "memcpy", "libc"), (small, "block", "libc")} <= {*of}
    assert {(small, "dumb", "c"), (small, "backwards", "c")} <= {*of}
    assert len(set(of)) == len(of)
    for line in metrics:
        assert (line["unit"], line["better"]) == ("B/s", "higher")
        assert line["labels"]["counts"] == "once"
        assert ("alias" in line) == (line["labels"]["method"] == "memcpy")


def test_words_are_read_written_and_copied_as_lmbench_has_it(
    run: Callable[..., list[dict[str, Any]]],
) -> None:
    lines = run("memory.word", 0.5, "--room", str(6 * _MIB))
    metrics = [line for line in lines if "metric" in line]
    ways = {
        line["alias"]: (line["labels"].get("operation"), line["labels"].get("step"))
        for line in metrics
    }
    assert ways == {
        "bw_mem rd": ("read", "16"),
        "bw_mem wr": ("write", "16"),
        "bw_mem rdwr": ("update", "16"),
        "bw_mem cp": ("copy", "16"),
        "bw_mem frd": ("read", "4"),
        "bw_mem fwr": ("write", "4"),
        "bw_mem fcp": ("copy", "4"),
        "bw_mem bzero": (None, None),
    }
    assert {line["metric"] for line in metrics} == {
        "memory.word.bandwidth",
        "memory.clear.bandwidth",
    }
    assert len({line["labels"]["size"] for line in metrics}) == 1


def test_a_mapped_file_is_kept_opened_and_written_to(
    run: Callable[..., list[dict[str, Any]]],
) -> None:
    lines = run("memory.mapped", 0.3, "--room", str(6 * _MIB))
    metrics = {line["metric"]: line for line in lines if "metric" in line}
    assert {name: line["alias"] for name, line in metrics.items()} == {
        "memory.map.kept": "bw_mmap_rd mmap_only",
        "memory.map.opened": "bw_mmap_rd open2close",
        "memory.map.write": "lat_mmap",
    }
    assert {line["labels"]["size"] for line in metrics.values()} == {str(_MIB)}


def test_a_file_is_opened_to_be_read(run: Callable[..., list[dict[str, Any]]]) -> None:
    lines = run("file.read", 0.3, "--room", str(6 * _MIB))
    (opened,) = [line for line in lines if line.get("metric") == "file.read.opened"]
    assert opened["labels"] == {"size": str(_MIB), "loop": "c"}
    assert opened["alias"] == "bw_file_rd open2close"


def test_a_page_of_a_mapped_file_is_of_the_whole_file(
    run: Callable[..., list[dict[str, Any]]],
) -> None:
    lines = run("memory.page", 0.5, "--room", str(6 * _MIB))
    (page,) = [line for line in lines if "metric" in line]
    assert (page["metric"], page["alias"]) == ("memory.fault.page", "lat_pagefault")
    assert 2 * _MIB <= int(page["labels"]["size"]) <= 3 * _MIB


def test_a_fill_in_c_is_beyond_the_caches_alone(run: Callable[..., list[dict[str, Any]]]) -> None:
    lines = run("memory.bandwidth", 5, "--room", str(36 * _MIB))
    of = [line["labels"] for line in lines if "metric" in line]
    in_c = [labels for labels in of if labels["loop"] == "c"]
    assert [(one["operation"], one["size"]) for one in in_c] == [("write", str(16 * _MIB))]


@pytest.mark.parametrize(
    ("probe", "other", "alias"),
    [("file.read", "none", "bw_file_rd"), ("memory.map", "page", "bw_mmap_rd")],
)
def test_a_sum_says_by_what_and_touching_alone_has_no_loop(
    run: Callable[..., list[dict[str, Any]]], probe: str, other: str, alias: str
) -> None:
    lines = run(probe, 0.3, "--room", str(6 * _MIB))
    metrics = [line for line in lines if line.get("metric") == f"{probe}.bandwidth"]
    said = [
        (line["labels"]["touch"], line["labels"].get("loop"), line.get("alias")) for line in metrics
    ]
    assert {*said} == {("sum", "c", alias), (other, None, None)}


def test_the_end_counts_whole_ticks_of_steal(run: Callable[..., list[dict[str, Any]]]) -> None:
    (steal,) = (line["end"]["disturbances"]["steal_s"] for line in run("file.read", 0.02)[-1:])
    assert steal >= 0
    assert steal * 100 == pytest.approx(round(steal * 100))


@pytest.mark.parametrize("probe", ["file.read", "memory.map"])
@pytest.mark.parametrize(
    ("huge", "pages"),
    # The kernel gives small ones where its memory is in pieces.
    [("never", {"small"}), ("always", {"huge", "small and huge"})],
)
def test_a_file_read_says_whether_its_pages_were_huge(
    program: Path, tmp_path: Path, probe: str, huge: str, pages: set[str]
) -> None:
    """In a tmpfs of our own, which alone can be had with huge pages."""
    mount = f'mount -t tmpfs -o huge={huge},size=64m none "$0" && cd "$0" && exec "$@"'
    command = ["unshare", "--mount", "sh", "-c", mount, str(tmp_path), str(program), probe]
    done = subprocess.run(
        [*command, "--seconds", "0.3", "--room", str(6 * _MIB)],
        capture_output=True,
        check=False,
        timeout=60,
    )
    if b"mount:" in done.stderr or b"unshare:" in done.stderr:
        pytest.skip("mounting a tmpfs wants root")
    lines = [json.loads(line) for line in done.stdout.decode("ascii").splitlines()]
    (found,) = [line["value"] for line in lines if line.get("fact") == "file pages"]
    assert found in pages
