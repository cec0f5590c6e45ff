# SPDX-License-Identifier: Apache-2.0
"""Measures of a disk: what each gives of what its board printed, or why it gives nothing."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from perfboard.bench.job import NotMeasurable
from perfboard.measures.base import EXACT
from perfboard.measures.catalogue import all_measures, get_measure
from perfboard.measures.disk.points import example_point
from perfboard.measures.reading import example_time
from perfboard.model.rows import row_line
from tests.support.measures import LIVE, job_of, read


def point(text: str, size: int, operations: int, ns: int, busy_us: int, kept: int = 0) -> str:
    figures = {"bytes": size, "operations": operations, "took_ns": ns, "own_us": busy_us}
    return example_point(text, kept_permille=kept, **figures)


# A request of 1 ms beside 10 MB/s: 100 of 1 MB in 10.1 s.
SEQUENTIAL = (
    row_line("file", bytes=33554432, free_bytes=100000000, filesystem="ext")
    + point("read/direct/4096/1", 4_096_000, 1000, 1_409_600_000, 10_000)
    + point("read/direct/1048576/1", 104_857_600, 100, 10_585_760_000, 10_000)
    + point("read/buffered/8192/1", 8_192_000, 1000, 1_000_000_000, 950_000)
    + point("write/buffered/8192/1", 4_096_000, 500, 1_000_000_000, 100_000)
)


def test_a_file_in_order_says_what_holds_each_way_back() -> None:
    answer = read("disk.sequential", SEQUENTIAL)
    assert answer.short == "reads 8.192 MB/s, writes 4.096 MB/s"
    assert answer.limit.startswith("read: the processor, busy for 95%")
    assert "write: disk; the processor is busy for 10%" in answer.limit
    assert "a read costs 1000 us, and 10.0 MB/s beyond it: of 4 KiB" in answer.why
    (late,) = (
        m
        for m in answer.metrics
        if m.name == "disk.write.latency" and m.labels["percentile"] == "99"
    )
    assert late.samples == (2e-6,) and late.labels["block"] == "8 KiB"


def test_a_cache_that_keeps_the_file_is_told() -> None:
    kept = point("read/buffered/8192/1", 8192, 1, 1000, 1, kept=800)
    answer = read("disk.sequential", kept)
    assert "kept 80% of the file" in answer.notes[0]


def test_a_disk_that_stood_still_is_told() -> None:
    line = point("write/buffered/8192/1", 8192, 2, 31_000_000_000, 1)
    answer = read("disk.sequential", line.replace('"longest_ns":3000', '"longest_ns":30500000000'))
    assert answer.notes == ("The disk stood still: a write of 8 KiB took 30.50 s.",)


def test_blocks_at_random_say_how_several_were_asked_for() -> None:
    output = point("randread/direct/4096/1", 4096 * 50, 50, 500_000_000, 1000) + point(
        "randread/direct/4096/32", 4096 * 100, 100, 500_000_000, 1000
    )
    answer = read("disk.random", output)
    assert [f.metric.samples for f in answer.figures] == [(100.0,), (200.0,)]
    assert answer.why == "Several at a time by io_submit."


def test_files_are_rates_by_their_order() -> None:
    (example,) = get_measure("disk.files").examples
    answer = read("disk.files", example.output * 3)
    assert answer.short == "500.0 /s files, create, sequential"
    assert answer.limit.startswith("the processor, busy for 99%")
    assert answer.figures[0].metric.samples == (500.0,) * 3


def test_work_that_is_shorter_than_a_tick_has_its_share_all_the_same() -> None:
    words = {"order": "random", "operation": "stat", "count": 1000}
    line = row_line("files", **words, took_ns=6_000_000, own_us=3_000, busy_us=0)
    (figure,) = read("disk.files", line, EXACT).figures
    assert figure.busy is not None and figure.busy.samples == (0.5,)


@pytest.mark.parametrize(
    "name", ["disk.sequential", "disk.random", "disk.files", "disk.characters"]
)
@pytest.mark.parametrize(
    "words",
    [
        "/mnt: Read-only file system",
        "the file cannot be written: Disk quota exceeded",
        "/mnt: no room: a third of what is free is 0 bytes",
        "read at byte 4096: Input/output error",
    ],
)
def test_a_disk_that_does_not_do_is_told_in_its_own_words(name: str, words: str) -> None:
    with pytest.raises(NotMeasurable, match=words):
        read(name, row_line("refused", what="all", why=words))


def test_the_users_folder_is_one_word_of_the_script() -> None:
    job = job_of("disk.sequential", {"folder": "/mnt/$(reboot) it's"})
    assert job.script.startswith("""folder='/mnt/$(reboot) it'"'"'s'\n""")
    found = subprocess.run(
        ["sh", "-c", f'{job.script.splitlines()[0]}\nprintf %s "$folder"'], capture_output=True
    )
    assert found.stdout.decode() == "/mnt/$(reboot) it's"


@pytest.mark.parametrize("folder", ["", "/mnt/a disk"])
def test_a_folder_on_a_disk_is_sought_on_a_live_target(folder: str, tmp_path: Path) -> None:
    probe = tmp_path / "probe"
    probe.write_text('#!/bin/sh\nprintf "%s\\n" "$@" >&2\necho "/found here"\n')
    probe.chmod(0o755)
    script = job_of("disk.sequential", {"folder": folder}).script
    script = script.partition('"$PROBE" disk-points')[0]
    done = subprocess.run(
        ["sh", "-c", f'{script}echo "$place"'],
        capture_output=True,
        text=True,
        env={**os.environ, "PROBE": str(probe), "TMPDIR": "/t", "HOME": "/h"},
    )
    assert done.stdout == "/found here\n"
    usual = ["/t", ".", "/var/tmp", "/h", "/"]
    assert done.stderr.splitlines() == ["disk-place", *([folder] if folder else usual)]


def test_quick_spares_flash() -> None:
    facts = replace(LIVE, ram=1 << 30)
    writing = [each.name for each in all_measures().values() if "quick" in each.defaults()]
    assert len(writing) > 8
    for name in writing:
        plain, quick = (job_of(name, {"quick": quick}, facts) for quick in (False, True))
        assert quick.writes < plain.writes or plain.writes == 0


@pytest.mark.parametrize("name", ["disk.dd", "memory.dd"])
def test_dd_is_told_by_its_block(name: str) -> None:
    small, large = (example_time(f"dd-{block}", 10**9, 500_000) for block in (512, 65536))
    facts = replace(LIVE, ram=16 << 20, repeats=2)
    found = read(name, f"{small}{small}{large}", facts)
    # An eighth of the RAM.
    assert [f.metric.samples for f in found.figures] == [(2097152.0,) * 2, (2097152.0,)]
    assert found.short == "dd writes 2.097 MB/s by 512 B, 2.097 MB/s by 64 KiB"
    script = job_of(name, {}, facts).script
    assert ("conv=fsync" in script) == (name == "disk.dd")


def test_the_processor_limits_a_tmpfs_only_where_it_is_busy() -> None:
    for busy_us, said in ((220_000, ""), (990_000, "the processor and its memory, busy for 99%")):
        found = read("memory.dd", example_time("dd-65536", 10**9, busy_us), LIVE)
        assert found.limit.startswith(said) and bool(found.limit) == bool(said)


def test_a_tmpfs_without_room_is_told() -> None:
    words = "no room: /dev/shm has 16 kB free"
    with pytest.raises(NotMeasurable, match=words):
        read("memory.dd", row_line("refused", what="dd", why=words))
