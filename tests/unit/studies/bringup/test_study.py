# SPDX-License-Identifier: Apache-2.0
"""The bring-up on a board and a target in memory: what it records, however it ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from perfboard.bench.request import Request
from perfboard.images.program.base import ProgramJob
from perfboard.images.variant import Variant
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.run import Evidence, Run, Status
from perfboard.probes.exchange import ProbeAnswer
from perfboard.probes.records import ProbeEntry
from perfboard.report.html import render
from perfboard.report.text import run_text
from perfboard.studies.base import run_study
from perfboard.studies.bringup.study import STUDY, BringupOptions
from perfboard.targets.base import Reply, Target
from perfboard.targets.virtual.program import ProgramResults
from tests.support.lab import RESULTS, FakeLab
from tests.support.runs import make_boot
from tests.support.shells import SayingShell
from tests.unit.measures.disk.test_disk import SEQUENTIAL
from tests.unit.measures.memory.test_free import FREE
from tests.unit.measures.probe.test_copy import COPIES

ONLY = ("memory.copy", "memory.free")


class _Shell(SayingShell):
    """A board with 1 MiB."""

    def run(self, script: str, *, timeout_s: float = 20) -> Reply:
        said = {"uname": "Linux 6.1 x86_64", "grep": "MemTotal: 1024 kB", "df": ""}
        words = said.get(script.split()[0], FREE if "work.sh" in script else "TMPDIR=/tmp")
        return Reply(0, "x86_64" if script == "uname -m" else words)

    def push(self, data: bytes, path: str, progress: object) -> None:
        self.scripts.append(path)


class _Probe:
    """The probe's server on a board that copies as mbw's study does."""

    machine = arch = "i486"

    def probes(self) -> tuple[ProbeEntry, ...]:
        return (ProbeEntry.model_validate({"probe": "memory.copy", "summary": "", "weight": 1}),)

    def run(self, probe: str, arguments: object, limit_s: float) -> ProbeAnswer:
        return ProbeAnswer(tuple(COPIES.splitlines()), "exit 0")


@contextmanager
def probe(target: Target, progress: object) -> Iterator[_Probe]:
    yield _Probe()


@contextmanager
def open_board(text: str, *_: object) -> Iterator[Target]:
    yield Target(text, Evidence.TIMED, SayingShell())


def ends(job: ProgramJob, cancelled: Event) -> ProgramResults:
    return replace(RESULTS, exit_code=3, stderr=b"no /proc")


def run(fake: FakeLab, target: str = "virtual:bifferboard", **options: Any) -> Run:
    request = Request(target, {}, ("perfboard",))
    given = BringupOptions(**{"only": ONLY, **options})
    return run_study(STUDY, request, given, fake.lab(open=open_board, probe=probe))


def test_each_row_has_figures_or_the_reason_for_none(tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    fake.ends = ends
    found = run(fake)
    assert found.status is Status.COMPLETE, found.errors
    assert found.evidence is Evidence.TIMED
    (result,) = found.results_of(MeasuresResult)
    copies, free = result.measurements
    # The published 25.6 MiB/s of the study stand next to it.
    assert copies.figures[0].published == 26_843_546
    assert "the bring-up study of 2010" in copies.figures[0].source
    assert free.reason == "its script ended with 3: no /proc" and not free.figures
    text = run_text(found)
    assert "26.84 MB/s" in text and "Not measured: its script ended" in text
    assert max(map(len, text.splitlines())) <= 80
    page = render(found)
    assert "26.84 MB/s" in page and "Not measured" in page


def test_study_bs_disk_stands_beside_its_board(tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    fake.ends = lambda job, cancelled: replace(RESULTS, stdout=SEQUENTIAL.encode())
    found = run(fake, only=("disk.sequential",))
    (row,) = found.results_of(MeasuresResult)[0].measurements
    text = " ".join(run_text(found).split())
    # The bring-up study's 5.657 MB/s; a row this near needs no cause, one that is further has one.
    assert "4.096 MB/s" in text and "0.72 of 5.657 MB/s: " in text
    known = {f.title: f.published for f in row.figures if f.published}
    assert known == {
        "write by 8 KiB, buffered": 5524 * 1024,
        "read by 8 KiB, buffered": 16576 * 1024,
    }


def test_a_distribution_is_booted_by_each_init_with_its_parts(tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    booted = []

    def takes(variant: Variant) -> Boot:
        booted.append(variant.levels["root"])
        return make_boot()

    fake.takes = takes
    found = run(fake, "virtual:rpi2", only=("boot.distribution",))
    assert found.status is Status.COMPLETE, found.errors
    assert booted == ["debian", "debian-sysvinit"]
    (row,) = found.results_of(MeasuresResult)[0].measurements
    values = {figure.title: figure.value for figure in row.figures}
    for init in ("systemd", "sysvinit"):
        parts = [value for title, value in values.items() if title.startswith(f"{init}: ")]
        assert len(parts) > 2 and sum(parts) == pytest.approx(values[f"{init}, in all"])
    text = run_text(found)
    assert "Boot of Debian 12 to its prompt: systemd " in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("board", "said"),
    [
        ("bifferboard", "Debian 12 needs a 686, and the part of board bifferboard is less"),
        ("verdex", "lies on a disk, which board verdex does not have"),
    ],
)
def test_a_board_that_debian_does_not_run_on_says_why(
    tmp_path: Path, board: str, said: str
) -> None:
    found = run(FakeLab(tmp_path), f"virtual:{board}", only=("boot.distribution",))
    (row,) = found.results_of(MeasuresResult)[0].measurements
    assert said in row.reason and f"Not measured: {said[:20]}" in " ".join(run_text(found).split())


def test_an_interrupted_run_keeps_what_it_has(tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)

    def interrupted(job: ProgramJob, cancelled: Event) -> ProgramResults:
        raise KeyboardInterrupt

    fake.ends = interrupted
    found = run(fake)
    assert found.status is Status.ABORTED
    copies, free = found.results_of(MeasuresResult)[0].measurements
    assert copies.figures and "ended before" in free.reason


def test_an_unknown_row_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r'no row "memory\.fre"; did you mean "memory\.free"'):
        run(FakeLab(tmp_path), only=("memory.fre",))


def test_a_live_target_is_measured_by_its_shell(tmp_path: Path) -> None:
    shell = _Shell()

    @contextmanager
    def open_it(*_: object) -> Iterator[Target]:
        yield Target("local", Evidence.HOST, shell, probe="x86_64")

    request = Request("local", {}, ("perfboard",))
    lab = FakeLab(tmp_path).lab(open=open_it)
    found = run_study(STUDY, request, BringupOptions(only=("memory.free",)), lab)
    (row,) = found.results_of(MeasuresResult)[0].measurements
    assert row.limit == "its RAM, 1 MiB" and row.short == "24.32 MiB free"
