# SPDX-License-Identifier: Apache-2.0
"""sbc-bench's full report, the text that it uploads: what tinymembench, OpenSSL and 7-Zip said."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.benchmarks.reading import content_of, label
from perfboard.model.run import Metric

_BEGIN = re.compile(rb"(?m)^sbc-bench v\d")
_HEAD = re.compile(r"^sbc-bench v[\d.]{1,20} (.{1,80}?) \(", re.MULTILINE)
_COPY = re.compile(r" {1,8}(\S.{0,60}?) +: +(\d{1,9}\.\d) MB/s")
_READ = re.compile(r" *(\d{1,12}) : +(\d{1,9}\.\d) ns +/ +(\d{1,9}\.\d) ns")
_CIPHER = re.compile(r"(aes-\d{3}-cbc)((?: +\d{1,12}\.\d\dk){6})(?: +\(([\w.+ -]{1,40})\))?")
_BLOCKS = (16, 64, 256, 1024, 8192, 16384)
_DICTIONARY = re.compile(r"(\d\d): +(\d{1,9}) .*\| +(\d{1,9}) ")
_THREADS = re.compile(r"RAM usage: .* # Benchmark threads: +(\d{1,4})")
_MHZ = r"\d{1,6}(?:\.\d{1,6})?"
# Today's versions print the middle, then the three in brackets.
_CLOCK = re.compile(
    rf"Cpufreq OPP: +(\d{{1,6}}) +Measured: +(?:({_MHZ}) +\()?({_MHZ}(?:/{_MHZ}){{0,20}})"
)
# A heading of a part that is of the cores of one cluster, or of all.
_PART = re.compile(
    r"(?:Executing benchmark|Checking cpufreq OPP)(?: single-threaded)?"
    r"(?: (?:on|for) (cpu\d{1,4})\S{0,20})?(?: \(([\w.+ -]{1,40})\))?"
)
_ROW = re.compile(r"\| .{1,120}? \| (\d{2,5})(?:/\d{2,5}){0,4} MHz \| ")
_UNLIKE = 0.03
_Labels = tuple[tuple[str, str], ...]


def _clusters(lines: list[str]) -> dict[str, str]:
    """The cores that each first processor is of, by its name; those of one sort have its number."""
    found = {m[1]: m[2] for line in lines if (m := _PART.match(line)) and m[1] and m[2]}
    cores = Counter(found.values())
    return {cpu: f"{core} ({cpu})" if cores[core] > 1 else core for cpu, core in found.items()}


def _metrics(lines: list[str]) -> Iterator[Metric]:
    clusters = _clusters(lines)
    rates: dict[tuple[str, _Labels], list[float]] = defaultdict(list)
    times: dict[_Labels, list[float]] = defaultdict(list)
    pages, threads, core = "", "", ""

    def labelled(*labels: tuple[str, str], of: str = "") -> _Labels:
        # Two clusters of cores are not two samples of one figure.
        of = of or core
        return (*labels, ("core", of)) if of and len(clusters) > 1 else labels

    for line in lines:
        if "MADV_" in line:
            pages = "huge" if "MADV_HUGEPAGE" in line else "small"
        elif match := _PART.match(line):
            core = clusters.get(match[1] or "", "")
        elif match := _THREADS.search(line):
            threads = match[1]
        elif match := _COPY.match(line):
            key = labelled(("method", match[1]))
            rates["sbc-bench.memory", key].append(float(match[2]) * 1e6)
        elif match := _READ.match(line):
            sizes = [("pages", pages)] if pages else []
            for reads, value in (("1", match[2]), ("2", match[3])):
                key = labelled(("size", f"{match[1]} B"), ("reads", reads), *sizes)
                times[key].append(float(value) / 1e9)
        elif match := _CIPHER.match(line):
            for block, rate in zip(_BLOCKS, match[2].split(), strict=True):
                size = ("size", f"{block} B")
                key = labelled(("cipher", match[1]), size, of=match[3] or "")
                rates["sbc-bench.openssl", key].append(float(rate[:-1]) * 1e3)
        elif match := _DICTIONARY.match(line):
            key = labelled(("dictionary", f"2^{match[1]} B"), ("threads", threads))
            rates["sbc-bench.7zip.compress", key].append(float(match[2]) * 1024)
            rates["sbc-bench.7zip.decompress", key].append(float(match[3]) * 1024)
        elif match := _CLOCK.match(line):
            found = [float(part) * 1e6 for part in match[3].split("/")]
            rates["sbc-bench.clock", labelled(("set", f"{match[1]} MHz"))] += found
    for (name, labels), samples in rates.items():
        yield Metric(
            name=name,
            unit="1/s" if name == "sbc-bench.clock" else "B/s",
            better="higher",
            labels={key: label(value) for key, value in labels},
            samples=tuple(samples),
        )
    for labels, samples in times.items():
        yield Metric(name="sbc-bench.random", unit="s", labels=dict(labels), samples=tuple(samples))


def _clock_notes(lines: list[str]) -> Iterator[str]:
    """Sentences on a measured clock that is not the one that is set, or that sbc-bench states."""
    measured: list[float] = []
    for line in lines:
        if match := _CLOCK.match(line):
            found = sorted(float(part) for part in match[3].split("/"))
            middle, stated = found[len(found) // 2], float(match[2] or match[1])
            measured.append(middle)
            if match[2] and abs(stated - middle) > _UNLIKE * middle:
                yield f"sbc-bench says {match[2]} MHz, its {len(found)} figures {middle:.0f} MHz."
            if abs(float(match[1]) - middle) > _UNLIKE * middle:
                yield f"Set to {match[1]} MHz, the processor ran at {middle:.0f} MHz."
        elif (match := _ROW.match(line)) and measured:
            highest = max(measured)
            if abs(float(match[1]) - highest) > _UNLIKE * highest:
                yield (f"sbc-bench's own table says {match[1]} MHz; it measured {highest:.0f} MHz.")


def _share(head: bytes) -> float:
    return float(_BEGIN.search(head[:4096]) is not None)


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    text = file.text.decode("utf-8", "replace")
    match, lines = _HEAD.search(text[:4096]), text.splitlines()
    notes = ("sbc-bench.random is the time beyond that of the first cache.", *_clock_notes(lines))
    found = content_of(_metrics(lines), file, "figures of sbc-bench", notes)
    return replace(found, facts={"board": label(match[1])} if match else {})


IMPORTER = Importer("sbc-bench", "sbc-bench's report: what its benchmarks said", _share, _read)
