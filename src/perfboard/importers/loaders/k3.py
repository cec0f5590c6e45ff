# SPDX-License-Identifier: Apache-2.0
"""The times that the bootloaders of TI's K3 software print: [BOOTLOADER_PROFILE] lines."""

import re

from perfboard.analysis.boot.reading.firmware import STAGE
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.lines import lines_of
from perfboard.importers.loaders.stages import Stage, boot_of

_ROW = re.compile(
    r".{0,20}\[BOOTLOADER[ _]PROFILE\] {0,8}(\S.{0,60}?)\s{0,60}:\s{0,30}(\d{1,12}) ?us\s*"
)
_HEAD = re.compile(rb"\[BOOTLOADER[ _]PROFILE\] ")
_TOTAL = "SBL Total Time Taken"
_MARKS = {"start": f"{STAGE}SBL", _TOTAL: f"{STAGE}application"}


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    stages: list[Stage] = []
    at_us = 0
    for raw in lines_of(file):
        match = _ROW.fullmatch(raw.decode("utf-8", "replace").rstrip("\r\n"))
        if match is None:
            continue
        if not stages:
            stages.append(Stage("start", 0, 0))
        if match[1] == _TOTAL:
            # Its stages leave out what is between them.
            at_us = max(at_us, int(match[2]))
            stages.append(Stage(_TOTAL, at_us, int(match[2])))
            break
        at_us += int(match[2])
        stages.append(Stage(match[1], at_us, int(match[2])))
    return boot_of(file, stages, _MARKS, "k3")


IMPORTER = Importer(
    "k3",
    "TI K3's bootloader: [BOOTLOADER_PROFILE] SBL Total Time Taken : 104523us",
    lambda head: 1.0 if _HEAD.search(head[: 1 << 16]) else 0.0,
    _read,
)
