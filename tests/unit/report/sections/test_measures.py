# SPDX-License-Identifier: Apache-2.0
"""What a report shows of a run's measurements: rows, their blocks, and what probes measured."""

from typing import Any

import pytest

from perfboard.model.blocks import Block, FilmBlock, Picture, SentenceBlock, TableBlock
from perfboard.model.results.measures import Figure, Measurement, MeasuresResult
from perfboard.model.results.profile import ProfileResult, ProfileRow
from perfboard.model.run import Metric, Run
from perfboard.report.html import render
from perfboard.report.sections import sections_of
from perfboard.report.text import run_text
from tests.support.html import Reader
from tests.support.probe_runs import measured_by, probe_processes
from tests.support.runs import make_run

PROBED = "ipc.switch"


def rate(title: str, value: float, **more: Any) -> Figure:
    return Figure(title=title, metric="disk.rate", unit="B/s", value=value, **more)


DISK = Measurement(
    measure="disk.sequential",
    title="The disk, in order",
    figures=(rate("read", 8e6, busy=0.25, published=2e6, source="A book"), rate("write", 4e6)),
    short="reads 8 MB/s",
    limit="the disk",
    why="The processor waits.",
)
MEMORY = Measurement(measure="memory.free", title="Free memory", short="9 MiB free")
FAILED = Measurement(measure="app.start", title="Starts", reason="it was killed.", failed=True)
PICTURE = Picture(moment="first", time_s=0.25, png="iVBORw0KGgo=")


def film(title: str) -> FilmBlock:
    return FilmBlock(title=title, pictures=(PICTURE,), hash="ab")


def run_of(*measurements: Measurement, processes: Any = (), **fields: Any) -> Run:
    result = MeasuresResult(measurements=measurements, processes=processes)
    results = (*fields.pop("results", ()), result)
    return make_run(**{"headline": None, "metrics": (), "results": results, **fields})


def profile() -> ProfileResult:
    row = ProfileRow(
        name="start",
        question="Does it start?",
        weight="must",
        metric="app.start.time",
        unit="s",
        budget=3,
        budget_text="<= 3 s",
        least=False,
        outcome="fail",
        reason="it was killed",
    )
    return ProfileResult(
        profile="box",
        device="A box",
        audience="us",
        currency="EUR",
        outcome="fail",
        rows=(row,),
    )


def probed_run(*measurements: Measurement) -> Run:
    """A run with rows, and with the probes of `probe_processes`."""
    of_probes = measured_by(probe_processes())
    place = [each.measure for each in of_probes.measurements].index(PROBED) + len(measurements)
    metrics = (
        Metric(name="disk.rate", unit="B/s", samples=(8e6,), measurement=0),
        Metric(name="probe.placed", unit="s", samples=(1e-6,), measurement=place),
        Metric(name="probe.processed", unit="s", samples=(2e-6,), processes=(0,)),
        Metric(name="of.the.run", unit="s", samples=(2e-6,)),
    )
    every = (*measurements, *of_probes.measurements)
    return run_of(*every, processes=of_probes.processes, metrics=metrics)


def test_a_row_has_its_figures_and_says_what_limits_it() -> None:
    run = run_of(DISK, MEMORY, FAILED)
    text = run_text(run)
    assert text.startswith(
        "verdex: disk: reads 8 MB/s, held back by the disk; app: not measured (it was\nkilled).\n"
    )
    assert "disk.sequential: The disk, in order: reads 8 MB/s. Limited by the disk." in text
    assert "read    8.000 MB/s     ████████████    25%   4.00 of 2.000 MB/s\n" in text
    assert "read, 4.00 of 2.000 MB/s: why is not known.\n" in text
    assert "memory.free: Free memory: 9 MiB free.\n" in text
    assert "app.start: Failed: it was killed.\n" in text
    assert "complete, 2 of 3 measures taken\n" in text
    page = Reader(render(run)).text
    for words in ("Where the published figures are from", "A book", "Failed: it was killed."):
        assert words in page


def test_a_bring_up_answers_by_its_disk_and_network_and_then_by_other_subjects() -> None:
    assert run_text(run_of(MEMORY)).startswith("verdex: memory: 9 MiB free.\n")
    page = MEMORY.model_copy(update={"measure": "page.load", "short": "loads in 1 s"})
    found = run_text(run_of(page, MEMORY, DISK))
    assert found.startswith("verdex: disk: reads 8 MB/s, held back by the disk; page: loads in 1 s")
    assert "<h2>Disk, network and memory</h2>" in render(run_of(DISK, MEMORY))
    assert "<h2>The measures</h2>" in render(run_of(DISK, page))


def test_levels_of_its_own_tell_two_rows_of_one_measure_apart() -> None:
    rows = (DISK, DISK.model_copy(update={"levels": {"memory": "64M"}}))
    text = run_text(run_of(*rows))
    assert "\ndisk.sequential: " in text and "\ndisk.sequential, memory=64M: " in text


def test_rows_stand_before_what_probes_measured() -> None:
    text = run_text(probed_run(DISK))
    assert "probe.placed" in text and "probe.processed" in text
    # The row has the one; of the other nothing is known.
    assert "\ndisk.rate" not in text and "of.the.run" not in text
    assert text.index("of the largest") < text.index("probe.placed")
    assert "2 metrics from 2 samples of 11 processes; 1 probe refused" in " ".join(text.split())
    assert "1 of 1 measures taken, 11 processes" in text
    page = Reader(render(probed_run(DISK))).text
    assert page.index("Disk, network and memory") < page.index("How it was measured")


def test_of_probes_alone_every_metric_is_shown() -> None:
    run = probed_run()
    text = run_text(run)
    assert "of.the.run" in text and "disk.rate" in text
    assert "measures taken" not in text and "of the largest" not in text
    assert "Disk, network" not in render(run)


def test_a_probe_that_has_a_figure_has_a_row_and_its_metrics_too() -> None:
    own = Measurement(measure=PROBED, title="Switches", short="1 us", figures=DISK.figures)
    processes = tuple(each for each in probe_processes() if each.probe == PROBED)
    metrics = (Metric(name="probe.placed", unit="s", samples=(1e-6,), measurement=0),)
    text = run_text(run_of(own, processes=processes, metrics=metrics))
    assert "ipc.switch: Switches: 1 us." in text and "probe.placed" in text


def test_a_profile_has_the_reasons_and_the_lead() -> None:
    run = run_of(MEMORY, FAILED, results=(profile(),))
    text = run_text(run)
    assert text.startswith("FAIL: verdex is not right for this device")
    assert ": memory: 9 MiB free" not in text and "memory.free: Free memory: 9 MiB free." in text
    assert "app.start" not in text and text.count("it was killed") == 1
    found = {type(result): section.lead(run, result) for section, result in sections_of(run)}
    assert found[MeasuresResult] == ""
    page = Reader(render(run)).text
    assert page.index("Does it start?") < page.index("9 MiB free")


def test_tasks_of_a_profile_without_words_have_no_row() -> None:
    tasks = (Measurement(measure="page.load", host_s=3), Measurement(measure="app.start"))
    run = run_of(*tasks, results=(profile(),), metrics=(Metric(name="a", unit="s", samples=(1,)),))
    assert "status    complete, box: fail\n" in run_text(run)
    assert "The measures" not in render(run) and "How it was measured" not in render(run)


def test_films_stand_below_one_heading_after_the_rows() -> None:
    films = (
        Measurement(measure="page.load", blocks=(film("page.load: old"), film("page.load: new"))),
        Measurement(measure="app.start", blocks=(film("app.start: cold"),)),
    )
    run = run_of(*films, results=(profile(),))
    page = Reader(render(run))
    assert page.text.count("What the display showed") == 1
    titles = ["page.load: old", "page.load: new", "app.start: cold"]
    assert [page.text.index(title) for title in titles] == sorted(map(page.text.index, titles))
    assert ("src", "data:image/png;base64,iVBORw0KGgo=") in page.attributes
    assert "page.load" not in run_text(run)


@pytest.mark.parametrize("many", [False, True])
def test_hostile_text_stays_text(many: bool) -> None:
    bad = "</table><script>a()</script>[red]\x1b[2J\u202e"
    blocks: tuple[Block, ...] = (
        SentenceBlock(text=bad),
        TableBlock(title=bad, caption=bad, columns=(bad,), rows=((bad, bad), ()), words=-3),
        FilmBlock(title=bad, pictures=(PICTURE.model_copy(update={"png": bad}),), hash=bad),
    )
    own = Figure(title=bad, metric=bad, unit=bad, value=-1e100, published=1e-9, source=bad)
    row = Measurement(
        measure=bad,
        title=bad,
        levels={bad: bad},
        figures=(own, own) if many else (),
        short=bad,
        limit=bad,
        why=bad,
        blocks=blocks,
    )
    reason = Measurement(measure=bad, reason=bad)
    run = run_of(row, reason)
    page = render(run)
    Reader(page)
    assert "<script" not in page and "\x1b" not in page and "\u202e" not in page
    text = run_text(run)
    assert "\x1b" not in text and "\u202e" not in text and "[red]" in text


def test_boots_among_measures_have_their_measures_title_as_heading() -> None:
    boot = Measurement(measure="boot", title="Boot time, phase by phase", short="1.543 s")
    base = make_run()
    run = run_of(boot, DISK, metrics=base.metrics, results=base.results)
    text = run_text(run)
    heading = text.index("\nBoot time, phase by phase:\n")
    assert text.index("disk.sequential: ") < heading < text.index("kernel", heading)
    assert render(run).count("<h2>Boot time, phase by phase</h2>") == 1
    assert "phase by phase" not in run_text(base) + render(base)
