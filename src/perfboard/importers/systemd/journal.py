# SPDX-License-Identifier: Apache-2.0
"""The journal of one boot, as `journalctl -b -o json` writes it: a JSON object a line."""

from collections.abc import Iterator

from pydantic_core import from_json

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.console import SavedConsole, SavedLine, boots_in, lines_of
from perfboard.importers.consoles.kernel import record_line
from perfboard.model.errors import UsageError

# An uptime of thirty years, in microseconds.
_LONGEST_US = 10**15
_TIME = b'"__MONOTONIC_TIMESTAMP"'


def _line(entry: object) -> tuple[str, SavedLine] | None:
    """The boot that an entry is of, and its text at its time; None for one without either."""
    if not isinstance(entry, dict):
        return None
    time, message = entry.get("__MONOTONIC_TIMESTAMP"), entry.get("MESSAGE")
    if isinstance(message, list):
        # A message that is not UTF-8 is a list of its bytes.
        numbers = [part for part in message if isinstance(part, int) and 0 <= part < 256]
        message = bytes(numbers).decode("utf-8", "replace")
    if not isinstance(message, str) or not isinstance(time, str) or not time.isdecimal():
        return None
    if len(time) > 16 or int(time) > _LONGEST_US:
        return None
    who = entry.get("SYSLOG_IDENTIFIER")
    text = message.replace("\n", " ")
    # The reader knows programs' records by the form that the kernel gives them.
    if entry.get("_TRANSPORT") != "kernel":
        pid = entry.get("_PID", "0")
        text = f"{who if isinstance(who, str) else 'program'}[{pid}]: {text}"
    return str(entry.get("_BOOT_ID", "")), record_line(
        int(time) * 1000, text.encode("utf-8", "replace")
    )


def _entries(file: SavedFile) -> Iterator[tuple[str, SavedLine]]:
    for raw in lines_of(file):
        try:
            found = _line(from_json(raw, allow_inf_nan=False))
        except ValueError:
            continue
        if found is not None:
            yield found


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    entries = list(_entries(file))
    boots = {boot for boot, _ in entries}
    if len(boots) > 1:
        raise UsageError(
            f"{file.path}: has the journal of {len(boots)} boots; store one, as by "
            "journalctl -b -o json"
        )
    # Programs' entries may come a little later than the kernel's of the same time.
    lines = sorted((line for _, line in entries), key=lambda line: line.ns or 0)
    return boots_in(file, SavedConsole(lines, "kernel"), options.usable)


def _share(head: bytes) -> float:
    lines = [line for line in head.splitlines() if line.strip()]
    return sum(1 for line in lines if _TIME in line) / len(lines) if lines else 0.0


IMPORTER = Importer(
    "journal",
    'journalctl -b -o json: {"__MONOTONIC_TIMESTAMP": "...", "MESSAGE": ...}',
    _share,
    _read,
)
