# SPDX-License-Identifier: Apache-2.0
"""The scope's record of one boot: marks, console stamps, processor time."""

import json
import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from perfboard.analysis.boot.reading.console import Stamps
from perfboard.analysis.boot.reading.services import STEP
from perfboard.model.results.boot import IDLE_TASK, Mark, ProcessTime

# Marks that every kernel reaches again and again, kept for the process times alone.
ACCOUNTING = {"switch", "fork", "comm"}
# Not those that run the others, nor one with its place in its name.
_SCRIPT = re.compile(r"/etc/init\.d/(?!rcS?\Z|S\d\d)([\w.-]{1,60})", re.ASCII)


@dataclass(frozen=True)
class ScopeRecord:
    """A mark that was reached, with the argument registers and text asked for.

    `counters` are the timing model's from reset to there; a counted board has none.
    """

    name: str
    ns: int
    instructions: int
    words: tuple[int, ...] = ()
    text: str = ""
    counters: Mapping[str, int] = field(default_factory=dict)


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
        elif "mark" in record:
            records.append(
                ScopeRecord(
                    record["mark"],
                    record["ns"],
                    record["instructions"],
                    tuple(record.get("words", ())),
                    record.get("text", ""),
                    record.get("counters", {}),
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
                precision_ns=precision_ns,
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


def process_times(log: ScopeLog, until_ns: int) -> tuple[ProcessTime, ...]:
    """Processor time by process, largest first, from the first switch to `until_ns`.

    A `switch` gives the task that leaves the processor and, last, the one that
    takes it, as addresses; `fork` a task that is made, which has its parent's name
    until `comm` (a kernel thread) or `exec` (a program) names it. Time in
    interrupts is the interrupted task's. Processes of one name are one row.
    """
    names: dict[int, str] = {}
    time_ns: dict[str, int] = defaultdict(int)
    instructions: dict[str, int] = defaultdict(int)
    current: int | None = None
    since: ScopeRecord | None = None

    def charge(end_ns: int, end_instructions: int) -> None:
        if current is not None and since is not None:
            name = names.get(current, IDLE_TASK)
            time_ns[name] += end_ns - since.ns
            instructions[name] += end_instructions - since.instructions

    for record in log.records:
        if record.ns > until_ns:
            break
        if record.name == "switch" and len(record.words) >= 2:
            charge(record.ns, record.instructions)
            current, since = record.words[-1], record
        elif record.name == "fork" and record.words:
            names[record.words[0]] = names.get(current, IDLE_TASK) if current else IDLE_TASK
        elif record.name == "comm" and record.words:
            names[record.words[0]] = record.text
        elif record.name == "exec" and current is not None:
            # Its use so far belongs to its old name.
            charge(record.ns, record.instructions)
            since = record
            names[current] = record.text.rpartition("/")[2]
    last = next((r for r in reversed(log.records) if r.ns <= until_ns), None)
    if last is not None:
        charge(last.ns, last.instructions)
    rows = [
        ProcessTime(name=n, time_ns=t, instructions=instructions[n]) for n, t in time_ns.items()
    ]
    return tuple(sorted(rows, key=lambda row: -row.time_ns))
