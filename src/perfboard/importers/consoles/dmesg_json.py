# SPDX-License-Identifier: Apache-2.0
"""The kernel's log as `dmesg -J` prints it."""

import math
import re

from pydantic_core import from_json

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.console import boots_in
from perfboard.importers.consoles.kernel import record_line
from perfboard.importers.consoles.lines import MOST_LINES, SavedConsole, SavedLine
from perfboard.model.errors import UsageError

_BEGIN = re.compile(rb"\s{0,99}\{\s{0,99}\"dmesg\"\s{0,99}:\s{0,99}\[")
_LONGEST_S = 1e9
# dmesg -J -F of util-linux 2.38 has all later records in each message.
_NEXT = re.compile(rb"<[0-9]{1,3}>\[")


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    try:
        found = from_json(file.text.decode("utf-8", "replace"), allow_inf_nan=False)
        records = found["dmesg"]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{file.path} is not whole as JSON of dmesg -J: {error}; store it again"
        ) from error
    if not isinstance(records, list) or len(records) > MOST_LINES:
        raise UsageError(f"{file.path}: dmesg: needs a list of at most {MOST_LINES:,} records")
    lines: list[SavedLine] = []
    for record in records:
        time = record.get("time") if isinstance(record, dict) else None
        message = record.get("msg") if isinstance(record, dict) else None
        if not isinstance(time, (int, float)) or not isinstance(message, str):
            continue
        if math.isfinite(time) and 0 <= time < _LONGEST_S:
            # A message of several lines is a record and lines that go on.
            first, *others = message.encode("utf-8", "replace").split(b"\n")
            lines.append(record_line(round(time * 1e6) * 1000, first))
            lines += [SavedLine(None, other + b"\n") for other in others if not _NEXT.match(other)]
    return boots_in(file, SavedConsole(lines, "kernel"), options.usable)


IMPORTER = Importer(
    "dmesg-json",
    'dmesg -J: {"dmesg": [{"pri": 5, "time": 0.000000, "msg": ...',
    lambda head: 1.0 if _BEGIN.match(head) else 0.0,
    _read,
)
