# SPDX-License-Identifier: Apache-2.0
"""The SQLite index over the run folders. It only saves time: it can always be rebuilt."""

import json
import os
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from perfboard.host.cache.cache import own_root
from perfboard.host.cache.lock import Lock
from perfboard.host.files.shared import make_folder
from perfboard.model.errors import EnvironmentLacksError
from perfboard.store import folder
from perfboard.store.order import number_of
from perfboard.store.row import RunRow

_VERSION = 5
_COLUMNS = "mtime_ns, size, study, board, status, evidence, started, headline, unit, median, "
_COLUMNS += "least, most, tags"
_CREATE = f"CREATE TABLE IF NOT EXISTS runs (path PRIMARY KEY, {_COLUMNS})"
_SELECT = f"SELECT path, {_COLUMNS} FROM runs"  # noqa: S608
_REPLACE = "REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
# An id begins with its time to the second, as in 20261125-213022.
_SECOND = 15
# By so much the clocks of machines that share a store may differ.
_SKEW_S = 60.0
# The time for another process to bring the index up to date: then the folders are read.
PATIENCE_S = 10.0
# The time and size of run.json, by which a changed one is noticed.
_Stamp = tuple[int, int]
_Known = dict[Path, tuple[_Stamp, RunRow]]


def list_runs() -> list[RunRow]:
    """All runs in the user's folder, the newest first."""
    try:
        # Other versions have indexes of their own next to it, and other users too.
        index = own_root() / f"index-{_VERSION}.sqlite"
        make_folder(index.parent)
        # One process at a time, so that none deletes what another is writing.
        with Lock(index.with_suffix(".lock")).if_free(PATIENCE_S) as free:
            if not free:
                raise TimeoutError
            try:
                rows = _refresh(index)
            except sqlite3.DatabaseError:
                index.unlink(missing_ok=True)
                index.with_name(index.name + "-journal").unlink(missing_ok=True)
                rows = _refresh(index)
    except (OSError, sqlite3.Error, EnvironmentLacksError):
        rows = [row for _, row in _read_folders({}).values()]
    rows += [_unfinished(path) for path in folder.unfinished_folders()]
    return sorted(map(_checked, rows), key=age, reverse=True)


def age(row: RunRow) -> tuple[int, str, float, str]:
    """The order of runs: by their numbers; older ones, without, by time, before those.

    An id has the second, and a record all of the instant.
    """
    return row.number, row.id[:_SECOND], row.started.timestamp() if row.started else 0.0, row.id


def _checked(row: RunRow) -> RunRow:
    """The row, with a word on a start that is still to come."""
    if row.started is None or row.started.timestamp() <= time.time() + _SKEW_S:
        return row
    reason = (
        f"its record says that it began on {row.started:%Y-%m-%d %H:%M %Z}".rstrip()
        + ", which is still to come: a clock was wrong then, or is now"
    )
    return replace(row, reason=reason)


def _refresh(index: Path) -> list[RunRow]:
    with closing(sqlite3.connect(index, timeout=10)) as connection, connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, _VERSION):
            raise sqlite3.DatabaseError("made by another version")
        connection.execute(_CREATE)
        connection.execute(f"PRAGMA user_version = {_VERSION}")
        known: _Known = {}
        for path, mtime, size, *values in connection.execute(_SELECT):
            place = Path(os.fsdecode(path))
            known[place] = ((mtime, size), _row(place, *values))
        found = _read_folders(known)
        for path in known.keys() - found.keys():
            connection.execute("DELETE FROM runs WHERE path = ?", (os.fsencode(path),))
        for path, (stamp, row) in found.items():
            # A broken run may be mended without a change of run.json: it is read anew.
            if row.status != "broken" and known.get(path) != (stamp, row):
                started = row.started.isoformat() if row.started else None
                names = (row.study, row.board, row.status, row.evidence)
                between = row.between or (None, None)
                headline = (row.headline, row.unit, row.median, *between)
                tags = json.dumps(dict(row.tags))
                values = (os.fsencode(path), *stamp, *names, started, *headline, tags)
                connection.execute(_REPLACE, values)
    return [row for _, row in found.values()]


def _row(
    path: Path,
    study: str,
    board: str,
    status: str,
    evidence: str,
    started: str,
    headline: str,
    unit: str,
    median: float | None,
    least: float | None,
    most: float | None,
    tags: str,
) -> RunRow:
    try:
        when, named = datetime.fromisoformat(started), dict(json.loads(tags))
    except (TypeError, ValueError) as error:
        raise sqlite3.DatabaseError(f"a run started at {started!r}, tags {tags!r}") from error
    between = None if least is None else (least, most)
    values = (status, study, board, evidence, when, headline, unit, median, between)
    return RunRow(path.name, path, *values, tags=named, number=number_of(path))


def _read_folders(known: _Known) -> _Known:
    """A row for each run folder, taken from `known` where run.json is unchanged."""
    found: _Known = {}
    for path in folder.finished_folders():
        try:
            status = (path / folder.RUN_FILE).stat()
            stamp = (status.st_mtime_ns, status.st_size)
        except OSError:
            stamp = (0, 0)
        if path in known and known[path][0] == stamp:
            found[path] = known[path]
        else:
            # Importing the reader of records takes longer than printing a list of known ones.
            from perfboard.store.read_row import read_row

            found[path] = (stamp, read_row(path))
    return found


def _unfinished(path: Path) -> RunRow:
    id, number = folder.unfinished_id(path), number_of(path)
    if folder.is_under_way(path):
        return RunRow(id, path, "running", reason="under way in another process", number=number)
    return RunRow(
        id,
        path,
        "unfinished",
        reason=f"it ended before its record was written; what it had is kept in {path}; "
        "`perfboard runs prune` removes it",
        number=number,
    )
