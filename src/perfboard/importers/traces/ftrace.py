# SPDX-License-Identifier: Apache-2.0
"""The text of ftrace: the file `trace`, or what `trace-cmd report` prints."""

import re

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.lines import lines_of
from perfboard.importers.traces.marks import event_share, trace_in

# The processor comes right after task and number; perf's events have a system before their name.
_OWN = re.compile(
    rb"-\d{1,7}\s{1,12}(?:\([ \d-]{1,8}\)\s{1,8})?\[\d{1,4}\] .{0,20}"
    rb"\d\.\d{6}: {1,12}[\w-]{1,80}(?:: | <-)"
)
_HEAD = re.compile(rb"# tracer: \w|cpus=\d{1,4}\n")


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    return trace_in(file, lines_of(file), options)


def _share(head: bytes) -> float:
    return 1.0 if _HEAD.match(head) else event_share(head, _OWN)


IMPORTER = Importer(
    "ftrace",
    "the kernel's trace: init-1 [000] ..... 1.234567: sched_process_exec: ...",
    _share,
    _read,
)
