# SPDX-License-Identifier: Apache-2.0
"""Entries of the journal, in JSON or as text: from these to a boot."""

import re
from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from perfboard.analysis.boot.phases import FIRMWARE_END
from perfboard.analysis.boot.reading.console import Stamps
from perfboard.analysis.boot.reading.kernel_log import is_first, naming_lines
from perfboard.analysis.boot.reading.screen import readable
from perfboard.analysis.boot.record import saved_record
from perfboard.importers.base import FileContent, ImportOptions, SavedFile
from perfboard.importers.consoles.console import usable_in
from perfboard.importers.consoles.kernel import record_line
from perfboard.importers.consoles.lines import SavedConsole
from perfboard.importers.consoles.portions import record_ns
from perfboard.model.errors import UsageError

# The kernel's own times begin near zero; the journal itself starts later.
_OWN_NS = 1_000_000_000
_US = 1000


class JournalEntry(NamedTuple):
    """An entry with its time, whoever took that; `text` has who speaks before a program's words."""

    ns: int
    is_kernel: bool
    text: bytes

    @property
    def own_ns(self) -> int | None:
        """The kernel's own time, where the words begin with it."""
        return record_ns(self.text) if self.is_kernel and self.text[:1] == b"[" else None


def begins_with_kernel(entries: Sequence[JournalEntry]) -> bool:
    """Whether the kernel's first words are there, at a time that its own clock may have had."""
    first = (each.ns for each in entries if each.is_kernel and is_first(_words(each)))
    return next(first, _OWN_NS) < _OWN_NS


def _words(entry: JournalEntry) -> str:
    return readable(entry.text.decode("latin-1"))


def journal_console(entries: Sequence[JournalEntry]) -> SavedConsole:
    """All entries as records on the kernel's clock."""
    # Programs' entries may come a little later than the kernel's of the same time.
    ordered = sorted(entries, key=lambda entry: entry.ns)
    return SavedConsole([record_line(entry.ns, entry.text) for entry in ordered], "kernel")


def programs_boot(
    file: SavedFile, entries: Sequence[JournalEntry], options: ImportOptions, zero_ns: int = 0
) -> FileContent:
    """The boot by the entries of programs alone, counted from `zero_ns` of their clock.

    For a journal that has the kernel's entries at the time when it received them. Raises
    UsageError if no service started and nothing was ready.
    """
    ordered = sorted(
        (entry for entry in entries if not entry.is_kernel), key=lambda entry: entry.ns
    )
    records = [record_line(entry.ns - zero_ns, entry.text).text for entry in ordered]
    texts = [_words(entry) for entry in ordered]
    stamps = Stamps(
        array("q", (entry.ns - zero_ns for entry in ordered)),
        ends=array("q", accumulate(map(len, records))),
        resolution_ns=_US,
    )
    usable = re.compile(options.usable) if options.usable else usable_in(texts)
    boot = saved_record(records, stamps, usable, (), "kernel")
    marks = [mark for mark in boot.marks if mark.name not in ("kernel.clock", FIRMWARE_END)]
    if not marks and not boot.spans:
        raise UsageError(
            f"{file.path}: it is the journal of user space, and has no service that started and no "
            "line that means ready (--usable)"
        )
    note = (
        "It is the journal of user space: of the kernel's entries it has the time when the journal "
        "received them, which is later by seconds; no kernel's phase is made of that."
    )
    facts = naming_lines(_words(entry) for entry in entries)
    found = boot.model_copy(update={"marks": tuple(marks)})
    return FileContent(boots=(found,), notes=(note,), facts=facts)
