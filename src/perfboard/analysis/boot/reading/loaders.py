# SPDX-License-Identifier: Apache-2.0
"""Words of bootloaders and firmware: their first, their countdown, their last."""

import re
from collections import deque
from collections.abc import Iterable
from typing import Literal, NamedTuple

from perfboard.analysis.boot.reading.console import ConsoleLine
from perfboard.analysis.boot.reading.firmware import HINTS, stage_of
from perfboard.analysis.boot.reading.kernel_log import is_first
from perfboard.analysis.boot.reading.records import RECORD, message
from perfboard.model.results.boot import Mark

_MOST_EVENTS = 1000

# Each wording below has one of these words: most lines have none, and need no closer look.
_HINTS = (
    "oot", "OOT", "tarting ", "Linux", "barebox", "GRUB", "DDR ", "MESS:", "BL", "EFI",
    "auto", "Auto", "kernel@", "reloader", "Executing", "choose the", "Bye", "purgatory",
)  # fmt: skip
_RECORD_HINTS = ("Linux", "kexec", "Starting new", "Bye")
# At the start of a line, or after a byte that a reset has garbled.
BANNER = re.compile(
    r"(?:\A\W*+|[^\x00-\x7f]\W*+)(?:"
    r"U-Boot (?:[STV]PL )?(?:[12]\.[0-9]|20[0-9]{2}[.-])"
    r"|(?:Ralink )?UBoot Version"
    r"|barebox 20[0-9]{2}\."
    r"|(?:NOTICE|INFO): {1,4}(?:BL[12]: v|Booting Trusted Firmware)"
    r"|DDR (?:Version )?V[0-9]\."  # Rockchip
    r"|Raspberry Pi Bootcode|[0-9. ]{0,12}RPi: BOOT(?:SYS|LOADER)"
    r"|(?:[A-Z ]{1,8}\] {1,2})?coreboot-\S+ .*(?:bootblock|romstage) starting"
    r"|UEFI firmware \(version|SeaBIOS \(version"
    r"|(?:[0-9]+\] ?)?HELLO! S?BOOT0"  # Allwinner
    r"|(?:GX|G1|SM1|AXG|TXL|TXHD|SC2|S4|T7)\w{0,4}:BL[1:]|BL2 Built"  # Amlogic
    r"|Preloader Start"  # MediaTek
    r"|AT91Bootstrap [0-9]|RedBoot\(tm\)|CFE version|Welcome to GRUB"
    r")"
)
# The main loop of a loader prints one of these first, before it waits or boots.
_MAIN = re.compile(
    r"(?:stop|abort|interrupt|cancel|exit)\w* (?:the )?auto[- ]?(?:boot|run)"
    r"|\bautoboot in [0-9]"
    r"|Executing boot script in [0-9.]+ seconds"  # RedBoot
    r"|highlighted entry will be executed"  # GRUB
    r"|Press ESC(?:APE)? (?:for boot options|in [0-9]+ seconds)"  # UEFI
    r"|U-Boot Boot Menu|choose the operation:",  # Ralink
    re.IGNORECASE,
)
# A count on the line itself ends with the line; nothing shows the end of another countdown.
_COUNTED = re.compile(r"auto[- ]?(?:boot|run)[^:]*: *[0-9]", re.IGNORECASE)
_COMMAND = re.compile(
    r"\A\W{0,4}Booting [`'\"]|\A[Bb]ooting (?:entry )?'|BdsDxe: starting Boot[0-9]"
)
_ENTRY = re.compile(
    r"Starting (?:linux )?kernel(?: with initrd)? ?(?:\.\.\.|in (?:non-?)?secure|at 0x)"
    r"|Transferring control to Linux"
    r"|EFI stub: Exiting boot services"
    r"|\AStarting program at 0x"  # CFE
    r"|\AJumping to boot code at"  # coreboot
    r"|\Arun kernel@0x"  # Rockchip
    r"|\AMESS:[0-9:.]{8,24}: .*(?:Baud rate|Device tree loaded|Kernel relocated)"  # Raspberry Pi
    r"|\A[0-9. ]{0,12}Starting OS [0-9]"
    r"|\ALoading initial ramdisk"  # GRUB
)
_KEXEC = re.compile(r"\A(?:kexec(?:_core)?: )?Starting new kernel|\ABye[!.]|\AI'm in purgatory")
_UNPACKING = re.compile(r"Uncompressing Linux|Decompressing Linux|Booting Linux\.\.\.")


def begins_boot(text: str) -> bool:
    """Whether a line is the first words of a loader or of a kernel."""
    if not any(hint in text for hint in _HINTS):
        return False
    record = RECORD.match(text)
    words = message(text[record.end() :]) if record else text
    return is_first(words) or _UNPACKING.match(words) is not None or BANNER.search(text) is not None


def counts_down(text: str) -> bool:
    """Whether a line is a loader's countdown, which ends when the line does."""
    return "uto" in text and _COUNTED.search(text) is not None


Kind = Literal["banner", "main", "command", "entry", "kexec", "kernel"]


class Event(NamedTuple):
    """Words of a loader or a kernel that show where the boot is, with their mark.

    - `banner`: the first words of a loader. `main`: those of its main loop, its countdown.
    - `command`: the line feed that ends the countdown, or the first byte of the words that name
      the entry to boot; the boot command runs next.
    - `entry`: the end of the loader's last words and the blank lines that go with them; the jump
      into the kernel comes after. Its precision is the time to the next text.
    - `kexec`: the same of a kernel that starts another.
    - `kernel`: the first words of a kernel, in a record or not.
    """

    kind: Kind
    text: str
    mark: Mark


class Loaders:
    """Gathers the events of a console, and the stages of firmware: the last thousand of each."""

    def __init__(self) -> None:
        self.events: deque[Event] = deque(maxlen=_MOST_EVENTS)
        self.stages: deque[tuple[str, Mark]] = deque(maxlen=_MOST_EVENTS)
        self._last: ConsoleLine | None = None
        self._counting: ConsoleLine | None = None
        self._leaving: tuple[Kind, str, ConsoleLine] | None = None

    def add(self, line: ConsoleLine) -> None:
        """The next line, or the next record on a line."""
        if self._counting is not None:
            counted = self._counting
            gap = counted.end_ns - counted.text_end_ns
            self._add("command", counted.text, _end_mark(counted, "boot.command", gap))
            self._counting = None
        text = line.text
        if self._leaving is not None:
            kind, words, last = self._leaving
            if text.strip():
                gap = line.start_ns - last.end_ns
                self._add(kind, words, _end_mark(last, "kernel.entry", gap))
                self._leaving = None
            else:
                self._leaving = kind, words, line
        record = text[:1] == "[" and RECORD.match(text) is not None
        hints = _RECORD_HINTS if record and text.isascii() else _HINTS
        if any(hint in text for hint in hints):
            self._read(line)
        if not record and any(hint in text for hint in HINTS) and (stage := stage_of(text)):
            self.stages.append((stage, self._first_byte(line, stage)))
        self._last = line

    def _read(self, line: ConsoleLine) -> None:
        text = line.text
        record = RECORD.match(text)
        words = message(text[record.end() :]) if record else text
        if BANNER.search(text):
            self._add("banner", text, self._first_byte(line, "boot.restart"))
        if _UNPACKING.match(words) or is_first(words):
            self._add("kernel", text, self._first_byte(line, "kernel"))
        elif _KEXEC.match(words):
            self._leaving = "kexec", words, line
        elif record:
            return
        elif _ENTRY.search(text):
            self._leaving = "entry", text, line
        elif _COMMAND.search(text):
            self._add("command", text, self._first_byte(line, "boot.command"))
        else:
            counts = _COUNTED.search(text)
            if counts or _MAIN.search(text):
                self._add("main", text, self._first_byte(line, "bootloader.main"))
            if counts:
                self._counting = line

    def _add(self, kind: Kind, text: str, mark: Mark) -> None:
        self.events.append(Event(kind, text, mark))

    def _first_byte(self, line: ConsoleLine, name: str) -> Mark:
        return Mark(
            name=name,
            t_ns=line.start_ns,
            source="console",
            precision_ns=line.start_ns - (self._last.end_ns if self._last else 0),
            instructions=line.instructions,
        )


def _end_mark(line: ConsoleLine, name: str, precision_ns: int) -> Mark:
    return Mark(
        name=name,
        t_ns=line.end_ns,
        source="console",
        precision_ns=precision_ns,
        instructions=line.end_instructions,
    )


def loader_marks(events: Iterable[Event], kernel_ns: int | None) -> list[Mark]:
    """The marks of one boot that loaders leave, in order of time.

    `bootloader.main` is the first countdown or menu. `boot.command` is the end of the first
    countdown, or without a count the words that name the last entry. `kernel.entry` is the last
    words before those of the kernel, which came at `kernel_ns`, or before the end.
    """
    main = command = booted = entry = None
    for event in events:
        if kernel_ns is not None and event.mark.t_ns > kernel_ns:
            break
        if event.kind == "main":
            main = main or event.mark
        elif event.kind == "command" and _COUNTED.search(event.text):
            command = command or event.mark
        elif event.kind == "command":
            booted = event.mark
        elif event.kind in ("entry", "kexec"):
            entry = event.mark
    marks = [mark for mark in (main, command or booted, entry) if mark is not None]
    return sorted(marks, key=lambda mark: mark.t_ns)
