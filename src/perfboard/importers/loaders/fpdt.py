# SPDX-License-Identifier: Apache-2.0
"""UEFI's boot times, as Linux shows the ACPI table FPDT: `grep -r . /sys/firmware/acpi/fpdt`."""

import re

from perfboard.analysis.boot.reading.firmware import STAGE
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.lines import lines_of
from perfboard.importers.loaders.stages import Stage, boot_of
from perfboard.model.errors import UsageError

# The kernel's names, Documentation/ABI/testing/sysfs-firmware-acpi. Each counts from the reset.
_STAGES = (
    "firmware_start_ns",
    "bootloader_load_ns",
    "bootloader_launch_ns",
    "exitbootservice_start_ns",
    "exitbootservice_end_ns",
)
_LINE = re.compile(rf"(?:\S{{0,200}}/)?boot/({'|'.join(_STAGES)})[: =]\s*(\d{{1,18}})\s*")
_HEAD = re.compile(rb"(?:^|/)boot/(?:firmware_start|bootloader_l|exitbootservice_)\w{1,12}_ns[: =]")
_RESET = "reset"
# The kernel's EFI stub ends the boot services, and says so on the console: the same mark.
_MARKS = {
    _RESET: "reset",
    "firmware_start_ns": f"{STAGE}UEFI",
    "bootloader_launch_ns": f"{STAGE}bootloader",
    "exitbootservice_start_ns": "kernel.entry",
}


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    found: dict[str, int] = {}
    for raw in lines_of(file):
        if match := _LINE.fullmatch(raw.decode("utf-8", "replace").rstrip("\r\n")):
            found[match[1]] = int(match[2]) // 1000
    if not found:
        raise UsageError(
            f"{file.path}: has no time of FPDT; store `grep -r . /sys/firmware/acpi/fpdt`"
        )
    # A boot without EFI's services has zero at its later stages.
    times = [(name, found[name]) for name in _STAGES if found.get(name)]
    stages = [Stage(_RESET, 0, 0)]
    for name, at_us in times:
        stages.append(Stage(name, at_us, max(0, at_us - stages[-1].at_us)))
    return boot_of(file, stages, _MARKS, "fpdt")


IMPORTER = Importer(
    "fpdt",
    "UEFI's times: grep -r . /sys/firmware/acpi/fpdt",
    lambda head: 1.0 if _HEAD.search(head[:4096]) else 0.0,
    _read,
)
