# SPDX-License-Identifier: Apache-2.0
"""Lines that tell of a fixed wait, or of bytes that a loader read, and how long each took."""

import re
from typing import NamedTuple

from perfboard.analysis.boot.reading.console import ConsoleLine
from perfboard.analysis.boot.reading.records import RECORD, message
from perfboard.model.results.boot import Wait

# Shorter ones are the line's own time.
_LEAST_NS = 1_000_000
_MOST = 500
# Each wording below has one of these: most lines have none.
_HINTS = (
    "alibrating delay", "aiting", "DHCP", "raid6: ", "xor: ", "ubi", "UBI", "erifying", "canning",
    "PHY", "tarting USB", "bytes", "alling back", "ncompressing Kernel", "Memory: ",
    "ommand line: ",
)  # fmt: skip


class Source(NamedTuple):
    """The reason of a wait in words, and advice that avoids it."""

    name: str
    advice: str


_LINES: tuple[tuple[re.Pattern[str], Source], ...] = tuple(
    (re.compile(pattern), Source(name, advice))
    for pattern, name, advice in (
        (
            r"\ACalibrating delay loop(?!.*skipped)",
            "calibration of the delay loop",
            "lpj= on the kernel's command line, with the number that it prints",
        ),
        (
            r"\AWaiting [0-9]+ ?sec before mounting root",
            "rootdelay",
            "rootwait in place of rootdelay= on the kernel's command line",
        ),
        (
            r"\AWaiting for root (?:device|file ?system)",
            "the root's device",
            "have its driver probe earlier, or other driver probes wait less",
        ),
        (
            r"\A(?:Sending DHCP requests|IP-Config: (?!Complete)|Waiting up to [0-9]+ more sec)",
            "the kernel's network configuration",
            "leave ip= out of the kernel's command line, and let user space configure it",
        ),
        (
            r"\Araid6: |\Axor: ",
            "benchmarks of RAID code",
            "CONFIG_RAID6_PQ_BENCHMARK=n, or the drivers as modules",
        ),
        (r"\Aubi[0-9]+: attaching ", "the scan of UBI", "CONFIG_MTD_UBI_FASTMAP=y"),
        (
            r"[Ff]alling back to (?:sysfs fallback for: |user helper)",
            "firmware that is not there",
            "the file in the root or the kernel, or CONFIG_FW_LOADER_USER_HELPER_FALLBACK=n",
        ),
        (
            r"[Ww]aiting for PHY auto.?negotiation",
            "the network's negotiation in the bootloader",
            "no network command in the boot command",
        ),
        (
            r"\A(?:\(Re\)start USB|[Ss]tarting USB|scanning bus |scanning usb )",
            "the bootloader's scan of USB",
            "leave `usb start` out of preboot and the boot command",
        ),
        (
            r"\A\s{0,8}Verifying (?:Checksum|Hash Integrity)",
            "the check of the kernel's image",
            "setenv verify no, where the medium is trusted",
        ),
    )
)
# The advice on a wait, by its name.
ADVICE = {source.name: source.advice for _, source in _LINES}
UNPACKING = "decompression by the bootloader"
_UNPACKING = re.compile(r"\A\s{0,8}Uncompressing Kernel Image")
# U-Boot's fs/fs.c, cmd/nand.c and cmd/sf.c.
_TIMED = re.compile(r"\A([0-9]{1,12}) bytes read in ([0-9]{1,9}) ms")
_UNTIMED = re.compile(r"\A\s?(?:SF: )?([0-9]{1,12}) bytes (?:read: |@ 0x[0-9a-f]+ Read: )OK")
_BAUD = re.compile(
    r"\A(?:Kernel c|C)ommand line: .*\bconsole=tty[A-Za-z]{1,8}[0-9]{0,3},([0-9]{3,8})"
)
# Linux, mem_init_print_info.
_MEMORY = re.compile(
    r"\AMemory: .*?\(([0-9]{1,9})K kernel code, ([0-9]{1,9})K rwdata, ([0-9]{1,9})K rodata, "
    r"([0-9]{1,9})K init"
)


class Waits:
    """Gathers the waits of a console, line by line: the first few hundred.

    A wait lasts from its line's first byte to the next text, or by their own times if both are
    records; one whose words go on on the same line, until they do. One that is no longer than the
    stamps' resolution may have been none, and is left out.
    """

    def __init__(self, resolution_ns: int = 0) -> None:
        """The stamps' resolution; a kernel's own times and a loader's have another."""
        self._least_ns = max(_LEAST_NS, resolution_ns + 1)
        self.found: list[Wait] = []
        self.unpacked_bytes: int | None = None
        self.baud: int | None = None
        self._open: tuple[str, int, int | None] | None = None
        self._last_ns = 0

    def add(self, line: ConsoleLine) -> None:
        """The next line, or the next record on a line."""
        text = line.text
        if not text.strip():
            return
        record = RECORD.match(text) if text[:1] == "[" else None
        own_ns = int(record[1] + record[2]) * 1000 if record else None
        if self._open is not None:
            name, start_ns, since_ns = self._open
            self._open = None
            took_ns, least_ns = line.start_ns - start_ns, self._least_ns
            # Own times that are the stamps are no finer.
            if own_ns is not None and since_ns is not None and own_ns - since_ns != took_ns:
                took_ns, least_ns = own_ns - since_ns, _LEAST_NS
            wait = Wait(kind="wait", name=name, start_ns=start_ns, duration_ns=max(took_ns, 0))
            self._keep(wait, least_ns)
        if any(hint in text for hint in _HINTS):
            self._read(line, message(text[record.end() :]) if record else text, own_ns)
        self._last_ns = line.text_end_ns

    def _read(self, line: ConsoleLine, words: str, own_ns: int | None) -> None:
        if match := _MEMORY.match(words):
            # Code, data, constants and what is freed after the start, as they were unpacked.
            self.unpacked_bytes = sum(int(kib) << 10 for kib in match.groups())
        elif match := _BAUD.match(words):
            self.baud = int(match[1])
        elif match := _TIMED.match(words) or _UNTIMED.match(words):
            took_ns, least_ns = line.start_ns - self._last_ns, self._least_ns
            if match.re is _TIMED:
                took_ns, least_ns = int(match[2]) * 1_000_000, _LEAST_NS
            took_ns = min(took_ns, line.start_ns)
            self._keep(
                Wait(
                    kind="read",
                    name="reading by the bootloader",
                    start_ns=line.start_ns - took_ns,
                    duration_ns=took_ns,
                    size=int(match[1]),
                ),
                least_ns,
            )
        elif name := _waited_for(words):
            within_ns = line.text_end_ns - line.start_ns
            if own_ns is None and within_ns >= _LEAST_NS:
                wait = Wait(kind="wait", name=name, start_ns=line.start_ns, duration_ns=within_ns)
                self._keep(wait, self._least_ns)
            else:
                self._open = name, line.start_ns, own_ns

    def _keep(self, wait: Wait, least_ns: int) -> None:
        if wait.duration_ns >= least_ns and len(self.found) < _MOST:
            self.found.append(wait)


def _waited_for(words: str) -> str | None:
    if _UNPACKING.match(words):
        return UNPACKING
    return next((source.name for pattern, source in _LINES if pattern.search(words)), None)
