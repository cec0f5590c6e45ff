# SPDX-License-Identifier: Apache-2.0
"""The scope's record of one boot: marks, console stamps, processor time."""

import json
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from perfboard.analysis.boot.reading.console import Stamps
from perfboard.analysis.boot.reading.services import STEP
from perfboard.model.results.boot import Mark

# Marks that every kernel reaches again and again, kept for the process times alone.
ACCOUNTING = {"switch", "fork", "comm"}
# Not those that run the others, nor one with its place in its name.
_SCRIPT = re.compile(r"/etc/init\.d/(?!rcS?\Z|S\d\d)([\w.-]{1,60})", re.ASCII)


@dataclass(frozen=True)
class ScopeRecord:
    """A mark that was reached, with the argument registers and text asked for.

    `counters` are the timing model's from reset to there; a counted board of one core has none.
    `core` is which one reached it. `precision_ns` is that of a mark that is no function; None: it
    is exact to an instruction.
    """

    name: str
    ns: int
    instructions: int
    words: tuple[int, ...] = ()
    text: str = ""
    counters: Mapping[str, int] = field(default_factory=dict)
    core: int = 0
    precision_ns: int | None = None


@dataclass(frozen=True)
class ScopeLog:
    """All records in order of time, and a stamp for each byte of the console."""

    records: tuple[ScopeRecord, ...]
    stamps: Stamps


def whole_records(lines: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The lines that are whole records, each with its record."""
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield line, record


def parse_scope(lines: Iterable[str]) -> ScopeLog:
    """Reads scope.jsonl; a line cut short by the emulator's end is left out."""
    records: list[ScopeRecord] = []
    ns, instructions = array("q"), array("q")
    for _, record in whole_records(lines):
        if "console" in record:
            ns.extend(record["console"][0::2])
            instructions.extend(record["console"][1::2])
        elif name := record.get("mark", record.get("seen")):
            records.append(
                ScopeRecord(
                    name,
                    record["ns"],
                    record["instructions"],
                    tuple(record.get("words", ())),
                    record.get("text", ""),
                    record.get("counters", {}),
                    record.get("core", 0),
                    record.get("precision_ns"),
                )
            )
    return ScopeLog(tuple(records), Stamps(ns, instructions))


def scope_marks(log: ScopeLog, precision_ns: int) -> tuple[Mark, ...]:
    """The marks of a boot, from `reset` on.

    The start of a program is named after it, as in `exec:mount`; the times a
    program is started again are marks of the same name. The start of a script of System V init
    whose name does not say its place is a step as well.
    """
    marks = [Mark(name="reset", t_ns=0, source="scope", instructions=0)]
    for record in log.records:
        if record.name in ACCOUNTING:
            continue
        names = [record.name]
        if record.name == "exec":
            names = [f"exec:{record.text.rpartition('/')[2]}"]
            if script := _SCRIPT.fullmatch(record.text):
                names.append(f"{STEP}{script[1]}")
        marks += [
            Mark(
                name=name,
                t_ns=record.ns,
                source="scope",
                precision_ns=max(precision_ns, record.precision_ns or 0),
                instructions=record.instructions,
            )
            for name in names
        ]
    return tuple(marks)


def counted_at(log: ScopeLog, marks: Iterable[Mark]) -> dict[str, dict[str, int]]:
    """The model's counters at those marks that the scope saw, and at `usable` whoever saw it.

    If a line means ready, they are those of the last record before it, with its instant as `ns`.
    """
    found: dict[str, dict[str, int]] = {}
    for mark in marks:
        seen = (
            record
            for record in reversed(log.records)
            if record.counters
            and (record.ns == mark.t_ns or (mark.name == "usable" and record.ns < mark.t_ns))
        )
        if (record := next(seen, None)) is not None:
            found[mark.name] = dict(record.counters)
            if record.ns < mark.t_ns:
                found[mark.name]["ns"] = record.ns
    return found
