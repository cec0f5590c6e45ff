# SPDX-License-Identifier: Apache-2.0
"""Programs that run one after the other before a bootloader's main loop, by their first words."""

import re
from collections.abc import Iterable, Iterator

from perfboard.model.results.boot import Mark

STAGE = "stage:"
"""The prefix of a mark at which a program before the main loop begins, named after it."""

# Each pattern has one of these.
HINTS = (
    "oot", "BOOT", "BL", "DDR ", "SBI v", "OP-TEE", "PMU Firm", "UEFI firm", "BIOS (", "barebox",
    "reloader", "GRUB",
)  # fmt: skip
_MOST = 100
# At the start of a line, or after a byte that a reset has garbled.
_BEGIN = r"(?:\A\W{0,40}|[^\x00-\x7f]\W{0,40})"
_STAGES = {
    name: re.compile(_BEGIN + f"(?:{words})")
    for name, words in {
        "TPL": r"U-Boot TPL [0-9v]",
        "VPL": r"U-Boot VPL [0-9v]",
        "SPL": r"U-Boot SPL [0-9v]",
        "U-Boot": r"U-Boot (?:[12]\.[0-9]|20[0-9]{2}[.-])|(?:Ralink )?UBoot Version",
        "barebox": r"barebox 20[0-9]{2}\.",
        "BL1": r"(?:NOTICE|INFO): {1,4}(?:BL1: v|Booting Trusted Firmware)|\w{2,8}:BL1:",
        "BL2": r"(?:NOTICE|INFO): {1,4}BL2: v|BL2 Built",
        "BL31": r"(?:NOTICE|INFO): {1,4}BL31: v",
        "OP-TEE": r"[IDM]/TC: {1,4}(?:\d{1,2} {0,4})?OP-TEE version",
        "OpenSBI": r"OpenSBI v[0-9]",
        "DDR": r"DDR (?:Version )?V[0-9]\.",
        "boot0": r"(?:[0-9]+\] ?)?HELLO! S?BOOT0",
        "FSBL": r"Xilinx (?:\w{1,12} ){0,3}First Stage Boot Loader",
        "PMU": r"PMU Firmware 20",
        "AT91Bootstrap": r"AT91Bootstrap [0-9]",
        "bootcode": r"Raspberry Pi Bootcode|[0-9. ]{0,12}RPi: BOOTSYS",
        "bootloader": r"[0-9. ]{0,12}RPi: BOOTLOADER",
        "preloader": r"Preloader Start",
        "bootblock": r"(?:[A-Z ]{1,8}\] {1,2})?coreboot-\S{1,80} .{0,80}bootblock starting",
        "romstage": r"(?:[A-Z ]{1,8}\] {1,2})?coreboot-\S{1,80} .{0,80}romstage starting",
        "ramstage": r"(?:[A-Z ]{1,8}\] {1,2})?coreboot-\S{1,80} .{0,80}ramstage starting",
        "UEFI": r"UEFI firmware \(version",
        "SeaBIOS": r"SeaBIOS \(version",
        "GRUB": r"Welcome to GRUB",
    }.items()
}


def stage_of(text: str) -> str | None:
    """The program whose first words a line is, or None."""
    return next((name for name, words in _STAGES.items() if words.search(text)), None)


def stage_marks(
    found: Iterable[tuple[str, Mark]], since_ns: int, kernel_ns: int | None
) -> Iterator[Mark]:
    """The marks of a boot's stages, up to the kernel's first words.

    A program that runs twice, as SPL does on two processors, has the second time a number.
    """
    times: dict[str, int] = {}
    for name, mark in found:
        if mark.t_ns < since_ns or (kernel_ns is not None and mark.t_ns > kernel_ns):
            continue
        times[name] = times.get(name, 0) + 1
        if sum(times.values()) > _MOST:
            return
        number = f" {times[name]}" if times[name] > 1 else ""
        yield mark.model_copy(update={"name": f"{STAGE}{name}{number}"})
