# SPDX-License-Identifier: Apache-2.0
"""Console logs without stamps of a host: the kernel's own times are all that they have."""

import re
from collections.abc import Iterator, Sequence

from perfboard.analysis.boot.reading.kernel_log import is_first
from perfboard.analysis.boot.reading.records import RECORD
from perfboard.analysis.boot.reading.screen import readable
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.console import boots_in
from perfboard.importers.consoles.lines import SavedConsole, SavedLine, lines_of
from perfboard.importers.consoles.portions import record_of

_LEAST = 3
# Less than formats that have a form for each of their lines.
_SHARE = 0.7
# Seconds that no uptime has: an epoch's.
_LONGEST = 9
_LEVEL = re.compile(r"\A(?:\W|<[0-9]{1,3}>){0,8}")


def kernel_console(lines: Sequence[bytes], notes: tuple[str, ...] = ()) -> SavedConsole:
    """A log on the kernel's clock: a record has its own time, what stands before it has none."""
    return SavedConsole([*_saved(lines)], "kernel", notes=notes)


def _saved(lines: Sequence[bytes]) -> Iterator[SavedLine]:
    for line in lines:
        ns, begin = record_of(line) or (None, 0)
        # A program's text, such as a prompt, may have waited for the end of its line until then.
        if begin:
            yield SavedLine(None, line[:begin])
            line = line[begin:]
        yield SavedLine(ns, line)


def record_line(ns: int, message: bytes) -> SavedLine:
    """A record as the kernel prints it on a console."""
    return SavedLine(ns, b"[%5d.%06d] %s\n" % (*divmod(ns // 1000, 10**6), message))


def share(head: bytes) -> float:
    records = 0
    begins = False
    for line in head.splitlines():
        # Without the colours that a terminal was sent.
        text = readable(line[:120].decode("latin-1"))
        level = _LEVEL.match(text)
        record = RECORD.match(text, level.end() if level and "[" not in level[0] else 0)
        if record is not None and len(record[1]) <= _LONGEST:
            records += 1
            begins = begins or is_first(text[record.end() :])
    # A log that ends with the kernel's first words is a console's, too.
    return _SHARE if records >= _LEAST or begins else 0.0


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    return boots_in(file, kernel_console(lines_of(file)), options.usable)


IMPORTER = Importer(
    "kernel",
    "a console log with the kernel's times alone: [    0.000000] Linux version ...",
    share,
    _read,
)
