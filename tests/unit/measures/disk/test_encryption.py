# SPDX-License-Identifier: Apache-2.0
"""Encrypted storage: what it gives of what its board printed, or why it gives nothing."""

from pathlib import Path

import pytest

from perfboard.bench.job import NotMeasurable
from perfboard.bench.options import BenchOptions
from perfboard.bench.virtual import VirtualBench
from perfboard.boards.loader import load_board
from perfboard.model.rows import row_line
from tests.support.lab import FakeLab
from tests.support.measures import job_of, read

from .test_disk import point

_LACKS = "the kernel has no"
PLAIN = point("write/buffered/65536/1", 8_000_000, 123, 1_000_000_000, 100_000) + row_line(
    "crypt", way="plain", driver="none"
)
ENCRYPTED = (
    PLAIN
    + point("write/buffered/65536/1", 2_000_000, 31, 1_000_000_000, 990_000)
    + point("read/buffered/65536/1", 3_000_000, 47, 1_000_000_000, 950_000)
    + row_line("crypt", way="xts", driver="xts-aes-neonbs")
    + row_line("refused", what="adiantum", why=f"{_LACKS} dm-crypt by it: Invalid argument")
    + row_line("refused", what="ecryptfs", why=f"{_LACKS} eCryptfs: No such device")
)


def test_encrypted_files_stand_beside_plain_ones_with_their_driver() -> None:
    answer = read("disk.encryption", ENCRYPTED)
    assert [(f.title, f.metric.samples, f.metric.labels.get("driver")) for f in answer.figures] == [
        ("write, without encryption", (8e6,), None),
        ("write, dm-crypt, AES-XTS", (2e6,), "xts-aes-neonbs"),
        ("read, dm-crypt, AES-XTS", (3e6,), "xts-aes-neonbs"),
    ]
    assert answer.short == "writes 2.000 MB/s by dm-crypt, AES-XTS (without: 8.000 MB/s)"
    assert answer.limit == "the processor, busy for 99% of the time"
    assert "AES-XTS: xts-aes-neonbs" in answer.why
    assert answer.notes == (
        "Not measured: dm-crypt, Adiantum: the kernel has no dm-crypt by it: Invalid argument.",
        "Not measured: eCryptfs, AES: the kernel has no eCryptfs: No such device.",
    )


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (row_line("refused", what="place", why="/tmp: tmpfs"), "/tmp: tmpfs"),
        (
            "".join(row_line("refused", what=way, why="it needs root") for way in ("plain", "xts")),
            "it needs root",
        ),
        (PLAIN, "the probe said nothing"),
    ],
)
def test_storage_that_cannot_be_encrypted_says_why(said: str, why: str) -> None:
    with pytest.raises(NotMeasurable) as raised:
        read("disk.encryption", said)
    assert str(raised.value) == why


def test_a_boards_kernel_has_the_ciphers_that_its_part_is_fast_at(tmp_path: Path) -> None:
    found = {}
    for name in ("rpi2", "rpi-zero", "bifferboard", "teres"):
        facts = VirtualBench(
            f"virtual:{name}",
            load_board(name),
            {},
            BenchOptions(),
            FakeLab(tmp_path).lab(),
            tmp_path,
        ).facts
        job = job_of("disk.encryption", {}, facts)
        found[name] = "neon-ciphers" in job.features
        assert {"dm-crypt", "ecryptfs", "ext4", "fscrypt"} <= set(job.features)
        assert "/dev/pbd" in job.script
    assert found == {"rpi2": True, "rpi-zero": False, "bifferboard": False, "teres": False}
