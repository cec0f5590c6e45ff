# SPDX-License-Identifier: Apache-2.0
"""The table of stages that Slim Bootloader prints, or its command `perf` at the shell."""

import re

from perfboard.analysis.boot.reading.firmware import STAGE
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.lines import lines_of
from perfboard.importers.loaders.stages import Stage, boot_of

_ROW = re.compile(
    r"\s{0,8}([0-9A-Fa-f]{4}) \| {0,12}(\d{1,9}) ms \| {0,12}(\d{1,9}) ms \| (\S.{0,80}?)\s*"
)
_HEAD = re.compile(rb"(?m)^ {0,8}Id {1,8}\| {1,8}Time \(ms\) {1,8}\| {1,8}Delta \(ms\)")
_MARKS = {
    "Reset vector": "reset",
    "Stage1A entry point": f"{STAGE}Stage1A",
    "Stage1B entry point": f"{STAGE}Stage1B",
    "Stage2 entry point": f"{STAGE}Stage2",
    "Payload entry point": f"{STAGE}OsLoader",
    "End of OsLoader": "kernel.entry",
}
_MS = 1_000_000


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    stages: list[Stage] = []
    for raw in lines_of(file):
        if _HEAD.match(raw):
            stages = []
        elif match := _ROW.fullmatch(raw.decode("utf-8", "replace").rstrip("\r\n")):
            stages.append(Stage(match[4], int(match[2]) * 1000, int(match[3]) * 1000))
    return boot_of(file, stages, _MARKS, "slimboot", _MS)


IMPORTER = Importer(
    "slimboot",
    "Slim Bootloader's table: Id | Time (ms) | Delta (ms) | Description",
    lambda head: 1.0 if _HEAD.search(head[: 1 << 18]) else 0.0,
    _read,
)
