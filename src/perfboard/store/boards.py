# SPDX-License-Identifier: Apache-2.0
"""Runs found by the words for them: the latest, those of a board, those with a tag.

"latest", "latest:BOARD", a board's name and "TAG:VALUE" mean the newest such run; "~N" after any
of these means the one that is N places older.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from perfboard.model.errors import UsageError
from perfboard.store.folder import find_run, finished_folders
from perfboard.store.index import age, list_runs
from perfboard.store.reading import load_run
from perfboard.store.row import RunRow

_BACK = re.compile(r"(?s)(.+)~([0-9]{1,6})")
_LATEST = "latest"


def find_named(text: str) -> Path:
    """The folder of the run that `text` means: see `find_run`, and the words above.

    A run that `find_run` finds has precedence. Raises UsageError if there is none.
    """
    rows = find_rows(text)
    return rows[0].path if rows else find_run(text)


def find_rows(text: str) -> list[RunRow]:
    """The runs that the words above may mean, the newest first; none if `find_run` finds the run.

    They are complete, but for those of "latest~N", which counts all runs. Raises UsageError if
    there are too few for "~N", or none of a board or tag.
    """
    if _is_run(text):
        return []
    back = _BACK.fullmatch(text)
    if back is None:
        return _named(text)
    name, number = back[1], int(back[2])
    if name == _LATEST:
        finished = set(finished_folders())
        rows = [row for row in list_runs() if row.path in finished]
    else:
        rows = _named(name)
    if number >= len(rows):
        raise UsageError(
            f'"{text}" is no run: there are {len(rows)} of "{name}"; `perfboard runs` lists them'
        )
    return rows[number : number + 1]


def find_pair(before: str, after: str, across_evidence: bool = False) -> tuple[Path, Path]:
    """The folders of two runs to compare, each as in `find_named`.

    The run of a board or a tag is its latest one with a partner: of one study, and of one evidence
    unless `across_evidence`. Raises UsageError if there is none.
    """
    named = [find_rows(text) for text in (before, after)]
    if not any(named):
        return find_run(before), find_run(after)
    sides = [
        rows or [_row_of(find_run(text))] for text, rows in zip((before, after), named, strict=True)
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
    one, other = max(pairs, key=lambda pair: sorted(map(age, pair)))
    return one.path, other.path


def _is_run(text: str) -> bool:
    if any(path.name.startswith(text) for path in finished_folders()):
        return True
    with suppress(UsageError):
        find_run(text)
        return True
    return False


def _named(text: str) -> list[RunRow]:
    rows = list_runs()
    kind, colon, value = text.partition(":")
    if not colon:
        meant = [row for row in rows if row.board == text]
    elif kind == _LATEST:
        meant = [row for row in rows if row.board == value]
    else:
        meant = [row for row in rows if row.tags.get(kind) == value]
    found = [row for row in meant if row.status == "complete"]
    if colon and not found and rows and "/" not in kind:
        if meant:
            newest = meant[0]
            raise UsageError(
                f'"{text}": its run {newest.id} is {newest.status}; `perfboard show {newest.id}` '
                "says why"
            )
        what = f'of board "{value}"' if kind == _LATEST else f"with the tag {kind}={value}"
        raise UsageError(f'"{text}": there is no complete run {what}; `perfboard runs` lists them')
    return found


def _row_of(path: Path) -> RunRow:
    known = next((row for row in list_runs() if row.path == path), None)
    if known is not None:
        return known
    run = load_run(path)
    return RunRow(run.id, path, run.status, run.study, run.board.name, run.evidence)


def _kinds(rows: Sequence[RunRow]) -> str:
    return ", ".join(dict.fromkeys(f"{row.study} ({row.evidence})" for row in rows))
