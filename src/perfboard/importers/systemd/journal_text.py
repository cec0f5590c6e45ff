# SPDX-License-Identifier: Apache-2.0
"""The journal, or syslog, as text: a stamp, the host, who speaks, and its words."""

import re
from collections.abc import Sequence
from dataclasses import replace

from perfboard.analysis.boot.reading.initcalls import parse_initcalls
from perfboard.analysis.boot.reading.kernel_log import KernelLine, naming_lines
from perfboard.analysis.boot.reading.screen import readable
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.console import boots_in
from perfboard.importers.consoles.lines import SavedConsole, SavedLine, lines_of
from perfboard.importers.consoles.stamps import CLOCK, DATE, ZONE, ns_of, unit_of
from perfboard.importers.systemd.analyze import IMPORTER as ANALYZE
from perfboard.importers.systemd.analyze import parts_of
from perfboard.importers.systemd.entries import (
    JournalEntry,
    begins_with_kernel,
    journal_console,
    programs_boot,
)
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot

_WHO = (
    rb" (?P<host>[\w.-]{1,64}) (?P<who>[\w@:./()+-]{1,64}?)(?:\[(?P<pid>[0-9]{1,7})\])?: "
    rb"(?P<text>.*)"
)
_FRACTION = rb"(?:[.,](?P<fraction>[0-9]{6}))?"
# The months and days of any language: the reader needs the time of the day.
_FORMS = {
    "short-monotonic": rb"\[ {0,6}(?P<seconds>[0-9]{1,9})\.(?P<fraction>[0-9]{6})\]",
    "short": rb"(?:<[0-9]{1,3}>)?\w{3,5}\.? {1,2}[0-9]{1,2} " + CLOCK + _FRACTION,
    "short-iso": DATE + rb"T" + CLOCK + _FRACTION + ZONE,
    "short-full": rb"\w{2,5}\.? " + DATE + rb" " + CLOCK + _FRACTION + rb" [A-Z+-][\w+-]{1,8}",
    "short-unix": rb"(?P<seconds>[0-9]{9,11})\.(?P<fraction>[0-9]{6})",
}
_LINES = {name: re.compile(stamp + _WHO, re.DOTALL) for name, stamp in _FORMS.items()}
_MONOTONIC = "short-monotonic"
# Lines that journalctl itself prints between entries.
_OWN = re.compile(rb"-- (?:Logs begin|Journal begins|Boot [0-9a-f]|Reboot|No entries)")
_ANOTHER = re.compile(rb"-- (?:Boot [0-9a-f]{8,32}|Reboot) --")
_KERNEL = b"kernel"
_SHARE = 0.9
_SAMPLE = 2000
_SECOND_NS = 1_000_000_000
_LEAST = 3
_HELP = "`journalctl -b -o json` keeps the kernel's own times"


def _form(lines: Sequence[bytes]) -> tuple[str, float]:
    """The form that most lines have, and their share."""
    own = [line for line in lines[:_SAMPLE] if line.strip() and not _OWN.match(line)]
    found = {name: [m for m in map(form.match, own) if m] for name, form in _LINES.items()}
    name = max(found, key=lambda each: len(found[each]))
    matches = found[name]
    spoken = any(match["pid"] or match["who"] == _KERNEL for match in matches)
    # The journal of a boot is of one host.
    hosts = {match["host"] for match in matches}
    if not matches or not spoken or len(hosts) > 1:
        return name, 0.0
    return name, len(matches) / len(own)


def _share(head: bytes) -> float:
    _, share = _form(head.splitlines())
    return 1.0 if share >= _SHARE else 0.0


def _entries(lines: Sequence[bytes], form: str) -> tuple[list[JournalEntry], int]:
    """The entries of the journal, and the nanoseconds of a stamp's last digit."""
    matches = [match for line in lines if (match := _LINES[form].match(line.rstrip(b"\r\n")))]
    found = []
    for match in matches:
        if (ns := ns_of(match)) is not None:
            is_kernel = match["who"] == _KERNEL
            pid = b"[%s]" % match["pid"] if match["pid"] else b""
            text = match["text"] if is_kernel else b"%s%s: %s" % (match["who"], pid, match["text"])
            found.append(JournalEntry(ns, is_kernel, text))
    return found, unit_of(matches)


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    lines = lines_of(file)
    form, _ = _form(lines)
    entries, unit_ns = _entries(lines, form)
    if not entries:
        raise UsageError(f"{file.path}: has no entry of a journal; store `journalctl -b -o json`")
    another = sum(1 for line in lines if _ANOTHER.match(line))
    boots = another + (another > 0 and not _ANOTHER.match(lines[0]))
    if boots > 1:
        raise UsageError(
            f"{file.path}: has the journal of {boots} boots; store one, as by journalctl -b -o json"
        )
    kernel = [entry for entry in entries if entry.is_kernel]
    stamped = [entry for entry in kernel if entry.own_ns is not None]
    if len(stamped) >= _LEAST:
        console = _by_own_times(entries)
    elif form == _MONOTONIC and begins_with_kernel(entries):
        console = journal_console(entries)
    elif unit_ns < _SECOND_NS:
        zero_ns = 0 if form == _MONOTONIC else min(entry.ns for entry in entries)
        found = programs_boot(file, entries, options, zero_ns)
        return replace(found, notes=(*found.notes, f"{_HELP}."))
    elif any(parts_of(line.decode("latin-1"))[1] for line in lines):
        return ANALYZE.read(file, options)
    else:
        return _of_initcalls(file, kernel)
    try:
        return boots_in(file, console, options.usable)
    except UsageError as error:
        raise UsageError(f"{error}. It is a journal's text; {_HELP}") from error


def _by_own_times(entries: Sequence[JournalEntry]) -> SavedConsole:
    """By the kernel's times, which syslog has in the words of an entry, or of its copy."""
    lines = [
        SavedLine(entry.own_ns, entry.text + b"\n")
        for entry in entries
        if not entry.is_kernel or entry.own_ns is not None
    ]
    note = (
        "It is the journal's or syslog's text: the times are the kernel's own, in the words of its "
        f"entries; the stamps before them are when they were received, and not used. {_HELP}."
    )
    return SavedConsole(lines, "kernel", notes=(note,))


def _of_initcalls(file: SavedFile, kernel: Sequence[JournalEntry]) -> FileContent:
    """The durations that initcalls print: stamps of whole seconds show nothing else."""
    texts = [readable(entry.text.decode("latin-1")) for entry in kernel]
    found = parse_initcalls([KernelLine(0, text) for text in texts])
    if not found.spans and not found.unfinished:
        raise UsageError(
            f"{file.path}: it is the journal's short form, or syslog, whose stamps are whole "
            f"seconds and not the kernel's: {_HELP}"
        )
    spans = tuple(span.model_copy(update={"start_ns": None}) for span in found.spans)
    note = (
        "It is the journal's short form, whose stamps are whole seconds: how long initcalls took "
        f"is known by their own words, when is not. {_HELP}."
    )
    boot = Boot(marks=(), spans=spans, untimed=found.untimed, unfinished=found.unfinished)
    return FileContent(boots=(boot,), notes=(note,), facts=naming_lines(texts), joins=True)


IMPORTER = Importer(
    "journal-text",
    "the journal's text, or syslog: [    1.234567] HOST kernel: ..., Apr 23 15:48:10 HOST ...",
    _share,
    _read,
    narrow=True,
)
