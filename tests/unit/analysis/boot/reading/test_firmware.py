# SPDX-License-Identifier: Apache-2.0
"""Programs before the bootloader's main loop, by their first words; the steps that they are."""

from array import array

import pytest

from perfboard.analysis.boot.phases import cut_boot
from perfboard.analysis.boot.reading.console import Stamps
from perfboard.analysis.boot.reading.firmware import HINTS, stage_of
from perfboard.analysis.boot.record import saved_record
from perfboard.model.results.boot import Boot, Mark

# Lines of public logs.
FIRST_WORDS = {
    "TPL": "U-Boot TPL 2023.07-rc4 (Jul 06 2023 - 10:11:12)",
    "SPL": "U-Boot SPL 2021.01-g2ee8efd654 (Feb 24 2023 - 05:59:23 +0000)",
    "U-Boot": "U-Boot 2023.01+dfsg-2+deb12u3 (Jun 22 2026 - 08:38:07 +0000)",
    "barebox": "barebox 2023.01.0 #1 Wed Jan 18 09:12:44 UTC 2023",
    "BL1": "NOTICE:  BL1: v2.14.0(release):12.00",
    "BL2": "NOTICE:  BL2: v2.5",
    "BL31": "NOTICE:  BL31: v2.8(release):v2.8-226-g2fcd408bb3-dirty",
    "OP-TEE": "I/TC: OP-TEE version: 3.19.0 (gcc version 9.2.1 20191025) #1 Sun Dec 18",
    "OpenSBI": "OpenSBI v1.2",
    "DDR": "DDR Version V1.08 20220617",
    "boot0": "HELLO! BOOT0 is starting!",
    "FSBL": "Xilinx Zynq MP First Stage Boot Loader",
    "PMU": "PMU Firmware 2022.2\tNov 11 2022   06:33:28",
    "AT91Bootstrap": "AT91Bootstrap 3.8.12-00001 (2021-09-08 09:00:00)",
    "bootblock": "coreboot-4.20 Tue May 30 2023 bootblock starting (log level: 7)...",
    "preloader": "Preloader Start=>",
    "GRUB": "Welcome to GRUB!",
    "ramstage": "[NOTE ]  coreboot-4.20 Tue May 30 2023 x86_32 ramstage starting (log level: 7)...",
}
K3 = (
    (0.0, "reset"),
    (0.4, FIRST_WORDS["SPL"]),
    (0.5, "SYSFW ABI: 3.1 (firmware rev 0x0008 '8.6.4--v08.06.04 (Chill Capybar')"),
    (0.9, FIRST_WORDS["BL31"]),
    (0.95, "NOTICE:  BL31: Built : 05:06:58, Feb 24 2023"),
    (1.0, FIRST_WORDS["SPL"]),
    (1.7, FIRST_WORDS["U-Boot"]),
    (2.1, "Hit any key to stop autoboot:  0 "),
    (2.2, "Starting kernel ..."),
    (2.3, "[    0.000000] Linux version 6.1.46"),
    (2.5, "NOTICE:  BL31: v2.8(release): of a log that is shown again"),
)


def boot_of(lines: tuple[tuple[float, str], ...], *seen: Mark) -> Boot:
    """The boot of a console whose lines came whole, at those seconds."""
    portions = [text.encode() + b"\r\n" for _, text in lines]
    ends = array("q", (sum(map(len, portions[: n + 1])) for n in range(len(portions))))
    ns = array("q", (round(at_s * 1e9) for at_s, _ in lines))
    return saved_record(portions, Stamps(ns, ends=ends), None, seen, "host")


@pytest.mark.parametrize(("name", "text"), FIRST_WORDS.items())
def test_first_words(name: str, text: str) -> None:
    assert stage_of(text) == name
    assert any(hint in text for hint in HINTS)


@pytest.mark.parametrize(
    "text", ["NOTICE:  BL31: Built : 05:06", "I/TC: HUK Initialized", "Booting U-Boot 2023.01"]
)
def test_other_words(text: str) -> None:
    assert stage_of(text) is None


def test_each_program_is_a_step_of_the_bootloaders_phase() -> None:
    found = boot_of(K3, Mark(name="reset", t_ns=0, source="command"))
    steps = [row for row in cut_boot(found) if row.name.startswith("boot.bootloader.")]
    assert {row.name.removeprefix("boot.bootloader."): row.duration_ns / 1e6 for row in steps} == {
        "rom": 400,
        "spl": 500,
        "bl31": 100,
        "spl-2": 700,
        "u-boot": 400,
    }
    assert steps[0].title == "until SPL speaks"
    # A program began at some time since the line before.
    assert steps[1].end.precision_ns == 400_000_000
    (whole,) = (row for row in cut_boot(found) if row.name == "boot.bootloader")
    assert sum(step.duration_ns for step in steps) == whole.duration_ns


def test_without_the_reset_the_first_step_is_a_programs() -> None:
    found = boot_of(K3[1:], Mark(name="console.first", t_ns=400_000_000, source="console"))
    steps = [row.name for row in cut_boot(found) if row.depth and row.number == "1"]
    assert steps[0] == "boot.bootloader.spl"


def test_without_a_main_loop_the_last_step_has_no_end() -> None:
    lines = tuple(line for line in K3 if "autoboot" not in line[1])
    found = boot_of(lines, Mark(name="reset", t_ns=0, source="command"))
    steps = [row.name for row in cut_boot(found) if row.depth and row.number == "1"]
    assert "boot.bootloader.u-boot" not in steps
