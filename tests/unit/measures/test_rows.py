# SPDX-License-Identifier: Apache-2.0
"""The rows of the bring-up: what each gives of what its board printed, or why it gives nothing."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.bench.bed import Bed
from perfboard.bench.job import NotMeasurable, Work
from perfboard.boards.loader import load_board
from perfboard.measures.rows import SUBJECTS, Row, all_rows, subject_of
from perfboard.model.run import Evidence

ROWS = list(all_rows().values())
every_row = pytest.mark.parametrize("row", ROWS, ids=lambda one: one.name)


def bed(run: Callable[[Work], str]) -> Bed:
    return Bed(run, Evidence.HOST, 64 << 20, 3)


@every_row
def test_a_row_says_what_it_is(row: Row) -> None:
    assert subject_of(row) in SUBJECTS and row.title and row.metrics
    assert row.writes(bed(lambda work: "")) >= 0


@every_row
@given(output=st.text(alphabet='@name anonpoitfles{}/,":0123456789 .\n', max_size=200))
def test_any_output_is_read_or_refused(row: Row, output: str) -> None:
    try:
        answer = row.measure(bed(lambda work: output))
    except NotMeasurable as error:
        assert str(error)
    else:
        assert answer.figures and {m.name for m in answer.metrics} <= set(row.metrics)


COPIES = """\
{"metric":"memory.copy.bandwidth","unit":"B/s","better":"higher",\
"labels":{"method":"memcpy","size":"1048576","loop":"libc"},"samples":[9e7]}
{"metric":"memory.copy.bandwidth","unit":"B/s","better":"higher",\
"labels":{"method":"memcpy","size":"16777216","loop":"libc"},"samples":[3e7,2e7,4e7]}
{"metric":"memory.copy.bandwidth","unit":"B/s","better":"higher",\
"labels":{"method":"dumb","size":"1048576","loop":"c"},"samples":[6e7]}
{"end":{"elapsed_s":1.0}}
"""


def test_copying_is_told_at_mbws_size_or_the_next_above() -> None:
    answer = all_rows()["memory.copy"].measure(bed(lambda work: COPIES))
    assert [(f.title, f.metric.labels["size"]) for f in answer.figures] == [
        ("memcpy, as mbw, 16 MiB", "16777216"),
        ("word by word, as mbw, 1 MiB", "1048576"),
    ]
    assert answer.short == "copies 60.00 MB/s"


FREE = """\
{"metric":"system.ram.available","unit":"B","better":"higher","labels":{"by":"free+cache"},\
"samples":[25505792]}
{"end":{"elapsed_s":0.1}}
@name sshd
@anon 1024 kB
@name kthreadd
@name sshd
@anon 2048 kB
@name init
@anon 100 kB
"""


def test_the_largest_users_of_memory_are_named() -> None:
    answer = all_rows()["memory.free"].measure(bed(lambda work: FREE))
    assert answer.short == "24.32 MiB free"
    assert "sshd (3 MiB), init (100 KiB)" in answer.sentence
    users = [m for m in answer.metrics if m.name == "system.ram.user"]
    assert [m.samples for m in users] == [(3072 * 1024,), (100 * 1024,)]


def point(text: str, size: int, operations: int, ns: int, busy_us: int, kept: int = 0) -> str:
    how = "io_submit" if text.endswith("/32") else "calls"
    return (
        f"@point {text} {size} {operations} {ns} {busy_us} {busy_us} 1000 2000 3000 {kept} {how}\n"
    )


# A request of 1 ms beside 10 MB/s: 100 of 1 MB in 10.1 s.
SEQUENTIAL = (
    "@file 33554432 100000000 ext\n"
    + point("read/direct/4096/1", 4_096_000, 1000, 1_409_600_000, 10_000)
    + point("read/direct/1048576/1", 104_857_600, 100, 10_585_760_000, 10_000)
    + point("read/buffered/8192/1", 8_192_000, 1000, 1_000_000_000, 950_000)
    + point("write/buffered/8192/1", 4_096_000, 500, 1_000_000_000, 100_000)
)


ENCRYPTED = (
    point("write/buffered/65536/1", 8_000_000, 123, 1_000_000_000, 100_000)
    + "@crypt plain none\n"
    + point("write/buffered/65536/1", 2_000_000, 31, 1_000_000_000, 990_000)
    + point("read/buffered/65536/1", 3_000_000, 47, 1_000_000_000, 950_000)
    + "@crypt xts xts-aes-neonbs\n"
    + "@failed adiantum the kernel has no dm-crypt by it: Invalid argument\n"
    + "@failed ecryptfs the kernel has no eCryptfs: No such device\n"
)


def test_encrypted_files_stand_beside_plain_ones_with_their_driver() -> None:
    answer = all_rows()["disk.encryption"].measure(bed(lambda work: ENCRYPTED))
    assert [(f.title, f.metric.samples, f.metric.labels.get("driver")) for f in answer.figures] == [
        ("write, without encryption", (8e6,), None),
        ("write, dm-crypt, AES-XTS", (2e6,), "xts-aes-neonbs"),
        ("read, dm-crypt, AES-XTS", (3e6,), "xts-aes-neonbs"),
    ]
    assert answer.short == "writes 2.000 MB/s by dm-crypt, AES-XTS (without: 8.000 MB/s)"
    assert answer.limit == "the processor, busy for 99% of the time"
    assert "AES-XTS: xts-aes-neonbs" in answer.sentence
    assert answer.notes == (
        "Not measured: dm-crypt, Adiantum: the kernel has no dm-crypt by it: Invalid argument.",
        "Not measured: eCryptfs, AES: the kernel has no eCryptfs: No such device.",
    )


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("@failed place /tmp: tmpfs\n", "/tmp: tmpfs"),
        ("@failed plain it needs root\n@failed xts it needs root\n", "it needs root"),
        (ENCRYPTED[: ENCRYPTED.index("@crypt plain") + 19], "the probe said nothing"),
    ],
)
def test_storage_that_cannot_be_encrypted_says_why(said: str, why: str) -> None:
    with pytest.raises(NotMeasurable) as raised:
        all_rows()["disk.encryption"].measure(bed(lambda work: said))
    assert str(raised.value) == why


def test_a_boards_kernel_has_the_ciphers_that_its_part_is_fast_at() -> None:
    found = {}
    for name in ("rpi2", "rpi-zero", "bifferboard", "teres"):
        works: list[Work] = []

        def run(work: Work, works: list[Work] = works) -> str:
            works.append(work)
            return ENCRYPTED

        board = load_board(name).board
        all_rows()["disk.encryption"].measure(replace(bed(run), board=board))
        found[name] = "neon-ciphers" in works[0].features
        assert {"dm-crypt", "ecryptfs", "ext4", "fscrypt"} <= set(works[0].features)
        assert "/dev/pbd" in works[0].script
    assert found == {"rpi2": True, "rpi-zero": False, "bifferboard": False, "teres": False}


SSH = """\
@say server OpenSSH
@time ssh-tmpfs-login
500000000 1000 0 100 0 0
@time ssh-tmpfs-aes128-ctr
2500000000 1000 0 100 0 0
@time ssh-tmpfs-chacha20-poly1305@openssh.com
400000000 1000 0 100 0 0
@failed ecryptfs the kernel has no eCryptfs: No such device
@crypt fscrypt xts(ecb(aes))
@time ssh-fscrypt-login
500000000 1000 0 100 0 0
@time ssh-fscrypt-aes128-ctr
4500000000 1000 0 100 0 0
4500000000 1000 0 100 1 0
@failed ssh aes128-ctr: No space left on device
"""


def test_a_file_by_ssh_is_timed_beyond_the_login() -> None:
    answer = all_rows()["network.ssh"].measure(bed(lambda work: SSH))
    # 2 MiB in 2 s and in 4; what took less than the login has no rate, nor has what failed.
    assert [(f.title, f.metric.samples) for f in answer.figures] == [
        ("to tmpfs, aes128-ctr", (2 * 1048576 / 2,)),
        ("to fscrypt, AES-XTS, aes128-ctr", (2 * 1048576 / 4,)),
        ("a login", (0.5,)),
    ]
    assert answer.short == "1.049 MB/s by ssh to tmpfs, aes128-ctr"
    assert "The server was OpenSSH" in answer.sentence
    assert answer.notes == (
        "Not all of ssh was measured: the kernel has no eCryptfs: No such device; "
        "aes128-ctr: No space left on device.",
    )


def test_the_encrypted_disk_has_room_for_the_file_of_ssh() -> None:
    works: list[Work] = []

    def run(work: Work) -> str:
        works.append(work)
        return SSH

    all_rows()["network.ssh"].measure(Bed(run, Evidence.HOST, 24 << 30, 3))
    (disk,) = re.findall(r'"\$place" covered (\d+) run', works[0].script)
    assert works[0].data + (32 << 20) <= int(disk)


def test_a_file_in_order_says_what_holds_each_way_back() -> None:
    answer = all_rows()["disk.sequential"].measure(bed(lambda work: SEQUENTIAL))
    assert answer.short == "reads 8.192 MB/s, writes 4.096 MB/s"
    assert answer.limit.startswith("read: the processor, busy for 95%")
    assert "write: disk; the processor is busy for 10%" in answer.limit
    assert "a read costs 1000 us, and 10.0 MB/s beyond it: of 4 KiB" in answer.sentence
    (late,) = (
        m
        for m in answer.metrics
        if m.name == "disk.write.latency" and m.labels["percentile"] == "99"
    )
    assert late.samples == (2e-6,) and late.labels["block"] == "8 KiB"


def test_a_cache_that_keeps_the_file_is_told() -> None:
    kept = point("read/buffered/8192/1", 8192, 1, 1000, 1, kept=800)
    answer = all_rows()["disk.sequential"].measure(bed(lambda work: kept))
    assert "kept 80% of the file" in answer.notes[0]


def test_a_disk_that_stood_still_is_told() -> None:
    words = point("write/buffered/8192/1", 8192, 2, 31_000_000_000, 1).split()
    words[9] = "30500000000"
    answer = all_rows()["disk.sequential"].measure(bed(lambda work: " ".join(words)))
    assert answer.notes == ("The disk stood still: a write of 8 KiB took 30.50 s.",)


def test_blocks_at_random_say_how_several_were_asked_for() -> None:
    output = point("randread/direct/4096/1", 4096 * 50, 50, 500_000_000, 1000) + point(
        "randread/direct/4096/32", 4096 * 100, 100, 500_000_000, 1000
    )
    answer = all_rows()["disk.random"].measure(bed(lambda work: output))
    assert [f.metric.samples for f in answer.figures] == [(100.0,), (200.0,)]
    assert answer.sentence == "Several at a time by io_submit."


def test_files_are_rates_by_their_order() -> None:
    output = "@files sequential create 1000 2000000000 1980000 1990000\n"
    answer = all_rows()["disk.files"].measure(bed(lambda work: output * 3))
    assert answer.short == "500.0 /s files, create, sequential"
    assert answer.limit.startswith("the processor, busy for 99%")
    assert answer.figures[0].metric.samples == (500.0,) * 3


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
        all_rows()[name].measure(bed(lambda work: f"@failed all {words}\n"))


def test_the_users_folder_is_no_part_of_the_script() -> None:
    scripts: list[str] = []

    def run(work: Work) -> str:
        scripts.append(work.script)
        return SEQUENTIAL

    all_rows()["disk.sequential"].measure(
        Bed(run, Evidence.HOST, 64 << 20, 3, folder="/mnt/$(reboot) it's")
    )
    (words,) = (line for line in scripts[0].splitlines() if "disk place" in line)
    assert """'/mnt/$(reboot) it'"'"'s'""" in words


def test_quick_spares_flash() -> None:
    for row in ROWS:
        plain = Bed(lambda work: "", Evidence.HOST, 1 << 30, 3)
        quick = Bed(lambda work: "", Evidence.HOST, 1 << 30, 3, quick=True)
        assert row.writes(quick) < row.writes(plain) or row.writes(plain) == 0


@pytest.mark.parametrize("name", ["disk.dd", "memory.dd"])
def test_dd_is_told_by_its_block(name: str) -> None:
    time = "1000000000 100000 400000 1024 0 0\n"
    scripts: list[str] = []

    def run(work: Work) -> str:
        scripts.append(work.script)
        return f"@time dd-512\n{time}{time}@time dd-65536\n{time}"

    answer = all_rows()[name].measure(Bed(run, Evidence.HOST, 16 << 20, 2))
    # An eighth of the RAM.
    assert [f.metric.samples for f in answer.figures] == [(2097152.0,) * 2, (2097152.0,)]
    assert answer.short == "dd writes 2.097 MB/s by 512 B, 2.097 MB/s by 64 KiB"
    assert ("conv=fsync" in scripts[0]) == (name == "disk.dd") and "trap 'rm -f" in scripts[0]


def test_a_tmpfs_without_room_is_told() -> None:
    words = "no room: /dev/shm has 16 kB free"
    with pytest.raises(NotMeasurable, match=words):
        all_rows()["memory.dd"].measure(bed(lambda work: f"@failed dd {words}\n"))
