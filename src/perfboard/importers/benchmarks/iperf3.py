# SPDX-License-Identifier: Apache-2.0
"""iperf3's results: `iperf3 -J`."""

from collections.abc import Iterator

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.benchmarks.reading import (
    Amount,
    Foreign,
    content_of,
    has_all,
    label,
    read_json,
)
from perfboard.model.errors import UsageError
from perfboard.model.run import Metric

# A rate that differs by more than this share is another figure.
_UNLIKE = 0.05


class _IperfSum(Foreign):
    bits_per_second: Amount = 0.0
    bytes: Amount = 0.0
    seconds: Amount = 0.0
    retransmits: Amount | None = None
    lost_packets: Amount | None = None
    jitter_ms: Amount | None = None


class _IperfTest(Foreign):
    protocol: str = "TCP"
    num_streams: int = 1
    reverse: int = 0


class _IperfStart(Foreign):
    version: str = ""
    test_start: _IperfTest = _IperfTest()


class _IperfEnd(Foreign):
    """The sums that iperf3 itself makes; with --bidir also of the way back."""

    sum_sent: _IperfSum | None = None
    sum_received: _IperfSum | None = None
    sum_sent_bidir_reverse: _IperfSum | None = None
    sum_received_bidir_reverse: _IperfSum | None = None
    sum: _IperfSum | None = None


class _IperfResults(Foreign):
    start: _IperfStart = _IperfStart()
    end: _IperfEnd = _IperfEnd()
    error: str = ""


def _metrics(results: _IperfResults) -> Iterator[Metric]:
    test = results.start.test_start
    for name, whole in _sums(results).items():
        labels = {"sum": name.removeprefix("sum_"), "protocol": label(test.protocol)}
        labels |= {"streams": str(test.num_streams)}
        if test.reverse:
            labels["reverse"] = "yes"
        yield Metric(
            name="iperf3.bandwidth",
            unit="B/s",
            better="higher",
            labels=labels,
            samples=(whole.bits_per_second / 8,),
        )
        for metric, count in (
            ("iperf3.retransmits", whole.retransmits),
            ("iperf3.lost", whole.lost_packets),
        ):
            if count is not None:
                yield Metric(name=metric, unit="1", labels=labels, samples=(count,))
        if whole.jitter_ms is not None:
            jitter = (whole.jitter_ms / 1e3,)
            yield Metric(name="iperf3.jitter", unit="s", labels=labels, samples=jitter)


def _sums(results: _IperfResults) -> dict[str, _IperfSum]:
    """The sums over the whole test that have data, by their names."""
    found = {name: each for name, each in results.end if each and each.bits_per_second}
    if len(found) > 1:
        # A test of UDP has both ends' sums as well.
        found.pop("sum", None)
    return found


def _notes(results: _IperfResults) -> Iterator[str]:
    if results.error:
        yield f"iperf3 ended with an error: {label(results.error)}."
    for name, whole in _sums(results).items():
        if whole.seconds and whole.bytes:
            own = 8 * whole.bytes / whole.seconds
            if abs(own - whole.bits_per_second) > _UNLIKE * whole.bits_per_second:
                yield (
                    f"{name}: {whole.bytes:.0f} bytes in {whole.seconds:.2f} s are "
                    f"{own / 1e6:.1f} Mbit/s; iperf3 says {whole.bits_per_second / 1e6:.1f}."
                )


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    results = read_json(file, _IperfResults, "iperf3")
    if results.error and not _sums(results):
        raise UsageError(f"{file.path}: iperf3 ended with an error: {label(results.error)}")
    return content_of(_metrics(results), file, "sum of iperf3 with data", _notes(results))


IMPORTER = Importer(
    "iperf3",
    "iperf3's JSON: bandwidth of the whole test, as sender and receiver sum it up",
    has_all(b'"start"', b'"end"', b'"intervals"'),
    _read,
)
