# SPDX-License-Identifier: Apache-2.0
"""coreboot's timestamps, as `cbmem -t` prints them."""

import re
from dataclasses import replace

from perfboard.analysis.boot.phases import PRINTED
from perfboard.analysis.boot.reading.firmware import STAGE
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.lines import lines_of
from perfboard.importers.loaders.stages import Stage, boot_of, microseconds

_ROW = re.compile(
    r"\s{0,8}(\d{1,5}):\s{0,2}(\S.{0,80}?)\s{2,80}(\d[\d,]{0,18})(?: \((\d[\d,]{0,18})\))?\s*"
)
_TOTAL = re.compile(r"\s{0,8}Total Time: (\d[\d,]{0,18})\s*")
_HEAD = re.compile(rb"(?m)^\d{1,4} entries total:")
# On a processor of Intel's with such an engine, coreboot's own first stage comes later.
_ENGINE = "CSME ROM started execution"
_FIRST = "1st timestamp"
# More of the whole time than this is no detail.
_LATE = 0.1
_MARKS = {
    **dict.fromkeys((_ENGINE, _FIRST), "reset"),
    **{f"start of {name}": f"{STAGE}{name}" for name in ("bootblock", "romstage", "ramstage")},
    "selfboot jump": "kernel.entry",
    "jumping to kernel": "kernel.entry",
}


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    stages: list[Stage] = []
    total_us: int | None = None
    for raw in lines_of(file):
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if match := _TOTAL.fullmatch(line):
            total_us = microseconds(match[1])
        elif match := _ROW.fullmatch(line):
            elapsed_us = microseconds(match[4]) if match[4] else 0
            stages.append(Stage(match[2], microseconds(match[3]), elapsed_us))
    names = [stage.name for stage in stages]
    # The engine's own stages come before, and are the firmware's.
    first = _FIRST in names and _ENGINE not in names
    before_us = stages[names.index(_FIRST)].at_us if first else 0
    late = before_us > _LATE * max((stage.at_us for stage in stages), default=0)
    # The reset was long before: how long the firmware took is known from there on.
    marks = {**_MARKS, _FIRST: PRINTED} if late else _MARKS
    found = boot_of(file, stages, marks, "coreboot")
    notes: list[str] = []
    whole_us = stages[-1].at_us - stages[0].at_us
    if first and total_us is not None and total_us != whole_us:
        notes.append(
            f"coreboot's total is {total_us / 1e6:.6f} s; from its first stage to its last are "
            f"{whole_us / 1e6:.6f} s."
        )
    if late:
        notes.append(
            f"{before_us / 1e6:.6f} s passed on the same counter before coreboot's first stamp, as "
            "where another processor's firmware runs first (AMD's PSP): if the counter began at "
            "the reset, the firmware took so much longer."
        )
    return replace(found, notes=(*found.notes, *notes))


IMPORTER = Importer(
    "cbmem",
    "coreboot's cbmem -t: 30 entries total: 0:1st timestamp ...",
    lambda head: 1.0 if _HEAD.search(head[:4096]) else 0.0,
    _read,
)
