# SPDX-License-Identifier: Apache-2.0
"""network.tcp, network.http, network.latency: between the board and another machine."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Literal, TypeVar

from perfboard.analysis.packets.counters import Counters
from perfboard.bench.base import Bench
from perfboard.bench.job import Job, NotMeasurable
from perfboard.bench.talk.tcp import Talk, TcpReply
from perfboard.measures.base import Finding, Measure, Quantity, Setting, ShownMetric, Turn
from perfboard.measures.disk.points import QUICK
from perfboard.measures.rates import limit_of, rate_quantities, rated
from perfboard.model.rows import Count, Positive, RefusedRow, Row, read_row
from perfboard.model.run import Metric
from perfboard.model.text import printable
from perfboard.model.units import format_value

_STREAMS = (1, 4)
_TRY_S, _QUICK_S = 2.0, 0.5
# An HTTP body that takes about a try, and its bounds.
_LEAST_BODY, _MOST_BODY = 64 << 10, 8 << 30
_OF = ("median", "99%", "longest")
_NO_WIRE = "memory, not a wire: both ends are on this machine"
_BUSIEST = "the share of the board's busiest processor"


class MovedRow(Row):
    """A transfer, as native/probe/commands/tcp.c prints it."""

    row: Literal["moved"]
    bytes: Count
    took_us: Positive
    retransmitted: Count


class AskedRow(Row):
    """The times of answers: the middle one, that of 99%, and the longest."""

    row: Literal["asked"]
    middle_ns: Count
    late_ns: Count
    longest_ns: Count


_Kind = TypeVar("_Kind", bound=Row)


@dataclass(frozen=True)
class TcpTransfer:
    """Bytes a second, segments sent again, and the busiest processor's share."""

    rate: float
    again: int
    busy: float | None


def _checked(kind: type[_Kind], answer: str) -> _Kind:
    """The row of a client's answer. Raises NotMeasurable if it has failed."""
    if failed := read_row(answer, RefusedRow):
        raise NotMeasurable(f"the transfer failed: {failed.why}")
    row = read_row(answer, kind)
    if row is None:
        raise NotMeasurable(f"the probe printed {printable(answer[:80])!r}")
    return row


def _transfers(replies: Iterable[TcpReply]) -> list[TcpTransfer]:
    found = []
    for reply in replies:
        moved = _checked(MovedRow, reply.line)
        busy = _busiest(reply.before, reply.after)
        found.append(TcpTransfer(moved.bytes / moved.took_us * 1e6, moved.retransmitted, busy))
    return found


def _busiest(before: Counters, after: Counters) -> float | None:
    shares = after.busy_since(before).values()
    idle = (share.get("idle", 0.0) + share.get("iowait", 0.0) for share in shares)
    return max((min(1.0, 1 - each) for each in idle), default=None)


def _figures(
    name: str, labels: Mapping[str, str], tries: list[TcpTransfer], title: str
) -> tuple[list[Metric], ShownMetric]:
    """The metrics of one kind of transfer, and its figure."""
    shares = [each.busy for each in tries if each.busy is not None]
    rate, busy = rated(name, labels, (each.rate for each in tries), shares)
    return [rate, *([busy] if shares else [])], ShownMetric(title, rate, busy if shares else None)


class _TcpMeasure(Measure):
    """A measure of what a client and a server say to each other."""

    parameters = (QUICK,)

    def job(self, setting: Setting) -> Job:
        return Job("", network=True)

    def measure(self, name: str, bench: Bench, setting: Setting, turn: Turn) -> Finding:
        count = 0

        def run(job: Job) -> str:
            nonlocal count
            count += 1
            return bench.run(f"{name}-{count}", job, notify)

        seconds = _QUICK_S if setting.parameters["quick"] else _TRY_S
        with turn.running() as notify, bench.talk(run) as talk:
            return self.converse(talk, seconds, setting)

    def converse(self, talk: Talk, seconds: float, setting: Setting) -> Finding:
        """The talk itself, of tries that take so long. Raises NotMeasurable."""
        raise NotImplementedError


def _limit(talk: Talk, busy: Metric | None, setting: Setting) -> str:
    if talk.in_memory:
        return _NO_WIRE
    return limit_of(busy, setting.facts.evidence, "the wire or the far end")


class NetworkTcp(_TcpMeasure):
    """Throughput each way, with one stream and with four."""

    name = "network.tcp"
    title = "TCP throughput"
    metrics = (
        *rate_quantities("network.tcp", "bytes of the application: labels way, streams", _BUSIEST),
        Quantity("network.tcp.retransmitted", "1", "segments that were sent again, of a try"),
    )

    def converse(self, talk: Talk, seconds: float, setting: Setting) -> Finding:
        metrics: list[Metric] = []
        figures: list[ShownMetric] = []
        kinds = [(way, streams) for way in talk.ways for streams in _STREAMS]
        lines = [f"{way} {streams} {round(seconds * 1000)}" for way, streams in kinds]
        replies = talk.ask([line for line in lines for _ in range(setting.repeats)], seconds)
        moved = _transfers(replies)
        for number, (way, streams) in enumerate(kinds):
            tries = moved[number * setting.repeats :][: setting.repeats]
            words = talk.ways[way]
            labels = {"way": words, "streams": str(streams)}
            count = "1 stream" if streams == 1 else f"{streams} streams"
            more, figure = _figures(self.name, labels, tries, f"{words}, {count}")
            again = tuple(float(each.again) for each in tries)
            name = "network.tcp.retransmitted"
            metrics += [*more, Metric(name=name, unit="1", labels=labels, samples=again)]
            figures.append(figure)
        best = max(figures, key=lambda figure: median(figure.metric.samples))
        repeated = sum(sum(m.samples) for m in metrics if m.name.endswith(".retransmitted"))
        return Finding(
            tuple(metrics),
            tuple(figures),
            f"TCP {format_value(median(best.metric.samples), 'B/s')}",
            _limit(talk, best.busy, setting),
            f"Segments that were sent again, of all tries: {repeated:,.0f}.",
        )


class NetworkHttp(_TcpMeasure):
    """A file by HTTP, as long as two seconds of what TCP gives: the target serves it, or a virtual
    board's far end."""

    name = "network.http"
    title = "A file by HTTP"
    metrics = rate_quantities("network.http", "bytes of the file", _BUSIEST)

    def converse(self, talk: Talk, seconds: float, setting: Setting) -> Finding:
        (first,) = _transfers(talk.ask(["receive 1 200"], seconds))
        size = round(min(max(first.rate * seconds, _LEAST_BODY), _MOST_BODY))
        tries = _transfers(talk.ask([f"get 1 {size}"] * setting.repeats, seconds))
        title = f"{talk.ways['receive']}, by HTTP/1.0"
        metrics, figure = _figures(self.name, {}, tries, title)
        short = f"HTTP {format_value(median(figure.metric.samples), 'B/s')}"
        return Finding(tuple(metrics), (figure,), short, _limit(talk, figure.busy, setting))


class NetworkLatency(_TcpMeasure):
    """A request of a byte and its reply, one after the other, over one connection."""

    name = "network.latency"
    title = "Request and reply of a byte"
    metrics = (
        Quantity(
            "network.latency.time", "s", "label of: the middle one, 99% of them, and the longest"
        ),
    )

    def converse(self, talk: Talk, seconds: float, setting: Setting) -> Finding:
        line = f"ping 1 {round(seconds * 1000)}"
        replies = talk.ask([line] * setting.repeats, seconds)
        rows = [_checked(AskedRow, reply.line) for reply in replies]
        tries = [(row.middle_ns, row.late_ns, row.longest_ns) for row in rows]
        metrics = [
            Metric(
                name="network.latency.time",
                unit="s",
                labels={"of": of},
                samples=tuple(ns / 1e9 for ns in samples),
            )
            for of, samples in zip(_OF, zip(*tries, strict=True), strict=True)
        ]
        titles = ("median", "99% take no longer than", "longest")
        figures = tuple(map(ShownMetric, titles, metrics))
        short = f"answers in {format_value(median(metrics[0].samples), 's')}"
        return Finding(tuple(metrics), figures, short, _limit(talk, None, setting))


MEASURES = (NetworkTcp(), NetworkHttp(), NetworkLatency())
