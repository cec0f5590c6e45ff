# SPDX-License-Identifier: Apache-2.0
"""lmbench's programs by hand at a prompt, and its results: rates by size, and latencies."""

import re
from collections import defaultdict
from collections.abc import Iterator

from perfboard.analysis.boot.reading.screen import readable
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.benchmarks.reading import content_of, label
from perfboard.model.run import Metric

_NUMBER = r"\d{1,12}(?:\.\d{1,9})?"
# A prompt or a trace of the shell's, the program, its options, its sizes and its way.
_BANDWIDTH = re.compile(
    r"(?:.{0,80}[#$>+] )?(?:\S{0,80}/)?(bw_(?:mem|file_rd|mmap_rd))(?: -\S{1,3} \d{1,6})*"
    r" (\d{1,9}[kmgKMG]?)((?: [a-z_0-9]{1,20}){0,3})\b"
)
_OTHER = re.compile(
    r"(?:.{0,80}[#$>+] )?(?:\S{0,80}/)?((?:lat|bw)_[a-z_]{2,20})((?: [\w./-]{1,40}){0,8})"
)
# Megabytes, of 10^6 bytes, and 10^6 bytes a second.
_PAIR = re.compile(rf"\s*({_NUMBER}) ({_NUMBER})\s*")
_LATENCY = re.compile(rf"([A-Z][\w /+.()-]{{2,60}}?): +({_NUMBER}) microseconds\s*")
_RATE = re.compile(rf"([A-Z][\w /+.()-]{{2,60}}?): +({_NUMBER}) MB/sec\s*")
# lat_mem_rd prints its stride, then a size in MiB and nanoseconds a line.
_STRIDE = re.compile(r'"stride=(\d{1,9})')
_CALLED = re.compile(rb"(?:^|[#$>+/ ])(?:bw_mem|lat_mem_rd|lat_ctx|lat_syscall|bw_pipe|lat_\w+) ")
_TITLES = re.compile(rb"(?m)^(?:Simple syscall|Pipe latency|Process fork\+exit): [\d.]+ micros")
_HEAD = re.compile(rb"\[lmbench\d")
_PAIRS = re.compile(rb"(?m)^\s{0,4}\d{1,9}\.\d{1,4} \d{1,9}\.\d{1,4}\s*$")


def _metrics(lines: list[str]) -> Iterator[Metric]:
    rates: dict[tuple[str, tuple[tuple[str, str], ...]], list[float]] = defaultdict(list)
    called: tuple[str, str] | None = None
    key: tuple[tuple[str, str], ...]
    stride = ""
    for line in lines:
        if match := _STRIDE.match(line):
            stride, called = match[1], None
        elif match := _BANDWIDTH.fullmatch(line.rstrip()):
            called, stride = (match[1], match[3].strip()), ""
        elif _OTHER.fullmatch(line.rstrip()):
            called = None
        elif match := _PAIR.fullmatch(line):
            if stride:
                size = f"{round(float(match[1]) * 2**20)} B"
                key = ("stride", f"{stride} B"), ("size", size)
                rates["lmbench.lat_mem_rd", key].append(float(match[2]) / 1e9)
            elif called:
                name, way = called
                ways = [("way", way)] if way else []
                key = (*ways, ("size", f"{match[1]} MB"))
                rates[f"lmbench.{name}", key].append(float(match[2]) * 1e6)
        elif match := _LATENCY.fullmatch(line):
            rates["lmbench.latency", (("test", match[1]),)].append(float(match[2]) / 1e6)
        elif match := _RATE.fullmatch(line):
            rates["lmbench.bandwidth", (("test", match[1]),)].append(float(match[2]) * 1e6)
    for (name, labels), samples in rates.items():
        timed = name in ("lmbench.latency", "lmbench.lat_mem_rd")
        yield Metric(
            name=name,
            unit="s" if timed else "B/s",
            better="lower" if timed else "higher",
            labels={key: label(value) for key, value in labels},
            samples=tuple(samples),
        )


def _share(head: bytes) -> float:
    if _HEAD.match(head) or _TITLES.search(head):
        return 1.0
    called = any(_CALLED.search(line) for line in head.splitlines()[:2000])
    return 1.0 if called and (_PAIRS.search(head) or b" microseconds" in head) else 0.0


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    lines = [readable(line.decode("latin-1")) for line in file.text.splitlines()]
    notes = ("The first figure of a bw_ line is the size, in 10^6 bytes; the second is the rate.",)
    return content_of(_metrics(lines), file, "figures of lmbench", notes)


IMPORTER = Importer(
    "lmbench",
    "lmbench's programs: `bw_mem 1M rd` and its line, lat_mem_rd's tables, and other latencies",
    _share,
    _read,
)
