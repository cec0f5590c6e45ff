# SPDX-License-Identifier: Apache-2.0
"""The journal of one boot, as `journalctl -b -o json` writes it: a JSON object a line."""

from collections.abc import Iterator

from pydantic_core import from_json

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.console import boots_in
from perfboard.importers.consoles.lines import lines_of
from perfboard.importers.systemd.entries import (
    JournalEntry,
    begins_with_kernel,
    journal_console,
    programs_boot,
)
from perfboard.model.errors import UsageError

# An uptime of thirty years, in microseconds.
_LONGEST_US = 10**15
_TIME = b'"__MONOTONIC_TIMESTAMP"'


def _entry(entry: object) -> tuple[str, JournalEntry, bool] | None:
    """The boot that an entry is of, the entry, and whether a kernel's has the kernel's own time.

    None for one without time or text.
    """
    if not isinstance(entry, dict):
        return None
    is_kernel = entry.get("_TRANSPORT") == "kernel"
    # The journal's own time is when it received the entry.
    own = _us(entry.get("_SOURCE_MONOTONIC_TIMESTAMP")) if is_kernel else None
    time_us = _us(entry.get("__MONOTONIC_TIMESTAMP")) if own is None else own
    message = entry.get("MESSAGE")
    if isinstance(message, list):
        # A message that is not UTF-8 is a list of its bytes.
        numbers = [part for part in message if isinstance(part, int) and 0 <= part < 256]
        message = bytes(numbers).decode("utf-8", "replace")
    if not isinstance(message, str) or time_us is None:
        return None
    who = entry.get("SYSLOG_IDENTIFIER")
    text = message.replace("\n", " ")
    # The reader knows programs' records by the form that the kernel gives them.
    if not is_kernel:
        pid = entry.get("_PID", "0")
        text = f"{who if isinstance(who, str) else 'program'}[{pid}]: {text}"
    found = JournalEntry(time_us * 1000, is_kernel, text.encode("utf-8", "replace"))
    return str(entry.get("_BOOT_ID", "")), found, own is not None


def _us(text: object) -> int | None:
    if not isinstance(text, str) or not text.isdecimal() or len(text) > 16:
        return None
    return int(text) if int(text) <= _LONGEST_US else None


def _entries(file: SavedFile) -> Iterator[tuple[str, JournalEntry, bool]]:
    for raw in lines_of(file):
        try:
            found = _entry(from_json(raw, allow_inf_nan=False))
        except ValueError:
            continue
        if found is not None:
            yield found


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    read = list(_entries(file))
    boots = {boot for boot, _, _ in read}
    if len(boots) > 1:
        raise UsageError(
            f"{file.path}: has the journal of {len(boots)} boots; store one, as by "
            "journalctl -b -o json"
        )
    entries = [entry for _, entry, _ in read]
    kernel = [own for _, entry, own in read if entry.is_kernel]
    if entries and not any(kernel) and not begins_with_kernel(entries):
        return programs_boot(file, entries, options)
    return boots_in(file, journal_console(entries), options.usable)


def _share(head: bytes) -> float:
    lines = [line for line in head.splitlines() if line.strip()]
    return sum(1 for line in lines if _TIME in line) / len(lines) if lines else 0.0


IMPORTER = Importer(
    "journal",
    'journalctl -b -o json: {"__MONOTONIC_TIMESTAMP": "...", "MESSAGE": ...}',
    _share,
    _read,
)
