# SPDX-License-Identifier: Apache-2.0
"""A file's format: found by its content, forced, unknown, or one of several."""

import gzip
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from perfboard.importers.base import ImportOptions, SavedFile
from perfboard.importers.choose import choose_importer, importers
from perfboard.model.errors import UsageError
from perfboard.store.folder import find_run
from tests.support.recorded import DATA


def file(tmp_path: Path, data: bytes) -> SavedFile:
    path = tmp_path / "boot.log"
    path.write_bytes(data)
    return SavedFile(path)


def test_the_names_are_those_of_the_files() -> None:
    assert set(importers()) == {
        *("dmesg", "dmesg-json", "grabserial", "kernel", "labgrid", "lava", "minicom", "screen"),
        *("tio", "ts", "vcd", "sigrok", "saleae-csv", "saleae-binary", "power"),
        *("fio", "google", "hyperfine", "pytest-benchmark", "sbc-bench", "iperf3", "unixbench"),
        *("lmbench", "bonnie", "perf-stat", "slimboot", "journal-text"),
        *(
            "barebox",
            "bootstage",
            "bootstage-tree",
            "cbmem",
            "fpdt",
            "journal",
            "k3",
            "systemd-analyze",
            "systemd-plot",
        ),
        *("bootchart", "ftrace", "jls", "perf-script", "trace-dat"),
    }
    assert all(name == importer.name and importer.title for name, importer in importers().items())


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "it is empty"),
        (b"\n \r\n", "nothing but blanks"),
        (b"\0" * 100, "no text"),
        (bytes(range(256)) * 9, "wrong baud rate"),
        (b"Hello.\nThis is a letter on U-Boot.\n", "grabserial -t"),
        (b"[1, 2]\n", "no form that Perfboard knows"),
        (b'{"a": [1, 2]}', "JSON of no program"),
        (
            b"U-Boot 2024.01 (x)\n\nStarting kernel ...\n",
            "U-Boot and a kernel, and its lines have no",
        ),
        (b"U-Boot 2024.01 (x)\n" * 3, r"firmware log \(U-Boot\).*first words come 3 times"),
    ],
)
def test_an_unknown_file_is_answered_by_one_sentence_and_the_next_step(
    tmp_path: Path, data: bytes, said: str
) -> None:
    with pytest.raises(UsageError, match=said) as refusal:
        choose_importer(file(tmp_path, data), "")
    assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 500


@pytest.mark.parametrize(
    ("begin", "said"),
    [
        (b"LPKSHHRH" + bytes(90), "it is a journal of systemd's: print it by journalctl --file"),
        (b"PERFILE2" + bytes(90), "a recording of perf's: print it by perf script -i"),
        (gzip.compress(b"[    0.000000] Linux\n" * 9, mtime=0), "compressed by gzip: unpack"),
        (b"\x7fELF\2\1\1", "it is a program"),
    ],
)
def test_another_programs_file_is_named(tmp_path: Path, begin: bytes, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        choose_importer(file(tmp_path, begin), "")


@pytest.mark.parametrize(
    ("member", "said"),
    [
        ("meta.json", r"Saleae Logic 2 \(\.sal\): export its raw data as CSV or binary"),
        ("session.raw", r"Power Profiler \(\.ppk2\): export it as CSV"),
        ("[Content_Types].xml", "a spreadsheet: store it as CSV"),
        ("boot.log", "a ZIP archive: unpack it first"),
    ],
)
def test_another_programs_archive_is_named(tmp_path: Path, member: str, said: str) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(member, "{}")
    with pytest.raises(UsageError, match=said):
        choose_importer(file(tmp_path, data.getvalue()), "")


def test_a_format_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r'--as: there is no "foo"\. There are: barebox'):
        choose_importer(file(tmp_path, b""), "foo")


def test_a_forced_format_is_not_searched(tmp_path: Path) -> None:
    assert choose_importer(file(tmp_path, b""), "tio").name == "tio"


def test_a_forced_format_that_is_wrong_finds_no_boot() -> None:
    path = SavedFile(DATA / "import" / "lava-pc.log")
    with pytest.raises(UsageError, match="no boot was found in it"):
        choose_importer(path, "grabserial").read(path, ImportOptions())


def test_a_file_of_two_formats_is_refused(tmp_path: Path) -> None:
    lines = b"-- 0:tty -- time-stamp -- Nov/25/26 12:34:56 --\n[2026-11-25 00:00:00\r\n" * 2
    with pytest.raises(UsageError, match=r"may be of minicom or screen\. Name one with --as"):
        choose_importer(file(tmp_path, lines), "")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"Nov 25 12:34:56 text\n", "ts"),
        (b"Nov 25 12:34:56.123456 text\n", "ts"),
        (b"2026-11-25T12:34:56.123456+0100 text\n", "ts"),
        (b"1764074096 text\n", "ts"),
        (b"[12:34:56.789] text\n", "tio"),
        (b"[1764074096.789] text\n", "tio"),
        (b"[1764074096.789123] text\n", "tio"),
        (b"[12.345678 0.000123] text\n", "grabserial"),
        (b"[2026-11-25 12:34:56] text\n", "minicom"),
        (b"[    1.234567] text\n", "dmesg"),
        (b"[    1.234567][    T1] text\n", "dmesg"),
        (b"<6>[    1.234567] text\n", "dmesg"),
        (b"[Nov25 12:34] text\n[  +0.123456] text\n", "dmesg"),
        (b"\x1b[32m[    1.234567] \x1b[0mtext\n", "dmesg"),
        (b"[    1.234567] text\nnot a record\n", "kernel"),
        (b'{"dmesg":[{"time":1,"msg":""}]}', "dmesg-json"),
        (b"[    1.234567] host systemd[1]: text\n", "journal-text"),
        (b"Nov 25 12:34:56 host kernel: text\n", "journal-text"),
        (b"[    1.234567] usb 1-1: new device\n", "dmesg"),
    ],
)
def test_a_format_by_its_lines(tmp_path: Path, line: bytes, name: str) -> None:
    assert choose_importer(file(tmp_path, line * 9), "").name == name


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_a_text_of_windows_is_read(tmp_path: Path, encoding: str) -> None:
    text = (DATA / "import" / "tio-pc.log").read_bytes().decode()
    data = (b"\xfe\xff" if encoding == "utf-16-be" else b"") + text.encode(encoding)
    log = file(tmp_path, data)
    (boot,) = choose_importer(log, "").read(log, ImportOptions()).boots
    assert boot.mark("usable") is not None


FOREIGN = """
from perfboard.importers.base import FileContent, Importer
from perfboard.model.run import Metric

METRIC = Metric(name="lamp.time", unit="s", samples=(0.5,))
IMPORTER = Importer(
    "lamp",
    "a lamp's log: LAMP",
    lambda head: 1.0 if head.startswith(b"LAMP") else 0.0,
    lambda file, options: FileContent(metrics=(METRIC,)),
)
"""


def test_a_package_brings_an_importer(homes: Path) -> None:
    packages = homes / "packages"
    (packages / "lamp-1.dist-info").mkdir(parents=True)
    (packages / "lamp.py").write_text(FOREIGN)
    (packages / "lamp-1.dist-info" / "METADATA").write_text("Name: lamp\nVersion: 1\n")
    (packages / "lamp-1.dist-info" / "entry_points.txt").write_text(
        "[perfboard.importers]\nlamp = lamp:IMPORTER\n"
    )
    (homes / "x.lamp").write_text("LAMP\n")
    path = os.pathsep.join([str(packages), os.environ["PYTHONPATH"]])
    done = subprocess.run(
        [sys.executable, "-m", "perfboard.cli.main", "import", "x.lamp", "--json"],
        cwd=homes,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)
    assert [metric["name"] for metric in run["metrics"]] == ["lamp.time"]
    assert (find_run(run["id"]) / "artifacts" / "x.lamp").read_text() == "LAMP\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[ ID] Interval           Transfer     Bandwidth\n", "iperf: store its JSON: iperf3 -J"),
        ("  read: IOPS=2000, BW=8000KiB/s\n", "fio --output-format=json"),
        ("  Time (mean ± x):      11.6 s ±  1.6 s\n", "hyperfine --export-json"),
        ("6243.87,msec,task-clock,6243870000,100.00,1.000,CPUs utilized\n", "CSV of perf stat"),
        (
            "Version  1.98       ------Sequential Output------\n",
            r"table of bonnie\+\+: store its CSV",
        ),
        ("__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1\n", "journalctl -b -o json"),
        ("Tue 2021-04-23 15:48:10.123456 UTC [s=12;i=3;b=4]\n", "journalctl -b -o json"),
        ("T: 0 (  211) P:80 I:1000 C: 100 Min: 5 Act: 6\n", "cyclictest: it shows no boot"),
        ("16+0 records in\n16+0 records out\n", "dd: it shows no boot"),
        ("Time,Channel A\n(ms),(V)\n0.1,0.2\n", "analogue voltages"),
        ("Record Length,2500,Points\n", "analogue voltages"),
    ],
)
def test_a_text_of_another_program_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        choose_importer(file(tmp_path, text.encode()), "")
