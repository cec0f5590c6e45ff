# SPDX-License-Identifier: Apache-2.0
"""Sessions that sigrok-cli and PulseView store."""

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.captures.marks import capture_in


def _share(head: bytes) -> float:
    # The first member of the archive names the version of the format.
    return 1.0 if head.startswith(b"PK\3\4") and head[30:37] == b"version" else 0.0


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    # It loads numpy, which no other file needs.
    from perfboard.analysis.formats.sigrok import read_sigrok

    return capture_in(file, options, read_sigrok)


IMPORTER = Importer("sigrok", "a session of sigrok-cli or PulseView (.sr)", _share, _read)
