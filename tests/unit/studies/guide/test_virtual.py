# SPDX-License-Identifier: Apache-2.0
"""A guide on a virtual board in memory: its maker's figures, and how it goes on."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

from perfboard.bench.request import Request
from perfboard.images.program.base import ProgramJob
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.results.published import PublishedResult
from perfboard.model.run import Run, Status
from perfboard.report.text import run_text
from perfboard.studies.guide.study import measure_guide
from perfboard.studies.measure import MeasureOptions
from perfboard.targets.virtual.program import ProgramResults
from tests.support.lab import RESULTS, FakeLab
from tests.support.runs import only
from tests.unit.measures.disk.test_disk import SEQUENTIAL

GUIDE = """
schema = "perfboard.profile/2"
profile = { name = "ours", device = "Our board", for = "us" }
area = [{ title = "Storage", quick = ["disk.sequential", "disk.files"] }]
"""


def measured(tmp_path: Path, ends: Callable[[ProgramJob, Event], ProgramResults]) -> Run:
    path = tmp_path / "ours.toml"
    path.write_text(GUIDE)
    fake = FakeLab(tmp_path)
    fake.ends = ends
    request = Request("virtual:bifferboard", {}, ("perfboard",))
    return measure_guide(str(path), "quick", {}, request, MeasureOptions(), fake.lab())


def written(job: ProgramJob, cancelled: Event) -> ProgramResults:
    return replace(RESULTS, stdout=SEQUENTIAL.encode())


def test_the_published_figures_have_a_column(tmp_path: Path) -> None:
    run = measured(tmp_path, written)
    assert run.status is Status.COMPLETE, run.errors
    assert 5524 * 1024 in {row.published for row in only(run, PublishedResult).rows}
    text = run_text(run)
    assert max(map(len, text.splitlines())) <= 80
    assert "5.657 MB/s" in text
    # The board printed nothing of files.
    reason = only(run, MeasuresResult).measurements[1].reason
    assert reason and f"disk.files: not measured: {reason}" in " ".join(text.split())


def test_an_interrupted_guide_goes_on_there_too(tmp_path: Path) -> None:
    ran = []

    def interrupted(job: ProgramJob, cancelled: Event) -> ProgramResults:
        ran.append(job)
        if len(ran) == 2:
            raise KeyboardInterrupt
        return written(job, cancelled)

    first = measured(tmp_path, interrupted)
    assert first.status is Status.ABORTED
    again = measured(tmp_path, interrupted)
    assert again.status is Status.COMPLETE and len(ran) == 3
    assert any(first.id in note for note in again.provenance.notes)
    assert [m.samples for m in again.metrics] == [m.samples for m in first.metrics]
