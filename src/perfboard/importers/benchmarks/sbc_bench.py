# SPDX-License-Identifier: Apache-2.0
"""sbc-bench's full report, the text that it uploads: what tinymembench, OpenSSL and 7-Zip said."""

import re
from collections import defaultdict
from collections.abc import Iterator

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.benchmarks.reading import label, some
from perfboard.model.run import Metric

_HEAD = re.compile(r"sbc-bench v[\d.]+ (.{1,80}?) \(")
_COPY = re.compile(r" {1,8}(\S.{0,60}?) +: +(\d{1,9}\.\d) MB/s")
_READ = re.compile(r" *(\d{1,12}) : +(\d{1,9}\.\d) ns +/ +(\d{1,9}\.\d) ns")
_CIPHER = re.compile(r"(aes-\d{3}-cbc)((?: +\d{1,12}\.\d\dk){6})")
_BLOCKS = (16, 64, 256, 1024, 8192, 16384)
_DICTIONARY = re.compile(r"(\d\d): +(\d{1,9}) .*\| +(\d{1,9}) ")
_THREADS = re.compile(r"RAM usage: .* # Benchmark threads: +(\d{1,4})")
_CLOCK = re.compile(r"Cpufreq OPP: +(\d{1,6}) +Measured: +([\d./]{1,120})")


def _metrics(lines: list[str]) -> Iterator[Metric]:
    rates: dict[tuple[str, tuple[tuple[str, str], ...]], list[float]] = defaultdict(list)
    times: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    pages, threads = "", ""
    for line in lines:
        if "MADV_" in line:
            pages = "huge" if "MADV_HUGEPAGE" in line else "small"
        elif match := _THREADS.search(line):
            threads = match[1]
        elif match := _COPY.match(line):
            rates["sbc-bench.memory", (("method", match[1]),)].append(float(match[2]) * 1e6)
        elif match := _READ.match(line):
            for reads, value in (("1", match[2]), ("2", match[3])):
                times[match[1], reads, pages].append(float(value) / 1e9)
        elif match := _CIPHER.match(line):
            for block, rate in zip(_BLOCKS, match[2].split(), strict=True):
                key = (("cipher", match[1]), ("size", f"{block} B"))
                rates["sbc-bench.openssl", key].append(float(rate[:-1]) * 1e3)
        elif match := _DICTIONARY.match(line):
            key = (("dictionary", f"2^{match[1]} B"), ("threads", threads))
            rates["sbc-bench.7zip.compress", key].append(float(match[2]) * 1024)
            rates["sbc-bench.7zip.decompress", key].append(float(match[3]) * 1024)
        elif match := _CLOCK.match(line):
            found = [float(part) for part in match[2].split("/") if part.count(".") == 1]
            rates["sbc-bench.clock", (("set", f"{match[1]} MHz"),)] += [mhz * 1e6 for mhz in found]
    for (name, labels), samples in rates.items():
        yield Metric(
            name=name,
            unit="1/s" if name == "sbc-bench.clock" else "B/s",
            better="higher",
            labels={key: label(value) for key, value in labels},
            samples=tuple(samples),
        )
    for (size, reads, of_pages), samples in times.items():
        of_read = {"size": f"{size} B", "reads": reads, **({"pages": of_pages} if of_pages else {})}
        yield Metric(name="sbc-bench.random", unit="s", labels=of_read, samples=tuple(samples))


def _share(head: bytes) -> float:
    return float(head.lstrip().startswith(b"sbc-bench v"))


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    text = file.text.decode("utf-8", "replace")
    match = _HEAD.match(text.lstrip())
    metrics = some(_metrics(text.splitlines()), file, "figures of sbc-bench")
    notes = ("sbc-bench.random is the time beyond that of the first cache.",)
    return FileContent(
        metrics=metrics, notes=notes, facts={"board": label(match[1])} if match else {}
    )


IMPORTER = Importer("sbc-bench", "sbc-bench's report: what its benchmarks said", _share, _read)
