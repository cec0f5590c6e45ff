# SPDX-License-Identifier: Apache-2.0
"""Words on a text whose lines have no times that Perfboard knows, and the next step."""

import re
from collections import Counter
from collections.abc import Iterable

from perfboard.analysis.boot.reading.kernel_log import is_first
from perfboard.analysis.boot.reading.loaders import begins_boot
from perfboard.analysis.boot.reading.screen import readable
from perfboard.model.text import printable

# Words that a program before the kernel prints, and no text about it has.
_LOADERS = {
    "UEFI": re.compile(r"\[UEFI\]|\[Bds\]|\bBdsDxe: |UEFI firmware \(version|\bDXE Core Platform"),
    "coreboot": re.compile(r"\bcoreboot-\S{1,80} .{0,80}(?:block|stage) starting"),
    "TF-A": re.compile(r"(?:NOTICE|INFO): {1,4}BL[123]"),
    "OpenSBI": re.compile(r"\AOpenSBI v[0-9]"),
    "U-Boot": re.compile(
        r"\AU-Boot (?:[STV]PL )?(?:[12]\.[0-9]|20[0-9]{2}[.-])|\AHit any key to stop autoboot"
    ),
    "barebox": re.compile(r"\Abarebox 20"),
    "GRUB": re.compile(r"Welcome to GRUB|GNU GRUB  version"),
    "RedBoot": re.compile(r"\ARedBoot\(tm\)"),
    "skiboot": re.compile(r"\A\[ {0,4}[0-9]{1,5}\.[0-9]{9},[0-9]\] "),
    "SeaBIOS": re.compile(r"\ASeaBIOS \(version"),
}
_FIRMWARE = re.compile(r"UEFI firmware \(version")
_STARTING = re.compile(r"Starting kernel \.\.\.|Uncompressing Linux|Booting Linux")
# The lines that say most of how a log ended, the first kind first.
_TELLING = (
    re.compile(r"Kernel panic - not syncing.*"),
    re.compile(r"Waiting for root device .*"),
    re.compile(r"A start job is running for .*"),
)
_JSON = re.compile(rb"\s{0,80}(?:\{\s{0,80}[\"}]|\[\s{0,80}[\"\[{\]])")
_LONGEST_QUOTE = 80
_GARBLED = 0.3
_CURE = (
    "record it with grabserial -t, tio --timestamp or `| ts -s`, or boot the kernel with "
    "printk.time=1"
)


def untimed_words(head: bytes) -> str:
    """A sentence or two on what a text is, what its end says, and the next step."""
    if not head.strip():
        return "it is empty" if not head else "it has nothing but blanks"
    odd = sum(1 for byte in head if byte < 9 or 13 < byte < 27 or 27 < byte < 32 or byte > 126)
    if odd > _GARBLED * len(head):
        return (
            "it is no text, nor a file of a kind that Perfboard knows; of a console, such bytes "
            "show a wrong baud rate: record it at the right one"
        )
    if _JSON.match(head):
        return "it is JSON of no program that Perfboard reads; docs/runs/import.md lists those"
    lines = [readable(line.decode("latin-1")).strip() for line in head.splitlines()]
    lines = [line for line in lines if line]
    loaders = [name for name, words in _LOADERS.items() if any(map(words.search, lines))]
    if any(map(is_first, lines)) or any(map(_STARTING.search, lines)):
        names = " and ".join([*loaders, "a kernel"])
        return f"it is a console log of {names}, and its lines have no times: {_CURE}.{_end(lines)}"
    if loaders:
        return (
            f"it is a firmware log ({', '.join(loaders)}): no Linux kernel started in it"
            f"{_starts(lines)}.{_end(lines)} Import a log that goes on to the kernel"
        )
    return (
        "its lines have no form that Perfboard knows. For a console, "
        f"{_CURE}; docs/runs/import.md lists the formats, and --as names one"
    )


def _starts(lines: Iterable[str]) -> str:
    """How often the firmware began, in words, if it did so more than once."""
    firsts = Counter(line for line in lines if begins_boot(line) or _FIRMWARE.search(line))
    most = max(firsts.values(), default=0)
    return f", though its first words come {most} times" if most > 1 else ""


def _end(lines: list[str]) -> str:
    for telling in _TELLING:
        found = [match[0] for line in lines if (match := telling.search(line))]
        if found:
            return f" It says: {_quoted(found[-1])}."
    return f" Its last line is {_quoted(lines[-1])}."


def _quoted(text: str) -> str:
    return f'"{printable(text)[:_LONGEST_QUOTE]}"'
