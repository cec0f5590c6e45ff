# SPDX-License-Identifier: Apache-2.0
"""Suites by threads: what each program printed is read, by the number of its threads."""

import subprocess
from pathlib import Path

import pytest

from perfboard.measures.base import EXACT
from perfboard.measures.catalogue import get_measure
from perfboard.measures.content import is_of
from perfboard.measures.reading import example_text
from perfboard.measures.suites.base import QUOTE
from perfboard.model.published import PublishedProgram, PublishedValue
from perfboard.model.run import Metric
from tests.support.measures import setting_of

# As 7-Zip 16.02, OpenSSL 3.0 and sysbench 1.0.20 print them.
SEVEN = """
Dict     Speed Usage    R/U Rating  |      Speed Usage    R/U Rating
         KiB/s     %   MIPS   MIPS  |      KiB/s     %   MIPS   MIPS

22:       4188   100   4076   4074  |      40153   100   3430   3428
----------------------------------  | ------------------------------
Avr:             100   4076   4074  |              100   3430   3428
"""
SPEED = """
Forked child 0
+F:16:aes-256-cbc:123.00
Got: +F:16:aes-256-cbc:123.00 from 0
type           16384 bytes
AES-256-CBC     837678.42k
"""


def printed(name: str, threads: int, text: str) -> str:
    lines = "".join(f"{QUOTE}{line}\n" for line in text.splitlines())
    return f"{example_text(name, str(threads))}{lines}\n"


def test_each_number_of_threads_has_its_figures() -> None:
    measure = get_measure("program.7zip")
    output = printed("7zip", 1, SEVEN) * 2 + printed("7zip", 4, SEVEN.replace("4188", "9000"))
    found = measure.read(output, setting_of(measure, {}, EXACT))
    figures = {(each.name, each.labels.get("threads")): each.samples for each in found.metrics}
    assert figures == {
        ("program.7zip.compress", None): (4188 * 1024.0,) * 2,
        ("program.7zip.decompress", None): (40153 * 1024.0,) * 2,
        ("program.7zip.compress", "4"): (9000 * 1024.0,),
        ("program.7zip.decompress", "4"): (40153 * 1024.0,),
    }


def test_a_cipher_is_read_from_its_last_line() -> None:
    measure = get_measure("program.openssl")
    found = measure.read(printed("aes-256-cbc.16384", 2, SPEED), setting_of(measure, {}, EXACT))
    (metric,) = found.metrics
    assert (metric.name, metric.labels) == ("program.openssl.aes-256-cbc.16384", {"threads": "2"})
    assert metric.samples == (837678420.0,)


@pytest.mark.parametrize(("most", "asked"), [(0, ["1", "2", "3"]), (1, ["1"]), (2, ["1", "2"])])
def test_the_script_runs_one_two_and_all_threads(
    tmp_path: Path, most: int, asked: list[str]
) -> None:
    measure = get_measure("program.sysbench")
    job = measure.job(setting_of(measure, {"most": most}, EXACT))
    assert job is not None
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nprocessor\t: 1\nprocessor\t: 2\n")
    (tmp_path / "sysbench").write_text("#!/bin/sh\necho events per second: ${2#*=}.5\n")
    (tmp_path / "probe").write_text('#!/bin/sh\nprintf "%s|" "$@"; echo\n')
    for name in ("sysbench", "probe"):
        (tmp_path / name).chmod(0o755)
    script = job.script.replace("/proc/cpuinfo", "./cpuinfo")
    path = f"{tmp_path}:/usr/bin:/bin"
    done = subprocess.run(
        ["/bin/sh", "-c", script],
        cwd=tmp_path,
        env={"PATH": path, "PROBE": "./probe"},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line for line in done.stdout.splitlines() if line]
    assert lines[0::2] == [f"say|said|name=cpu|text={count}|" for count in asked]
    assert lines[1::2] == [f"{QUOTE}events per second: {count}.5" for count in asked]


def test_a_published_figure_names_its_threads() -> None:
    def published(name: str) -> PublishedValue:
        return PublishedValue(
            metric=name,
            value=1.0,
            unit="B/s",
            use="held-out",
            source="someone who measured it",
            kind="measured",
            program=PublishedProgram(
                command=("7z",),
                figure={"line": "22:", "word": 2},  # type: ignore[arg-type]
            ),
        )

    one, four = published("program.7zip.compress"), published("program.7zip.compress.4-threads")
    for threads, expected in (("1", one), ("4", four)):
        labels = {"threads": threads} if threads != "1" else {}
        metric = Metric(
            name="program.7zip.compress", unit="B/s", labels=labels, samples=(1.0,), better="higher"
        )
        assert [each for each in (one, four) if is_of(each, metric)] == [expected]
