# SPDX-License-Identifier: Apache-2.0
"""The text of `perf script`, of tracepoints."""

import re

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.lines import lines_of
from perfboard.importers.traces.marks import event_share, trace_in

_OWN = re.compile(
    rb"^.{1,40}?\s\d{1,7}(?:/\d{1,7})?\s{1,8}\[\d{3,4}\]\s{1,8}\d{1,9}\.\d{6,9}:\s{1,12}"
    rb"(?:\d{1,12}\s{1,8})?[\w-]{1,60}:[\w-]{1,80}:"
)


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    return trace_in(file, lines_of(file), options)


IMPORTER = Importer(
    "perf-script",
    "perf script: init 1 [000] 1.234567: sched:sched_process_exec: ...",
    lambda head: event_share(head, _OWN),
    _read,
)
