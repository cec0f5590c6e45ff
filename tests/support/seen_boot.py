# SPDX-License-Identifier: Apache-2.0
"""A boot of a virtual board as a capture, a console log and a trace saw it, each by its own clock.

The boot is `tests/data/verdex-initcall.log`, whose every byte has the scope's stamp. A seed slows
it down by some factor, and gives each clock an offset and a drift of up to 100 ppm.
"""

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from perfboard.analysis.boot.reading.records import RECORD
from perfboard.model.results.timeline import TimelineResult
from tests.support.captures import vcd
from tests.support.command import imported
from tests.support.recorded import DATA, recorded_stamps

# Instants that the scope saw, in ns since reset: tests/data/README.md.
_START_KERNEL, _CLOCK, _PREPARE = 847234144, 890482736, 1113843864
# The first byte of the line that means ready.
_READY = b"Please press Enter to activate this console."
_RECORDS = {
    "root.mounted": b"VFS: Mounted root",
    "kernel.freed": b"Freeing unused kernel image (initmem)",
    "init.exec": b"Run /sbin/init as init process",
}
CHANNELS = {"D0": "kernel.start_kernel", "D1": "kernel.prepare_namespace", "D2": "usable"}
"""The capture's channels, and the mark that each shows."""
_APPS = 12
_STEP_NS = 1000
# A clock of 2026 and one that counts from the start of the machine.
_EPOCH_NS, _UPTIME_NS = 1_790_000_000 * 10**9, 10**5 * 10**9


@dataclass(frozen=True)
class SeenBoot:
    """The files; each edge as the capture has it, and the true time of each mark on its clock."""

    pins: Path
    console: Path
    trace: Path
    edges: Mapping[str, int]
    true_ns: Mapping[str, float]


def seen_boot(folder: Path, seed: int) -> SeenBoot:
    """The boot of that seed, written to the folder."""
    chance = random.Random(seed)
    slower = chance.uniform(1, 20)
    data = (DATA / "verdex-initcall.log").read_bytes()
    stamps = [ns * slower for ns in recorded_stamps()]
    zero = _CLOCK * slower
    true = {
        "console.first": stamps[0],
        "kernel.start_kernel": _START_KERNEL * slower,
        "kernel.clock": zero,
        "kernel.prepare_namespace": _PREPARE * slower,
        "usable": stamps[data.index(_READY)],
    }
    # A record is rounded down to a microsecond: when in it, the log does not say.
    printed = {
        at: zero + (int(match[1] + match[2]) + chance.random()) * 1000 * slower
        for at, match in _records(data)
    }
    for name, words in _RECORDS.items():
        true[name] = printed[data.rindex(b"[", 0, data.index(words))]
    for number in range(_APPS):
        true[f"app.{number}"] = chance.uniform(true["init.exec"], true["usable"])
    host, kernel, trace, capture = (
        _clock(chance, began_ns) for began_ns in (_EPOCH_NS, None, _UPTIME_NS, 10**9)
    )
    folder.mkdir(exist_ok=True)
    pins = {channel: capture(true[name]) for channel, name in CHANNELS.items()}
    # The sampling shows an edge at the next step.
    edges = {name: -(-round(ns) // _STEP_NS) * _STEP_NS for name, ns in pins.items()}
    (folder / "pins.vcd").write_bytes(
        vcd({name: [ns] for name, ns in edges.items()}, "1 us", _STEP_NS)
    )
    lines = [*_lines(data, stamps, printed, lambda ns: kernel(ns - zero))]
    form = chance.choice(_FORMS)
    (folder / "boot.log").write_bytes(b"".join(form(lines, host)))
    (folder / "trace.txt").write_text("".join(_trace(true, trace)))
    return SeenBoot(
        folder / "pins.vcd",
        folder / "boot.log",
        folder / "trace.txt",
        edges,
        {name: capture(ns) for name, ns in true.items()},
    )


def _clock(chance: random.Random, began_ns: int | None) -> Callable[[float], float]:
    """The time of a clock at a true time; one that began at None counts from there."""
    gain = 1 + chance.uniform(-100, 100) / 1e6
    offset = 0.0 if began_ns is None else began_ns * chance.uniform(1, 1.1)
    return lambda ns: offset + ns * gain


def _records(data: bytes) -> Iterator[tuple[int, re.Match[str]]]:
    """Each record's place and its time."""
    text = data.decode("latin-1")
    return ((match.start(), match) for match in RECORD.finditer(text))


# A line, and the true times of its first and its last byte.
_Line = tuple[bytes, float, float]


def _lines(
    data: bytes,
    stamps: list[float],
    printed: Mapping[int, float],
    kernel: Callable[[float], float],
) -> Iterator[_Line]:
    """The lines, with the kernel's times by its own clock."""
    begin = 0
    for line in data.splitlines(keepends=True):
        end = begin + len(line)
        text = line
        for at in sorted((at for at in printed if begin <= at < end), reverse=True):
            stop = data.index(b"]", at) + 1
            us = int(kernel(printed[at])) // 1000 if data[at:stop] != b"[    0.000000]" else 0
            stamp = b"[%5d.%06d]" % divmod(us, 10**6)
            text = text[: at - begin] + stamp + text[stop - begin :]
        yield text, stamps[begin], stamps[end - 1]
        begin = end


def _grabserial(lines: list[_Line], host: Callable[[float], float]) -> Iterator[bytes]:
    begin = last = int(host(lines[0][1]))
    for text, first, _ in lines:
        ns = int(host(first))
        since, step = ((value // 1000) / 1e6 for value in (ns - begin, ns - last))
        yield b"[%.6f %.6f] " % (since, step) + text
        last = ns


def _ts(lines: list[_Line], host: Callable[[float], float]) -> Iterator[bytes]:
    for text, _, end in lines:
        yield b"%d.%06d " % divmod(int(host(end)) // 1000, 10**6) + text


def _tio(lines: list[_Line], host: Callable[[float], float]) -> Iterator[bytes]:
    for text, first, _ in lines:
        at = datetime.fromtimestamp(int(host(first)) // 10**6 / 1000, UTC)
        yield f"[{at.isoformat(timespec='milliseconds')[:23]}] ".encode() + text


_FORMS = (_grabserial, _ts, _tio)


def _trace(true: Mapping[str, float], trace: Callable[[float], float]) -> Iterator[str]:
    """The kernel rounds to the nearest microsecond."""
    words = {
        "kernel.start_kernel": "start_kernel <-start_kernel",
        "kernel.prepare_namespace": "prepare_namespace <-kernel_init_freeable",
        **{
            name: f"console: [    0.100000] {text.decode()}{' memory' * (name == 'kernel.freed')}"
            for name, text in _RECORDS.items()
        },
        "usable": "tracing_mark_write: usable",
        **{f"app.{n}": f"tracing_mark_write: perfboard: app.{n}" for n in range(_APPS)},
    }
    yield "# tracer: function\n#\n"
    for name, text in sorted(words.items(), key=lambda each: true[each[0]]):
        us = (round(trace(true[name])) + 500) // 1000
        yield f"            init-1       [000] ..... {us // 10**6:5}.{us % 10**6:06}: {text}\n"


def joined_errors(seen: SeenBoot, channels: int) -> list[tuple[float, int]]:
    """How far each mark of the joined timeline is from the truth, and its stated error, in ns.

    The console log is imported, then the trace and the last `channels` of the capture into that
    run. Marks whose true time the recording does not have are left out.
    """
    chosen = dict([*CHANNELS.items()][-channels:])
    words = [f"--channel={channel}={name}" for channel, name in chosen.items()]
    run = imported(str(seen.console))
    run = imported(str(seen.pins), str(seen.trace), *words, "--into", run.id)
    (timeline,) = run.results_of(TimelineResult)
    assert timeline.reference == seen.pins.name and all(clock.fit for clock in timeline.clocks)
    # The capture's time counts from its first mark.
    first_ns = min(seen.edges[channel] for channel in chosen) - _STEP_NS / 2
    return [
        (abs(mark.t_ns - (seen.true_ns[mark.name] - first_ns)), mark.error_ns)
        for mark in timeline.marks
        if mark.name in seen.true_ns
    ]
