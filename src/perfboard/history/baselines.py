# SPDX-License-Identifier: Apache-2.0
"""The stored runs that a run is judged by."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from perfboard.analysis.gate.judge import refusal
from perfboard.model.errors import UsageError
from perfboard.model.run import Evidence, Run
from perfboard.store.accepted import accepted_runs
from perfboard.store.boards import find_rows
from perfboard.store.folder import find_run
from perfboard.store.index import age, list_runs
from perfboard.store.reading import load_run
from perfboard.store.row import RunRow

_LAST = re.compile(r"last ([1-9][0-9]{0,3})")
_BRANCH = re.compile(r"(?:branch:)?([^~:\s]+)")
# The reason of a run that is stored as the baseline because there was none.
FIRST_RUN = "the first run"


@dataclass(frozen=True)
class Baseline:
    """The runs, the newest first, and in words why these; or why there is none.

    The `first` run of its kind is to be stored as the baseline of later ones.
    """

    runs: tuple[Run, ...]
    words: str
    first: bool = False


def accepted_baseline(run: Run) -> Baseline:
    """The last accepted run of the same study, board, evidence and factors; never the run itself.

    An import of unknown evidence is not stored as the first one: it may be of another board.
    """
    rows = {row.id: row for row in _rows_like(run)}
    for level in accepted_runs():
        row = rows.get(level.run)
        if row is None:
            continue
        if level.run == run.id:
            words = f"it is itself the baseline, accepted: {level.reason}"
            return Baseline((), words, first=level.reason == FIRST_RUN)
        found = load_run(row.path)
        if _alike(run, found):
            return Baseline((found,), f"accepted: {level.reason}")
    words = "no run like it was accepted yet"
    if run.evidence is Evidence.UNKNOWN:
        words += ", and one of unknown evidence becomes a baseline only by "
        words += f"`perfboard gate --accept REASON {run.id}`"
        return Baseline((), words)
    return Baseline((), words, first=True)


def find_baseline(run: Run, given: str) -> Baseline:
    """The baseline that the user means by a RUN, a branch, or "last N".

    From several runs it takes the newest that may be compared with `run`, with the same factors if
    there is one. Without any run of that branch or of its kind there is none. Raises UsageError for
    a run that is no baseline of this one.
    """
    if match := _LAST.fullmatch(given):
        loaded = (load_run(row.path) for row in _older(run))
        runs = tuple(islice((each for each in loaded if _alike(run, each)), int(match[1])))
        words = f"the last {len(runs)} runs like it" if len(runs) > 1 else "the last run like it"
        return Baseline(runs, words if runs else "there is no earlier run like it")
    rows = branch = _of_branch(given)
    if rows is None:
        rows = find_rows(given)
        if not rows:
            found = load_run(find_run(given))
            return Baseline((_checked(run, found),), "the run that you named")
    others = [row for row in rows if row.id != run.id]
    words = f"the newest of {given}"
    if rows and not others and not branch:
        raise _itself(run)
    same = [row for row in others if (row.study, row.board) == (run.study, run.board.name)]
    if not same:
        other = "other " if len(others) < len(rows) else ""
        return Baseline((), f"{given} has no {other}{run.study} of {run.board.name} yet")
    comparable = [each for row in same if not refusal(run, each := load_run(row.path))]
    if not comparable:
        _checked(run, load_run(same[0].path))
    best = next((each for each in comparable if each.factors == run.factors), comparable[0])
    return Baseline((best,), words)


def _of_branch(given: str) -> list[RunRow] | None:
    """The complete runs of a branch, which may have none yet; None if a run is meant."""
    match = _BRANCH.fullmatch(given)
    if match is None:
        return None
    rows = [row for row in list_runs() if row.status == "complete"]
    found = [row for row in rows if row.tags.get("branch") == match[1]]
    if found or given.startswith("branch:"):
        return found
    try:
        find_rows(given) or find_run(given)
    except UsageError:
        # A branch has none before its first run; but where no run has a branch, none is meant.
        return [] if any("branch" in row.tags for row in rows) else None
    return None


def _rows_like(run: Run) -> Iterator[RunRow]:
    """The complete runs of the same study, board and evidence, the newest first."""
    for row in list_runs():
        own = (run.study, run.board.name, run.evidence.value, "complete")
        if (row.study, row.board, row.evidence, row.status) == own:
            yield row


def _older(run: Run) -> Iterator[RunRow]:
    """The rows like it that began before it; by time, if it is of another store."""
    own = next((row for row in list_runs() if row.id == run.id), None)
    for row in _rows_like(run):
        if own is None:
            before = row.started is not None and row.started < run.started
        else:
            before = age(row) < age(own)
        if before:
            yield row


def _alike(run: Run, other: Run) -> bool:
    return other.factors == run.factors and not refusal(run, other)


def _itself(run: Run) -> UsageError:
    return UsageError(f"--baseline: {run.id} is the run that is judged; choose another run")


def _checked(run: Run, baseline: Run) -> Run:
    if baseline.id == run.id:
        raise _itself(run)
    if why := refusal(run, baseline):
        raise UsageError(
            f"--baseline: {baseline.id} is no baseline of {run.id}: {why}; choose another run, or "
            "measure it again"
        )
    return baseline
