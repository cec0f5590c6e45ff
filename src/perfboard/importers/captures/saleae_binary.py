# SPDX-License-Identifier: Apache-2.0
"""The binary file of one digital channel that Saleae Logic 2 exports."""

from collections.abc import Mapping
from typing import BinaryIO

from perfboard.analysis.formats.capture import Capture
from perfboard.analysis.formats.saleae import MAGIC, read_saleae_binary
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.captures.marks import capture_in


def _share(head: bytes) -> float:
    return 1.0 if head.startswith(MAGIC) else 0.0


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    def read(stream: BinaryIO, wanted: Mapping[str, int]) -> Capture:
        return read_saleae_binary(stream, file.stem, wanted)

    return capture_in(file, options, read)


IMPORTER = Importer(
    "saleae-binary",
    "Saleae Logic 2's binary export; the channel is named by its file, as digital_0",
    _share,
    _read,
)
