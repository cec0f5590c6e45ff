# SPDX-License-Identifier: Apache-2.0
"""One pass over a console's bytes, which keeps little of them, however many there are."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from perfboard.analysis.boot.reading.console import (
    ConsoleEvent,
    ConsoleLine,
    Stamps,
    line_of,
    mark_at,
    read_rows,
    sight,
)
from perfboard.analysis.boot.reading.kernel_log import (
    MOST_NOTABLE,
    KernelLine,
    KernelLog,
    instant_of,
)
from perfboard.analysis.boot.reading.loaders import Event, Loaders
from perfboard.analysis.boot.reading.screen import ScreenLine, readable
from perfboard.analysis.boot.reading.services import Sightings, service_of
from perfboard.analysis.boot.reading.waits import Waits
from perfboard.model.results.boot import Mark

# Records of a kernel that prints no times.
_BARE = re.compile(
    r"(?:<[0-7]>)?(VFS: Mounted root|Freeing (?:unused kernel |init memory: )|Run \S+ as init proc"
    r"|[Cc]alling |initcall |probe of |clocksource: Switched|Switch(?:ed|ing) to clocksource )"
)


class Bare(NamedTuple):
    """A line of a kernel that prints no times: its arrival stands for its time.

    `next_ns` is when the next line came that is not blank, if any.
    """

    line: KernelLine
    mark: Mark
    next_ns: int | None = None


@dataclass
class ConsoleRecording:
    """A console, as far as a boot's record needs it.

    `usable` is the place of the text that ends the boot. `next_text` has the time of the next text
    of a program, by the place of each record that the memory of the kernel's start is freed.
    """

    log: KernelLog = field(default_factory=KernelLog)
    events: Sequence[Event] = ()
    stages: Sequence[tuple[str, Mark]] = ()
    bare: list[Bare] = field(default_factory=list)
    next_text: dict[int, int] = field(default_factory=dict)
    services: Sightings = field(default_factory=Sightings)
    waits: Waits = field(default_factory=Waits)
    usable: ConsoleEvent | None = None
    last: ScreenLine | None = None


def read_recording(
    portions: Iterable[bytes], stamps: Stamps, usable: re.Pattern[str] | None
) -> ConsoleRecording:
    """Reads all portions; `usable` is searched for, if it is given."""
    found = ConsoleRecording(
        KernelLog(resolution_ns=stamps.resolution_ns, byte_ns=stamps.byte_ns),
        waits=Waits(stamps.resolution_ns),
    )
    loaders = Loaders()
    freed: list[int] = []
    for row in read_rows(portions, stamps):
        found.last = row
        if usable is not None and found.usable is None:
            found.usable = sight(usable, row, stamps, "usable")
        service = service_of(readable(row.before) if row.records else row.text)
        if service is not None:
            found.services.add(service, mark_at(row.start, stamps, ""))
        line = line_of(row, stamps)
        known = len(found.log.times)
        found.log.add(line)
        for piece in _pieces(row, line, stamps):
            loaders.add(piece)
            found.waits.add(piece)
        if len(found.log.times) > known:
            freed += [
                place
                for place in range(known, len(found.log.times))
                if (record := found.log.lines.get(place))
                and instant_of(record.text) == "kernel.freed"
            ]
        elif line.text.strip():
            came_ns = line.start_ns + stamps.resolution_ns
            _, latest_ns = stamps.lent.get(line.start_ns, (0, came_ns))
            if latest_ns is not None:
                found.next_text |= dict.fromkeys(freed, latest_ns)
                freed.clear()
            if found.bare and found.bare[-1].next_ns is None:
                found.bare[-1] = found.bare[-1]._replace(next_ns=came_ns)
            bare = _BARE.match(line.text)
            if bare and len(found.bare) < MOST_NOTABLE:
                text = line.text[bare.start(1) :]
                record = KernelLine(line.start_ns, text, line.start_ns)
                found.bare.append(Bare(record, mark_at(row.start, stamps, "")))
    found.events, found.stages = tuple(loaders.events), tuple(loaders.stages)
    return found


def _pieces(row: ScreenLine, line: ConsoleLine, stamps: Stamps) -> Iterator[ConsoleLine]:
    """The line, or what stands on it before a kernel's record, and that."""
    if not row.records or row.records[0] == 0:
        yield line
        return
    first = row.records[0]
    cut = row.start + first
    before = stamps.at(cut - 1)
    count = stamps.count(cut - 1)
    yield line._replace(
        text=readable(row.raw[:first]),
        text_end_ns=before,
        end_ns=before,
        end_instructions=count,
    )
    yield line._replace(
        text=readable(row.raw[first:]),
        start_ns=stamps.at(cut),
        instructions=stamps.count(cut),
    )
