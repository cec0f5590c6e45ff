# SPDX-License-Identifier: Apache-2.0
"""Archives as bootchart's collector writes them; one with a path outside is refused."""

import gzip
import io
import random
import tarfile
from pathlib import Path

import pytest

from perfboard.importers.base import FileContent, ImportOptions, SavedFile
from perfboard.importers.bootchart import IMPORTER as BOOTCHART
from perfboard.importers.choose import choose_importer
from perfboard.importers.ways import opened_files
from perfboard.model.errors import UsageError

STAT = """\
100
cpu  10 0 20 70 0 0 0 0 0 0
cpu0 10 0 20 70 0 0 0 0 0 0
intr 5

300
cpu  110 0 60 130 20 0 0 0 0 0
cpu0 110 0 60 130 20 0 0 0 0 0

"""
REST = " ".join(["0"] * 30)
PS = f"""\
100
1 (init) S 0 1 1 0 -1 4194560 1 1 0 0 5 7 0 0 20 0 1 0 1 {REST}

300
1 (init) S 0 1 1 0 -1 4194560 1 1 0 0 15 27 0 0 20 0 1 0 1 {REST}
42 (my (odd) app) R 1 42 42 0 -1 4194304 1 0 0 0 80 1 0 0 20 0 1 0 250 {REST}

"""
DISKS = """\
100
 179 0 mmcblk0 10 0 2000 5 1 0 8 1 0 5 6
 179 1 mmcblk0p1 10 0 2000 5 1 0 8 1 0 5 6

300
 179 0 mmcblk0 900 0 42000 50 2 0 24 1 0 50 60
 179 1 mmcblk0p1 900 0 42000 50 2 0 24 1 0 50 60

"""
LOGS = {"proc_stat.log": STAT, "proc_ps.log": PS, "proc_diskstats.log": DISKS}


def archive(members: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as made:
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            made.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def read(path: Path) -> FileContent:
    with opened_files([path]) as (file,):
        importer = choose_importer(file, "")
        assert importer.name == "bootchart"
        return importer.read(file, ImportOptions())


def test_times_of_processors_processes_and_disks(tmp_path: Path) -> None:
    path = tmp_path / "bootchart.tgz"
    path.write_bytes(archive({"header": "version = 1\n", **LOGS}))
    found = {
        (metric.name, *metric.labels.values()): metric.samples[0] for metric in read(path).metrics
    }
    assert found == {
        ("bootchart.time",): 2.0,
        ("bootchart.cpu", "nice"): 0.0,
        ("bootchart.cpu", "irq"): 0.0,
        ("bootchart.cpu", "softirq"): 0.0,
        ("bootchart.cpu", "steal"): 0.0,
        ("bootchart.cpu", "user"): 1.0,
        ("bootchart.cpu", "system"): 0.4,
        ("bootchart.cpu", "idle"): 0.6,
        ("bootchart.cpu", "iowait"): 0.2,
        ("bootchart.process", "my (odd) app 42"): 0.81,
        ("bootchart.process", "init 1"): 0.42,
        ("bootchart.disk.read",): 40_000 * 512,
        ("bootchart.disk.written",): 16 * 512,
    }


@pytest.mark.parametrize("name", ["/etc/passwd", "../../proc_stat.log", "a/../../proc_stat.log"])
def test_a_path_outside_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bootchart.tgz"
    path.write_bytes(archive({**LOGS, name: "x"}))
    with pytest.raises(UsageError, match="lies outside the archive"):
        read(path)
    assert [*tmp_path.iterdir()] == [path]


def test_an_archive_without_samples_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bootchart.tgz"
    path.write_bytes(archive({**LOGS, "proc_stat.log": "100\ncpu 1\n"}))
    with pytest.raises(UsageError, match="no two samples"):
        read(path)


def test_a_damaged_archive_is_read_or_refused(tmp_path: Path) -> None:
    whole = archive(LOGS)
    plain = gzip.decompress(whole)
    path = tmp_path / "bootchart.tgz"
    for seed in range(300):
        chance = random.Random(seed)
        data = bytearray(chance.choice((whole, plain)))
        for _ in range(chance.choice((1, 4, 30))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data[: chance.choice((len(data), chance.randrange(1, len(data))))])
        try:
            read(path)
        except (UsageError, AssertionError) as error:
            assert isinstance(error, UsageError) or "bootchart" in str(error)


def test_a_header_of_two_gigabytes_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """A tar's long name may state any length, and zeros compress well."""
    header = bytearray(tarfile.TarInfo("././@LongLink").tobuf(tarfile.GNU_FORMAT)[:512])
    header[124:136] = b"%011o\0" % (2 << 30)
    header[156:157] = tarfile.GNUTYPE_LONGNAME
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as made:
        made.addfile(tarfile.TarInfo(next(iter(LOGS))))
    path = tmp_path / "bootchart.tar"
    path.write_bytes(bytes(header) + plain.getvalue())
    with pytest.raises(UsageError, match="a part of 2 GiB"):
        BOOTCHART.read(SavedFile(path), ImportOptions())
