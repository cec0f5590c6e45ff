# SPDX-License-Identifier: Apache-2.0
"""The table of digital channels that Saleae Logic 2 exports."""

from perfboard.analysis.formats.saleae import HEADING, read_saleae_table
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.captures.marks import capture_in


def _share(head: bytes) -> float:
    return 1.0 if head.startswith(HEADING) else 0.0


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    return capture_in(file, options, read_saleae_table)


IMPORTER = Importer(
    "saleae-csv", "Saleae Logic 2's CSV of digital channels: Time [s],Channel 0", _share, _read
)
