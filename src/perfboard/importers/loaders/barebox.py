# SPDX-License-Identifier: Apache-2.0
"""barebox's own log with its times, as `dmesg -t` prints it."""

import re

from perfboard.analysis.boot.reading.firmware import STAGE, stage_of
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.lines import lines_of
from perfboard.importers.loaders.stages import Stage, boot_of

# The time, with -d also that since the message before, and with -r the level.
_ROW = re.compile(r"(?:<\d>)?\[ {0,9}(\d{1,12})us(?: < {1,10}\d{1,12}us)?\] (\S.{0,400}?)\s*")
_HEAD = re.compile(rb"(?m)^(?:<\d>)?\[ {0,9}\d{1,12}us(?: < {1,10}\d{1,12}us)?\] ")
_LEAST = 3


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    stages: list[Stage] = []
    marks: dict[str, str] = {}
    for raw in lines_of(file):
        match = _ROW.fullmatch(raw.decode("utf-8", "replace").rstrip("\r\n"))
        if match is None:
            continue
        at_us, text = int(match[1]), match[2][:80]
        before_us = stages[-1].at_us if stages else at_us
        stages.append(Stage(text, at_us, max(0, at_us - before_us)))
        if name := stage_of(text):
            marks[text] = f"{STAGE}{name}"
    return boot_of(file, stages, marks or {"barebox 20...": ""}, "barebox")


IMPORTER = Importer(
    "barebox",
    "barebox's dmesg -t: [     12345us] barebox 2023.01.0 ...",
    lambda head: 1.0 if len(_HEAD.findall(head[: 1 << 16])) >= _LEAST else 0.0,
    _read,
)
