# SPDX-License-Identifier: Apache-2.0
"""Logs of GNU screen with `logtstamp`, which stamps a console that was silent for long."""

import re

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.console import boots_in
from perfboard.importers.consoles.kernel import kernel_console
from perfboard.importers.consoles.lines import lines_of

# It stands after the last text before the silence.
_STAMP = re.compile(
    rb"-- [0-9]{1,4}:[^\r\n]{1,80} -- time-stamp -- "
    rb"\w{3}/[0-9]{2}/[0-9]{2} [ 0-9]{2}(?::[0-9]{2}){2} --"
)


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    lines = [
        _STAMP.sub(b"", line) if b"-- time-stamp --" in line else line for line in lines_of(file)
    ]
    notes = (
        "screen stamps a console only when it was silent for long: its stamps are left out, and "
        "the times are the kernel's.",
    )
    return boots_in(file, kernel_console(lines, notes), options.usable)


IMPORTER = Importer(
    "screen",
    "a log of screen with logtstamp: -- 0:console -- time-stamp -- Nov/25/26 12:34:56 --",
    lambda head: 1.0 if _STAMP.search(head) else 0.0,
    _read,
)
