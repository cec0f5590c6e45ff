# SPDX-License-Identifier: Apache-2.0
"""Files of trace-cmd (trace.dat), which trace-cmd itself reads, in a process of its own."""

from perfboard.host.programs.reader import tool_lines
from perfboard.importers.base import MOST_BYTES, FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.traces.marks import trace_in

_MAGIC = b"\x17\x08\x44tracing"


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    # Without the plugins of whoever runs it.
    command = ("trace-cmd", "report", "-N", "-t", "-i", str(file.content.absolute()))
    with tool_lines(command, "trace-cmd", MOST_BYTES, file.path) as lines:
        return trace_in(file, lines, options)


IMPORTER = Importer(
    "trace-dat",
    "a file of trace-cmd's (trace.dat)",
    lambda head: 1.0 if head.startswith(_MAGIC) else 0.0,
    _read,
)
