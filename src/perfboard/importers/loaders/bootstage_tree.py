# SPDX-License-Identifier: Apache-2.0
"""The stages that U-Boot hands to the kernel in its device tree: a copy of /sys/firmware/fdt."""

import re

from perfboard.analysis.formats.device_tree import MAGIC, properties
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.loaders.bootstage import MARKS
from perfboard.importers.loaders.stages import Stage, boot_of
from perfboard.model.errors import UsageError

# A node each stage, below this one.
_NODE = re.compile(r"/bootstage/[0-9]{1,4}")


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    names: dict[str, str] = {}
    marks: dict[str, int] = {}
    try:
        for path, name, value in properties(file.data):
            if _NODE.fullmatch(path) is None:
                continue
            if name == "name":
                names[path] = value.rstrip(b"\0").decode("utf-8", "replace")
            elif name == "mark" and len(value) == 4:
                marks[path] = int.from_bytes(value, "big")
    except ValueError as error:
        raise UsageError(f"{file.path}: {error}") from error
    if not marks:
        raise UsageError(
            f"{file.path}: its device tree has no times of U-Boot's; configure U-Boot with "
            "BOOTSTAGE_FDT"
        )
    stages: list[Stage] = []
    for path, at_us in sorted(marks.items(), key=lambda each: each[1]):
        before_us = stages[-1].at_us if stages else 0
        stages.append(Stage(names.get(path, path)[:80], at_us, at_us - before_us))
    return boot_of(file, stages, MARKS, "bootstage")


IMPORTER = Importer(
    "bootstage-tree",
    "a device tree (/sys/firmware/fdt) with the stages of U-Boot's BOOTSTAGE_FDT",
    lambda head: 1.0 if head.startswith(MAGIC) else 0.0,
    _read,
)
