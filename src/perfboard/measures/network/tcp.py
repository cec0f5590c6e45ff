# SPDX-License-Identifier: Apache-2.0
"""network.tcp, network.http, network.latency: between the target and this machine (study B).

The probe serves on the target, and another one here connects (native/probe/run/tcp.c). This
machine as a target has both ends: then it is its memory that is measured, and no wire. On a virtual
board the probe connects to the far end of its network, which serves the same.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from statistics import median
from types import MappingProxyType
from typing import Protocol

from perfboard.analysis.packets.counters import Counters, read_counters
from perfboard.bench.bed import Bed
from perfboard.bench.job import NotMeasurable, Work
from perfboard.bench.talk.address import address_of, check_own
from perfboard.bench.talk.ends import Lines, Talking, prepared
from perfboard.images.network import FAR_END, FAR_END_PORT, LINK_UP, has_own_card
from perfboard.measures.disk.points import failure_of
from perfboard.measures.rows import Answer, Figure, limit_of, rated
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.progress import SilentProgress
from perfboard.model.run import Metric
from perfboard.model.text import printable
from perfboard.model.units import format_value
from perfboard.targets.pipe import local, ssh

_TO, _FROM = "to the board", "from the board"
_STREAMS = (1, 4)
_TRY_S, _QUICK_S = 2.0, 0.5
# How much longer than its time a transfer may take.
_PATIENCE_S = 60.0
# An HTTP body that takes about a try, and its bounds.
_LEAST_BODY, _MOST_BODY = 64 << 10, 8 << 30
_OF = ("median", "99%", "longest")
_NO_WIRE = "memory, not a wire: both ends are on this machine"
# Between transfers on a virtual board.
_STAT = "@file /proc/stat\n"
_COUNT = "echo @file /proc/stat; cat /proc/stat\n"
_MOVED = re.compile(r"@moved (\d{1,19}) (\d{1,15}) (\d{1,12})")
_ASKED = re.compile(r"@asked (\d{1,9}) (\d{1,12}) (\d{1,12}) (\d{1,12})")


@dataclass(frozen=True)
class _Moved:
    """A transfer: bytes a second, segments sent again, the busiest processor's share."""

    rate: float
    again: int
    busy: float | None


class _Talk(Protocol):
    """A client and a server, one of them on the board."""

    # The length of a try.
    seconds: float
    # The client's word for each way, and the way that a file goes.
    ways: Mapping[str, str]
    served: str

    def move(self, *lines: tuple[str, int, int]) -> list[_Moved]:
        """Transfers, one after the other: what, streams, how much. Raises NotMeasurable."""

    def ping(self) -> tuple[float, float, float]:
        """The median time of a request of a byte and its reply, the 99% one, and the longest."""


class _Here:
    """A client here, and its server on the target."""

    ways: Mapping[str, str] = MappingProxyType({"send": _TO, "receive": _FROM})
    served = _FROM

    def __init__(self, client: Lines, device: Talking, seconds: float) -> None:
        """`seconds` is the length of a try."""
        self._client, self._device = client, device
        self.seconds = seconds

    def move(self, *lines: tuple[str, int, int]) -> list[_Moved]:
        """See `_Talk`."""
        found = []
        for what, streams, much in lines:
            before = self._device.counters()
            answer = self._ask(f"{what} {streams} {much}")
            found.append(_moved(answer, before, self._device.counters()))
        return found

    def ping(self) -> tuple[float, float, float]:
        """See `_Talk`."""
        return _asked(self._ask(f"ping 1 {round(self.seconds * 1000)}"))

    def _ask(self, line: str) -> str:
        self._client.write(line)
        return self._client.read(self.seconds + _PATIENCE_S)


class _There:
    """A client on a virtual board, which is booted for some transfers; its far end serves."""

    ways: Mapping[str, str] = MappingProxyType({"receive": _TO, "send": _FROM})
    served = _TO

    def __init__(self, bed: Bed, seconds: float) -> None:
        self._run = bed.run
        self.seconds = seconds

    def move(self, *lines: tuple[str, int, int]) -> list[_Moved]:
        """See `_Talk`."""
        *parts, last = self._talk([f"{what} {streams} {much}" for what, streams, much in lines])
        counters = [read_counters(part) for part in (*parts, last)]
        answers = [part.strip().rpartition("\n")[2] for part in parts]
        return list(map(_moved, answers, counters, counters[1:]))

    def ping(self) -> tuple[float, float, float]:
        """See `_Talk`."""
        part, _ = self._talk([f"ping 1 {round(self.seconds * 1000)}"])
        return _asked(part.strip().rpartition("\n")[2])

    def _talk(self, lines: Sequence[str]) -> list[str]:
        """The processor's counts and then the answer, for each line; and the counts at the end."""
        client = f'"$PROBE" tcp {FAR_END} {FAR_END_PORT}'
        asked = "".join(f"{_COUNT}echo {line} | {client} || exit 1\n" for line in lines)
        # A kernel's first connection fills a table of 256 KiB with random numbers (Linux 6.1,
        # net/ipv4/inet_hashtables.c): 5 ms of a Cortex-A7.
        warm = f'echo "ping 1 1" | {client} || exit 1\n'
        output = self._run(Work(script=f"{LINK_UP}{warm}{asked}{_COUNT}"))
        parts = [f"{_STAT}{part}" for part in output.split(_STAT)[1:]]
        if len(parts) != len(lines) + 1:
            raise NotMeasurable("the board printed no counts of its processor")
        return parts


def _checked(pattern: re.Pattern[str], answer: str) -> list[int]:
    """The numbers of a client's answer. Raises NotMeasurable if it has failed."""
    if failed := failure_of(answer):
        raise NotMeasurable(f"the transfer failed: {failed}")
    match = pattern.fullmatch(answer)
    if match is None:
        raise NotMeasurable(f"the probe printed {printable(answer[:80])!r}")
    return [int(word) for word in match.groups()]


def _moved(answer: str, before: Counters, after: Counters) -> _Moved:
    size, micros, again = _checked(_MOVED, answer)
    return _Moved(size / max(micros, 1) * 1e6, again, _busiest(before, after))


def _asked(answer: str) -> tuple[float, float, float]:
    _, middle, most, longest = _checked(_ASKED, answer)
    return middle / 1e9, most / 1e9, longest / 1e9


def _busiest(before: Counters, after: Counters) -> float | None:
    shares = after.busy_since(before).values()
    idle = (share.get("idle", 0.0) + share.get("iowait", 0.0) for share in shares)
    return max((min(1.0, 1 - each) for each in idle), default=None)


@contextmanager
def _talk(bed: Bed) -> Iterator[_Talk]:
    """The two ends, connected. Raises NotMeasurable where there is no way between them."""
    seconds = _QUICK_S if bed.quick else _TRY_S
    target = bed.live
    if target is None:
        if bed.board is None or not has_own_card(bed.board.network):
            raise NotMeasurable("the board's file has no network (docs/boards/network.md)")
        yield _There(bed, seconds)
        return
    if target.name.partition(":")[0] not in (local.SCHEME, ssh.SCHEME):
        raise NotMeasurable("only a target that is reached over a network has an address to ask")
    progress = SilentProgress()
    with ExitStack() as stack:
        try:
            # A connection that ssh makes there as well may go anywhere.
            address = address_of(target.name, "", True)
            check_own(target, address)
            device = stack.enter_context(prepared(target, progress))
            server = stack.enter_context(device.program("tcp-serve", address))
            port = int(server.read().removeprefix("@tcp "))
            here = device
            if target.name != local.SCHEME:
                own = stack.enter_context(local.connect(local.SCHEME, progress, None, {}))
                here = stack.enter_context(prepared(own, progress))
            client = stack.enter_context(here.program("tcp", address, str(port)))
        except (UsageError, ValueError) as error:
            raise NotMeasurable(str(error)) from error
        try:
            yield _Here(client, device, seconds)
        except TargetError as error:
            if error.kind not in ("hang", "garbage"):
                raise
            raise NotMeasurable(str(error)) from error


def _limit(bed: Bed, busy: Metric | None) -> str:
    if bed.live is not None and bed.live.name == local.SCHEME:
        return _NO_WIRE
    return limit_of(busy, bed.evidence, "the wire or the far end")


def _figures(
    name: str, labels: Mapping[str, str], tries: list[_Moved], title: str
) -> tuple[list[Metric], Figure]:
    """The metrics of one kind of transfer, and its figure."""
    shares = [each.busy for each in tries if each.busy is not None]
    rate, busy = rated(name, labels, (each.rate for each in tries), shares)
    return [rate, *([busy] if shares else [])], Figure(title, rate, busy if shares else None)


@dataclass(frozen=True)
class NetworkTcp:
    """Throughput each way, with one stream and with four."""

    name: str = "network.tcp"
    title: str = "TCP throughput"
    features: tuple[str, ...] = ()
    metrics: Mapping[str, str] = field(
        default_factory=lambda: {
            "network.tcp.bandwidth": "bytes of the application: labels way, streams",
            "network.tcp.busy": "the share of the target's busiest processor",
            "network.tcp.retransmitted": "segments that were sent again, of a try",
        }
    )

    def writes(self, bed: Bed) -> int:
        """See `Row`."""
        return 0

    def measure(self, bed: Bed) -> Answer:
        """See `Row`."""
        metrics: list[Metric] = []
        figures: list[Figure] = []
        with _talk(bed) as talk:
            kinds = [(way, streams) for way in talk.ways for streams in _STREAMS]
            much = round(talk.seconds * 1000)
            moved = talk.move(*((*kind, much) for kind in kinds for _ in range(bed.repeats)))
            for number, (way, streams) in enumerate(kinds):
                tries = moved[number * bed.repeats :][: bed.repeats]
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
        rate = format_value(median(best.metric.samples), "B/s")
        sentence = f"Segments that were sent again, of all tries: {repeated:,.0f}."
        return Answer(
            tuple(metrics),
            tuple(figures),
            f"TCP {rate}",
            _limit(bed, best.busy),
            sentence,
        )


@dataclass(frozen=True)
class NetworkHttp:
    """A file by HTTP, as long as two seconds of what TCP gives: the target serves it, or a virtual
    board's far end."""

    name: str = "network.http"
    title: str = "A file by HTTP"
    features: tuple[str, ...] = ()
    metrics: Mapping[str, str] = field(
        default_factory=lambda: {
            "network.http.bandwidth": "bytes of the file",
            "network.http.busy": "the share of the target's busiest processor",
        }
    )

    def writes(self, bed: Bed) -> int:
        """See `Row`."""
        return 0

    def measure(self, bed: Bed) -> Answer:
        """See `Row`."""
        with _talk(bed) as talk:
            (first,) = talk.move(("receive", 1, 200))
            size = round(min(max(first.rate * talk.seconds, _LEAST_BODY), _MOST_BODY))
            tries = talk.move(*(("get", 1, size) for _ in range(bed.repeats)))
        metrics, figure = _figures(self.name, {}, tries, f"{talk.served}, by HTTP/1.0")
        rate = format_value(median(figure.metric.samples), "B/s")
        return Answer(tuple(metrics), (figure,), f"HTTP {rate}", _limit(bed, figure.busy))


@dataclass(frozen=True)
class NetworkLatency:
    """A request of a byte and its reply, one after the other, over one connection."""

    name: str = "network.latency"
    title: str = "Request and reply of a byte"
    features: tuple[str, ...] = ()
    metrics: Mapping[str, str] = field(
        default_factory=lambda: {
            "network.latency.time": "label of: the middle one, 99% of them, and the longest"
        }
    )

    def writes(self, bed: Bed) -> int:
        """See `Row`."""
        return 0

    def measure(self, bed: Bed) -> Answer:
        """See `Row`."""
        with _talk(bed) as talk:
            tries = [talk.ping() for _ in range(bed.repeats)]
        metrics = [
            Metric(name="network.latency.time", unit="s", labels={"of": of}, samples=samples)
            for of, samples in zip(_OF, zip(*tries, strict=True), strict=True)
        ]
        titles = ("median", "99% take no longer than", "longest")
        figures = tuple(map(Figure, titles, metrics))
        middle = format_value(median(metrics[0].samples), "s")
        return Answer(tuple(metrics), figures, f"answers in {middle}", _limit(bed, None))


ROWS = (NetworkTcp(), NetworkHttp(), NetworkLatency())
