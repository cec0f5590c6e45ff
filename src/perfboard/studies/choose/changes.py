# SPDX-License-Identifier: Apache-2.0
"""The changes of a device that its profile offers, each measured on the board as it is then."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from perfboard.bench.base import Bench
from perfboard.bench.opening import open_bench, virtual_board
from perfboard.measures.loop import Findings, measure_items, prepare
from perfboard.model.profile import DeviceChange
from perfboard.model.results.profile import OptionRow, ProfileResult
from perfboard.model.target import virtual_target
from perfboard.studies.choose.items import items_of, items_of_options, with_parameters
from perfboard.studies.choose.kept import earlier_runs, host_times
from perfboard.studies.choose.verdicts import BoardQuestion, conclude_on


def try_option(
    change: DeviceChange,
    asked: BoardQuestion,
    bench: Bench,
    findings: Findings,
    before: ProfileResult,
    artifacts: Path,
) -> OptionRow:
    """The profile with that change, measured on the board as it is then."""
    request, lab = asked.request, asked.lab
    empty = OptionRow(
        name=change.name, title=change.title, cost=change.cost, outcome="not measured"
    )
    if not change.parameters and virtual_board(request.target) is None:
        reason = "this target is as it is; a virtual board can be changed"
        return empty.model_copy(update={"reason": reason})
    if change.board and len(request.others) > 1:
        reason = "another board is no change of this one, and several are compared"
        return empty.model_copy(update={"reason": reason})
    if change.parameters:
        asked = replace(asked, profile=with_parameters(asked.profile, change))
    items = items_of(asked.profile, asked.path, asked.options.only)
    found = Findings()
    with ExitStack() as stack:
        if change.parameters:
            # On the same board, what the change leaves as it was is measured already.
            found.found |= findings.found
        else:
            target = virtual_target(change.board) if change.board else request.target
            factors = {} if change.board else {**request.factors, **change.factors}
            request = replace(request, target=target, factors=factors)
            bench = stack.enter_context(open_bench(request, asked.options, lab, artifacts))
            changed = items_of_options(asked.profile, asked.path, asked.options.only)
            prepare(bench, (*items, *changed))
            if change.board:
                board = bench.subject().board.name
                earlier = earlier_runs(asked.profile.profile.name, board)
                asked = replace(asked, times=host_times(earlier))
        measure_items(items, bench, found, lab, asked.times, f"{change.name}-")
        after = conclude_on(asked, found, bench)
    failed = {row.name for row in before.rows if row.outcome == "fail"}
    turns = [row.name for row in after.rows if row.outcome == "pass" and row.name in failed]
    values = {row.name: row.value for row in before.rows}
    rows = tuple(row for row in after.rows if row.value != values[row.name])
    update = {"outcome": after.outcome, "turns": tuple(turns), "rows": rows}
    return empty.model_copy(update=update)
