# SPDX-License-Identifier: Apache-2.0
"""U-Boot's command `bootstage report`, as a console log has it."""

import re

from perfboard.analysis.boot.reading.firmware import STAGE
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.lines import lines_of
from perfboard.importers.loaders.stages import Stage, boot_of, microseconds

_HEAD = re.compile(rb"Timer summary in microseconds")
_ROW = re.compile(r"\s*(\d[\d,]{0,18})\s{1,20}(\d[\d,]{0,18})\s\s(\S.{0,80}?)\s*")
# U-Boot's names of its stages, include/bootstage.h and where they are passed.
MARKS = {
    "reset": "reset",
    **{name: f"{STAGE}{name}" for name in ("TPL", "VPL", "SPL")},
    **dict.fromkeys(("U-Boot", "board_init_f", "board_init_f start"), f"{STAGE}U-Boot"),
    "main_loop": "bootloader.main",
    "cli_loop": "bootloader.main",
    "bootm_start": "boot.command",
    "start_kernel": "kernel.entry",
}


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    stages: list[Stage] = []
    reading = False
    for raw in lines_of(file):
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if _HEAD.search(raw):
            # The last report counts: it has the stages of those before.
            stages, reading = [], True
        elif line.startswith("Accumulated time"):
            reading = False
        elif reading and (match := _ROW.fullmatch(line)):
            at_us, elapsed_us = microseconds(match[1]), microseconds(match[2])
            stages.append(Stage(match[3], at_us, elapsed_us))
    return boot_of(file, stages, MARKS, "bootstage")


IMPORTER = Importer(
    "bootstage",
    "U-Boot's bootstage report: Timer summary in microseconds",
    lambda head: 1.0 if _HEAD.search(head[:4096]) else 0.0,
    _read,
)
