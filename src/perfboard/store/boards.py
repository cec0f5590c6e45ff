# SPDX-License-Identifier: Apache-2.0
"""Runs found by the name of their board: its latest complete run."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from perfboard.model.errors import UsageError
from perfboard.store.folder import find_run, finished_folders
from perfboard.store.index import RunRow, list_runs
from perfboard.store.reading import load_run


def find_named(text: str) -> Path:
    """The folder of the run that `text` means: see `find_run`, or a board's latest complete run.

    A run that `find_run` finds has precedence. Raises UsageError if there is none.
    """
    rows = _of_board(text)
    return rows[0].path if rows else find_run(text)


def find_pair(before: str, after: str, across_evidence: bool = False) -> tuple[Path, Path]:
    """The folders of two runs to compare, each as in `find_named`.

    A board's run is its latest one with a partner: of one study, and of one evidence unless
    `across_evidence`. Raises UsageError if there is none.
    """
    boards = [_of_board(text) for text in (before, after)]
    if not any(boards):
        return find_run(before), find_run(after)
    sides = [
        rows or [_row_of(find_run(text))]
        for text, rows in zip((before, after), boards, strict=True)
    ]
    pairs = [
        (one, other)
        for one in sides[0]
        for other in sides[1]
        if one.study == other.study
        and (across_evidence or one.evidence == other.evidence)
        and (one.path != other.path or before != after)
    ]
    if not pairs:
        has = "; ".join(
            f"{text} has {_kinds(rows)}" for text, rows in zip((before, after), sides, strict=True)
        )
        raise UsageError(
            f"{before} and {after} have no two complete runs of one study and one evidence: {has}; "
            "measure both boards by the same study"
        )
    # The pair whose older run is the newest; of those, the one whose newer run is.
    one, other = max(pairs, key=lambda pair: sorted(row.id for row in pair))
    return one.path, other.path


def _of_board(text: str) -> list[RunRow]:
    """The complete runs of the board of that name, the newest first; none if a run is meant."""
    if any(path.name.startswith(text) for path in finished_folders()):
        return []
    with suppress(UsageError):
        find_run(text)
        return []
    return [row for row in list_runs() if row.board == text and row.status == "complete"]


def _row_of(path: Path) -> RunRow:
    known = next((row for row in list_runs() if row.path == path), None)
    if known is not None:
        return known
    run = load_run(path)
    return RunRow(run.id, path, run.status, run.study, run.board.name, run.evidence)


def _kinds(rows: Sequence[RunRow]) -> str:
    return ", ".join(dict.fromkeys(f"{row.study} ({row.evidence})" for row in rows))
