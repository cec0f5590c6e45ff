# SPDX-License-Identifier: Apache-2.0
"""The log of a LAVA job, a YAML list whose items stand on a line each."""

import re
from typing import NamedTuple

from pydantic_core import from_json

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.console import boots_in
from perfboard.importers.consoles.lines import SavedConsole, SavedLine, lines_of
from perfboard.importers.consoles.stamps import CLOCK, DATE, FRACTION, ns_of, running

_STAMP = re.compile(DATE + rb"T" + CLOCK + rb"(?:" + FRACTION + rb")?")
# Jobs of before 2018 have no quotes around keys, and single ones around texts.
_PLAIN = re.compile(
    r"- \{dt: '?([0-9T:.-]{19,32})'?, lvl: (\w{1,20}), "
    r"msg: (?:'((?:[^']|'')*+)'|([^{}\[\]'\"]*+))\}\s*\Z"
)
_RESET = re.compile(
    r"end: [0-9.]{1,20} (?:reset-device|power-on|pdu-reboot|reset-connection|power_on) "
    r"\(duration ([0-9]{2}):([0-9]{2}):([0-9]{2})\)"
)
_SECOND_NS = 1_000_000_000


class _LavaEntry(NamedTuple):
    stamp: bytes
    level: str
    text: str


def _entry(line: bytes) -> _LavaEntry | None:
    text = line.decode("utf-8", "replace")
    if not text.startswith("- {"):
        return None
    try:
        found = from_json(text[2:].rstrip())
    except ValueError:
        plain = _PLAIN.match(text)
        if plain is None:
            return None
        words = plain[4] if plain[3] is None else plain[3].replace("''", "'")
        return _LavaEntry(plain[1].encode(), plain[2], words)
    if not isinstance(found, dict):
        return None
    stamp, level, words = (found.get(key) for key in ("dt", "lvl", "msg"))
    if not (isinstance(stamp, str) and isinstance(level, str) and isinstance(words, str)):
        return None
    return _LavaEntry(stamp.encode("utf-8", "replace"), level, words)


def share(head: bytes) -> float:
    lines = [line for line in head.splitlines()[:500] if line.strip()]
    found = sum(1 for line in lines if b"lvl" in line[:80] and b"dt" in line[:8])
    return found / len(lines) if lines else 0.0


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    entries = [entry for line in lines_of(file) if (entry := _entry(line))]
    stamps = [_STAMP.match(entry.stamp) for entry in entries]
    values = [ns_of(stamp) if stamp else None for stamp in stamps]
    times = running(values, 1000, of_day=False, since=False)
    saved: list[SavedLine] = []
    for ns, entry in zip(times.ns, entries, strict=True):
        reset = _RESET.match(entry.text)
        if entry.level == "target":
            text = entry.text.encode("utf-8", "replace").rstrip(b"\r\n")
            saved.append(SavedLine(ns, text + b"\r\n"))
        elif reset and entry.level != "feedback":
            hours, minutes, seconds = (int(number) for number in reset.groups())
            took_ns = ((hours * 60 + minutes) * 60 + seconds + 1) * _SECOND_NS
            saved.append(SavedLine(ns, b"", took_ns))
    console = SavedConsole(saved, resolution_ns=times.resolution_ns, at_end=True, notes=times.notes)
    return boots_in(file, console, options.usable)


IMPORTER = Importer(
    "lava",
    'the log of a LAVA job: - {"dt": "2026-11-25T12:34:56.789012", "lvl": "target", "msg": ...',
    share,
    _read,
)
