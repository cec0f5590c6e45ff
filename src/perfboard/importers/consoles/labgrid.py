# SPDX-License-Identifier: Apache-2.0
"""Consoles that labgrid logged: files of --lg-log, and lines of the level CONSOLE with times."""

import re

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.console import boots_in
from perfboard.importers.consoles.kernel import kernel_console
from perfboard.importers.consoles.lines import SavedConsole, SavedLine, lines_of
from perfboard.importers.consoles.stamps import CLOCK, DATE, FRACTION, ns_of, running, unit_of

_HEAD = b"Labgrid Console Logfile for "
_BEGIN = b"=== Log starts here ===\n"
# %(asctime)s is anywhere before the source, and the text after the first "< ".
_STAMP = re.compile(rb"(?:" + DATE + rb"[ T])?" + CLOCK + rb"(?:" + FRACTION + rb")?")
_CONSOLE = re.compile(rb"\bCONSOLE\b.{0,400}?(?<=[)0-9A-Za-z>]) (?P<way>[<>]) ")
_WORDS = ("\N{SYMBOL FOR CARRIAGE RETURN}", "\N{SYMBOL FOR NEWLINE}", "\N{SYMBOL FOR BACKSPACE}")
_BYTES = list(zip((word.encode() for word in _WORDS), (b"\r", b"\n", b"\b"), strict=True))


def share(head: bytes) -> float:
    if head.startswith(_HEAD):
        return 1.0
    lines = [line for line in head.splitlines() if b"CONSOLE" in line[:200]]
    return 1.0 if sum(_CONSOLE.search(line[:800]) is not None for line in lines) >= 3 else 0.0


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    lines = lines_of(file)
    if file.head.startswith(_HEAD):
        begin = lines.index(_BEGIN) + 1 if _BEGIN in lines else 0
        return boots_in(file, kernel_console(lines[begin:]), options.usable)
    values: list[int | None] = []
    texts: list[bytes] = []
    stamps: list[re.Match[bytes]] = []
    for line in lines:
        console = _CONSOLE.search(line, 0, 1200)
        if console is None or console["way"] == b">":
            continue
        stamp = _STAMP.search(line, 0, console.start())
        text = line[console.end() :].rstrip(b"\r\n")
        for word, byte in _BYTES:
            text = text.replace(word, byte)
        values.append(ns_of(stamp) if stamp else None)
        texts.append(text)
        stamps += [stamp] if stamp else []
    if not stamps:
        return boots_in(file, kernel_console(texts), options.usable)
    of_day = not any(stamp.groupdict().get("day") for stamp in stamps)
    times = running(values, unit_of(stamps), of_day=of_day, since=False)
    saved = [SavedLine(ns, text) for ns, text in zip(times.ns, texts, strict=True)]
    console_log = SavedConsole(
        saved, resolution_ns=times.resolution_ns, at_end=True, notes=times.notes
    )
    return boots_in(file, console_log, options.usable)


IMPORTER = Importer(
    "labgrid",
    "a console of labgrid: a file of --lg-log, or a log with lines of the level CONSOLE",
    share,
    _read,
)
