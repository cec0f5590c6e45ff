# SPDX-License-Identifier: Apache-2.0
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.reading.console import ConsoleLine, Stamps, split_lines
from perfboard.analysis.boot.reading.loaders import Event, Loaders, loader_marks
from perfboard.model.results.boot import Mark
from tests.support.recorded import recorded_boot
from tests.unit.analysis.boot.reading.test_console import counted


def events(lines: list[ConsoleLine]) -> list[Event]:
    loaders = Loaders()
    for line in lines:
        loaders.add(line)
    return list(loaders.events)


def marks(data: bytes, stamps: Stamps | None = None) -> list[Mark]:
    return loader_marks(events(split_lines(data, stamps or counted(data))), None)


def test_marks_of_a_recorded_boot() -> None:
    main, command, entry = loader_marks(events(recorded_boot()), None)
    assert (main.name, main.t_ns, main.precision_ns) == ("bootloader.main", 209391400, 6186248)
    assert (command.name, command.t_ns) == ("boot.command", 209403144)
    assert command.precision_ns < 2_000
    assert entry.name == "kernel.entry"
    # The scope saw start_kernel, which follows the decompression, at 847234144 ns.
    assert entry.t_ns < 847234144 < entry.t_ns + entry.precision_ns
    for mark in (main, command, entry):
        assert mark.source == "console"
        assert mark.instructions == mark.t_ns // 8


def test_a_countdown_of_seconds() -> None:
    data = b"Net: none\r\nHit any key to stop autoboot:  1 \x08\x08\x08 0 \r\nnext\r\n"
    main, command = marks(data)
    assert main.t_ns == 100 * (data.index(b"H") + 1)
    assert main.precision_ns == 100
    assert command.t_ns == 100 * (data.index(b"\nnext") + 1)
    assert command.precision_ns == 200


def test_a_boot_cut_off_has_no_marks_that_were_not_seen() -> None:
    assert [m.name for m in marks(b"Hit any key to stop autoboot:  0 ")] == ["bootloader.main"]
    assert marks(b"Starting kernel ...\r\n\r\n") == []


@given(st.integers(0, 10**12))
def test_later_stamps_give_later_marks(late: int) -> None:
    data = b"U-Boot\r\nHit any key to stop autoboot:  0 \r\nStarting kernel ...\r\n\r\nup\r\n"
    stamps = counted(data)
    later = Stamps(array("q", (t + late for t in stamps.ns)), stamps.instructions)
    before, after = marks(data), marks(data, later)
    assert len(before) == 3
    assert after == [mark.model_copy(update={"t_ns": mark.t_ns + late}) for mark in before]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Hit any key to stop autoboot:  0 ", ["bootloader.main", "boot.command"]),
        ("any key to stop autoboot:  0", ["bootloader.main", "boot.command"]),
        ("Hit key to stop autoboot('CTRL+C'):  0 ", ["bootloader.main", "boot.command"]),
        (
            "Hit m for menu or any other key to stop autoboot:    1",
            ["bootloader.main", "boot.command"],
        ),
        ("Auto run second count down: 0", ["bootloader.main", "boot.command"]),
        ("Press SPACE to abort autoboot in 2 seconds", ["bootloader.main"]),
        ("Press SPACE to delay and Ctrl-C to abort autoboot in 5 seconds", ["bootloader.main"]),
        ("Autoboot in 3 seconds", ["bootloader.main"]),
        ("*** Press any key to stop auto run (1 seconds) ***", ["bootloader.main"]),
        ("== Executing boot script in 3.000 seconds - enter ^C to abort", ["bootloader.main"]),
        ("   The highlighted entry will be executed automatically in 5s.", ["bootloader.main"]),
        ("Press ESCAPE for boot options ", ["bootloader.main"]),
        ("  Booting `Debian GNU/Linux'", ["boot.command"]),
        ("booting 'emmc'", ["boot.command"]),
        ('BdsDxe: starting Boot0001 "UEFI"', ["boot.command"]),
        ("[04.685]Starting kernel ...", ["kernel.entry"]),
        ("Starting kernel in secure mode", ["kernel.entry"]),
        ("## Transferring control to Linux (at address 8000c150) ...", ["kernel.entry"]),
        ("EFI stub: Exiting boot services and installing virtual address map...", ["kernel.entry"]),
        ("Starting program at 0x8001046c", ["kernel.entry"]),
        ("Jumping to boot code at 0x00040000", ["kernel.entry"]),
        ("run kernel@0x62000000 =====512 ms", ["kernel.entry"]),
        ("MESS:00:00:08.744483:0: uart: Baud rate change done... ", ["kernel.entry"]),
        ("kexec_core: Starting new kernel", ["kernel.entry"]),
        ("Starting kernel log daemon: OK", []),
        ("Starting service: automatic boot of things", []),
    ],
)
def test_the_words_of_each_loader(text: str, names: list[str]) -> None:
    assert [mark.name for mark in marks(f"first\r\n{text}\r\nnext\r\n".encode())] == names


@pytest.mark.parametrize(
    "text",
    [
        "U-Boot SPL 2020.01-00187-gd411d164e5 (Jan 26 2020 - 04:47:26 +0100)",
        "U-Boot 2023.01+dfsg-2 (Jun 22 2026 - 08:38:07 +0000)",
        "U-Boot 1.1.4 (Apr 13 2010)",
        "\ufffd\ufffdU-Boot 2023.01 (Jan 01 2023)",
        "[   30.192027] Rest\ufffdDDR Version V1.03 20180118 h",
        "barebox 2022.03.0 #1 Mon Mar 7",
        "NOTICE:  BL1: v2.14.0(release):12.00",
        "Raspberry Pi Bootcode",
        "  1.96 RPi: BOOTSYS release VERSION:26826259",
        "coreboot-4.22 Tue Nov 14 bootblock starting (log level: 7)...",
        "[NOTE ]  coreboot-4.19 Thu Jan 19 x86_32 bootblock starting (log level: 7)...",
        "UEFI firmware (version 2022.11 built at 00:00:00 on Jan  1 1980)",
        "[273]HELLO! BOOT0 is starting!",
        "GXBB:BL1:08dafd:0a8993;",
        "AT91Bootstrap 3.8.12 (Thu Jul 12)",
    ],
)
def test_the_first_words_of_each_loader(text: str) -> None:
    data = f"{text}\nnext\n".encode()
    assert [event.kind for event in events(split_lines(data, counted(data)))] == ["banner"]


def test_the_last_words_before_the_kernel_are_its_entry() -> None:
    """A loader that starts another has some, too; what a program prints later is no loader's."""
    words = b"Starting kernel ...\n"
    data = b"Jumping to boot code at 1\nx\n" + words + b"\nLinux version 6\n" + words + b"x\n"
    lines = split_lines(data, counted(data))
    kernel_ns = 100 * (data.index(b"Linux") + 1)
    (entry,) = loader_marks(events(lines), kernel_ns)
    assert entry.t_ns == kernel_ns - 100


def test_an_unknown_text_is_no_event() -> None:
    assert events(split_lines(b"boot of things\n", counted(b"boot of things\n"))) == []
