# SPDX-License-Identifier: Apache-2.0
"""The page of two runs compared: the answer, their waterfalls on one scale of time, the rest."""

from collections.abc import Iterator, Sequence

from perfboard.analysis.compare.comparison import Comparison
from perfboard.model.results.boot import BootResult
from perfboard.model.run import Run
from perfboard.report.charts.lanes import Lane, lanes
from perfboard.report.charts.series import series_of
from perfboard.report.charts.waterfall import NARROW, WIDE, WaterfallDrawing, draw
from perfboard.report.comparison import change_cells, change_tables, probed_cells, probed_groups
from perfboard.report.comparison import side_title as title_of
from perfboard.report.guide.compared import area_tables
from perfboard.report.html import environment


def render_comparison(comparison: Comparison, runs: Sequence[Run]) -> str:
    """The text of the page: complete in itself, in UTF-8, the same for the same runs."""
    probed = [change for change in comparison.changes if change.probed]
    view = {
        "comparison": comparison,
        "titles": [run.board.title for run in runs],
        "differences": [
            (each.what, each.before or "absent", each.after or "absent")
            for each in comparison.differences
        ],
        "waterfalls": list(_waterfalls(runs)),
        "tables": [
            (heading, [change_cells(change) for change in changes])
            for heading, changes in change_tables(comparison)
            if not comparison.areas
        ],
        "groups": [
            (title, [probed_cells(change) for change in changes])
            for title, changes in probed_groups(probed).items()
        ],
        "areas": area_tables(comparison.areas),
        "still": sum(not change.shown for change in probed),
        "probed": 0 if comparison.areas else len(probed),
    }
    return environment().get_template("comparison.html.j2").render(view)


def _waterfalls(runs: Sequence[Run]) -> Iterator[tuple[str, list[tuple[str, WaterfallDrawing]]]]:
    shown = [
        (title_of(run), _phases(lanes(series_of(result.boots).boot)))
        for run in runs
        for result in run.results_of(BootResult)
    ]
    shown = [(title, drawn) for title, drawn in shown if drawn]
    longest = max((end - start for start, end in (_ends(drawn) for _, drawn in shown)), default=0)
    for title, drawn in shown:
        until = _ends(drawn)[0] + longest
        layouts = (("wide", WIDE), ("narrow", NARROW))
        yield title, [(name, draw(drawn, layout, until)) for name, layout in layouts]


def _phases(drawn: tuple[Lane, ...]) -> tuple[Lane, ...]:
    """The lanes without what is inside of phases, so that both boots fit on one screen."""
    kept = [
        Lane(lane.title, tuple(row for row in lane.rows if row.bars[0].kind == "phase"))
        for lane in drawn
    ]
    return tuple(lane for lane in kept if lane.rows)


def _ends(drawn: tuple[Lane, ...]) -> tuple[int, int]:
    bars = [bar for lane in drawn for row in lane.rows for bar in row.bars]
    return min(bar.start_ns for bar in bars), max(bar.end_ns for bar in bars)
