# SPDX-License-Identifier: Apache-2.0
"""Value change dumps, which all logic analysers and simulators write."""

from perfboard.analysis.formats.vcd import read_vcd
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.captures.marks import capture_in

_HEAD = 4096


def _share(head: bytes) -> float:
    start = head[:_HEAD]
    return 1.0 if b"$timescale" in start or b"$enddefinitions" in start else 0.0


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    return capture_in(file, options, read_vcd)


IMPORTER = Importer("vcd", "a value change dump ($timescale, $var, #TIME)", _share, _read)
