# SPDX-License-Identifier: Apache-2.0
"""Floods and searches of one protocol, and what both ends counted meanwhile."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from perfboard.analysis.packets.limit import Counts, PacketsCause, find_cause
from perfboard.analysis.packets.search import Bounds, Goal, LoadResult, Trial, next_trial
from perfboard.bench.talk.ends import EchoedRow, Ends, Lines, PortRow, ReadyRow, SenderReport
from perfboard.model.errors import TargetError
from perfboard.model.results.packets import EchoResult, FloodRow, Protocol, TrialRow
from perfboard.model.rows import RefusedRow

_WINDOW = 64
# The sum has to grow by so much for another sender to count.
_GROWS = 1.05
_LEAST, _MOST = 1.0, 1e7
# A sender that made up for more at once, or for more than came due in so long, was late.
_BURST, _BURST_S = 32, 0.001
# So many trials are made before a load is beyond the senders: they end when one is late.
_REPEATS, _MOST_REPEATS = 5, 40
# With more trials that do not count, the senders' machine is too busy to search.
_MOST_LATE = 100
# The least share of the requests due that a sender sends.
_WHOLE = 0.99
_IP_AND_NEXT = 28
_MOST_PAYLOAD = 9000
_EMSGSIZE = 90


@dataclass(frozen=True)
class Floods:
    """The shares of the longest trial that a flood takes, and a point of the curve.

    `saturates`: one sender alone keeps any device busy.
    """

    first: float
    point: float
    saturates: bool = False


LIVE = Floods(2 / 3, 1 / 3)
# A virtual board repeats exactly, so that short floods do.
EXACT = Floods(1 / 4, 1 / 16, saturates=True)


class Silent(Exception):
    """Nobody answers, or a sender may not ask."""


@dataclass
class EchoRecord:
    """One protocol's rows so far."""

    protocol: Protocol
    goal: Goal
    flood: list[FloodRow] = field(default_factory=list)
    saturated: bool = False
    curve: list[FloodRow] = field(default_factory=list)
    trials: list[TrialRow] = field(default_factory=list)
    bounds: Bounds = field(default_factory=lambda: Bounds(None, None))
    bias: float = 0.0
    cause: PacketsCause = field(
        default_factory=lambda: PacketsCause("unknown", "the run ended before it was looked for")
    )
    reason: str = ""

    def result(self) -> EchoResult:
        """The rows as the run keeps them."""
        goal = self.goal
        return EchoResult(
            protocol=self.protocol,
            reason=self.reason,
            flood=tuple(self.flood),
            saturated=self.saturated,
            curve=tuple(self.curve),
            trials=tuple(self.trials),
            trial_s=goal.final_s,
            goal=f"nothing lost in trials of {goal.final_s:g} s, {goal.sum_s:g} s in all, of which "
            f"{goal.exceed:.0%} may fail; bounds within {goal.width:.1%}",
            lower=self.bounds.lower,
            upper=self.bounds.upper,
            bias=self.bias,
            place=self.cause.place,
            why=self.cause.why,
        )


@dataclass(frozen=True)
class _TrialCounts:
    """A trial of all senders, and what was counted meanwhile."""

    sent: tuple[SenderReport, ...]
    seen: Counts

    @property
    def requests(self) -> int:
        return sum(each.sent for each in self.sent)

    @property
    def answers(self) -> int:
        return sum(each.answered for each in self.sent)

    @property
    def in_time(self) -> int:
        return sum(each.answered - each.late for each in self.sent)


class Echo:
    """One protocol between a device and its senders."""

    def __init__(
        self,
        protocol: Protocol,
        ends: Ends,
        goal: Goal,
        notify: Callable[[float, str], None],
        floods: Floods = LIVE,
    ) -> None:
        """`notify` gets the seconds that a trial took, and what is being done."""
        self.record = EchoRecord(protocol, goal)
        self._device, self._senders, self._address = ends.device, ends.senders, ends.address
        self._notify = notify
        self._floods = floods
        self._lines: list[Lines] = []
        self._mtu = 0
        self._answers: Lines | None = None

    def measure(self) -> None:
        """Fills the record. Raises TargetError where an end fails."""
        try:
            with self._talking():
                count, last = self._flood()
                self._curve(count)
                self._search(count, last)
        except Silent as error:
            self.record.reason = str(error)

    def flood(self) -> None:
        """Fills the record's flood alone. Raises Silent as well."""
        with self._talking():
            self._flood()

    @contextmanager
    def _talking(self) -> Iterator[None]:
        """The programs of both ends. Raises Silent if a sender may not ask."""
        protocol = self.record.protocol
        with ExitStack() as stack:
            port = 0
            if protocol == "udp":
                self._answers = stack.enter_context(self._device.program("echo", self._address))
                port = self._answers.row(PortRow).port
            for sender in self._senders:
                words = ("packets", protocol, self._address, str(port))
                lines = stack.enter_context(sender.program(*words))
                self._mtu = _ready(lines, sender.name, protocol)
                self._lines.append(lines)
            yield

    def _flood(self) -> tuple[int, _TrialCounts]:
        """How many senders saturate the device, and the trial in which they do."""
        record, best, chosen = self.record, 0.0, 1
        record.saturated = self._floods.saturates
        found: _TrialCounts | None = None
        for count in range(1, len(self._lines) + 1):
            row, tried = self._fastest(count, 1, self._floods.first * record.goal.final_s)
            record.flood.append(row)
            if found is not None and row.rate < best * _GROWS:
                record.saturated = True
                break
            if row.rate > best:
                best, chosen = row.rate, count
            found = tried
        if found is None:
            raise ValueError("a flood without a sender")
        return chosen, found

    def _fastest(self, count: int, payload: int, seconds: float) -> tuple[FloodRow, _TrialCounts]:
        """The flood with the widest window at which nothing is lost, or that of one request."""
        window = _WINDOW
        while True:
            what = f"{self.record.protocol}: flood, {payload} B, {count} senders"
            tried = self._try(count, payload, seconds, 0.0, window, what)
            if tried.requests == tried.answers or window == 1:
                break
            window = max(1, window // 4)
        elapsed = max(each.seconds for each in tried.sent)
        row = FloodRow(
            payload=payload,
            senders=count,
            window=window,
            rate=2 * tried.in_time / elapsed,
            sent=tried.requests,
            answered=tried.answers,
            busy=tried.seen.sender_busy,
        )
        return row, tried

    def _curve(self, count: int) -> None:
        largest = min(max(self._mtu - _IP_AND_NEXT, 1), _MOST_PAYLOAD)
        sizes = [size for size in (1, 16, 64, 256, 512, 1024, 4096) if size < largest]
        for payload in (*sizes, largest):
            try:
                row, tried = self._fastest(
                    count, payload, self._floods.point * self.record.goal.final_s
                )
            except Silent:
                # The way does not take packets of this size, nor larger ones.
                return
            if not any(each.error for each in tried.sent):
                self.record.curve.append(row)

    def _search(self, count: int, flooded: _TrialCounts) -> None:
        """The highest load without loss, and what holds the device there."""
        record = self.record
        first = max(row.rate for row in record.flood) / 2
        counted: list[LoadResult] = []
        beyond: dict[float, str] = {}
        lossy: dict[float, _TrialCounts] = {}
        late: dict[float, float] = {}
        while isinstance(found := next_trial(record.goal, first, _LEAST, _MOST, counted), Trial):
            tried = self._repeated(found, count)
            if sum(not row.counts for row in record.trials) > _MOST_LATE:
                record.cause = PacketsCause("the senders", f"the search was given up: {tried}")
                return
            if isinstance(tried, str):
                beyond[found.load] = tried
                counted.append(LoadResult(found.load, found.duration_s, 1.0))
                continue
            lost = max(0, tried.requests - tried.answers)
            counted.append(LoadResult(found.load, found.duration_s, lost / max(1, tried.requests)))
            if lost and found.duration_s == record.goal.final_s:
                lossy[found.load] = tried
            elif found.duration_s == record.goal.final_s:
                share = sum(each.late for each in tried.sent) / max(1, tried.requests)
                late[found.load] = max(late.get(found.load, 0.0), share)
        record.bounds = found
        if found.lower is not None:
            record.bias = late.get(found.lower, 0.0)
        if found.upper in beyond:
            record.cause = PacketsCause("the senders", beyond[found.upper])
            return
        seen = lossy.get(found.upper or 0.0)
        record.cause = find_cause((seen or flooded).seen)
        if record.cause.place == "unknown" and seen is not None:
            other = find_cause(flooded.seen)
            if other.place != "unknown":
                record.cause = PacketsCause(other.place, f"while flooded, {other.why}")

    def _repeated(self, trial: Trial, count: int) -> _TrialCounts | str:
        """A trial in which no sender was late, or why there is none."""
        allowed = max(_BURST, trial.load / count * _BURST_S)
        worst, most = 0.0, 0
        spent, repeats = 0.0, 0
        while repeats < _REPEATS or (
            spent < _REPEATS * trial.duration_s and repeats < _MOST_REPEATS
        ):
            what = f"{self.record.protocol}: {trial.load:,.0f} requests/s, {trial.duration_s:.1f} s"
            load = trial.load / count
            tried = self._try(count, 1, trial.duration_s, load, round(allowed), what)
            spent += max(each.seconds for each in tried.sent)
            repeats += 1
            behind = max(each.behind_us for each in tried.sent) / 1e6
            burst = max(each.burst for each in tried.sent)
            whole = tried.requests >= trial.load * trial.duration_s * _WHOLE - count
            counts = burst <= allowed and whole
            self.record.trials.append(
                TrialRow(
                    load=trial.load,
                    duration_s=trial.duration_s,
                    sent=tried.requests,
                    answered=tried.answers,
                    late=sum(each.late for each in tried.sent),
                    behind_s=behind,
                    counts=counts,
                )
            )
            if counts:
                return tried
            worst, most = max(worst, behind), max(most, burst)
        return (
            f"at {trial.load:,.0f} requests/s a sender was late in each of {repeats} trials, by "
            f"up to {worst * 1e3:.1f} ms, and then sent {most:,} at once"
        )

    def _try(
        self, count: int, payload: int, seconds: float, load: float, window: int, what: str
    ) -> _TrialCounts:
        """A trial of the first `count` senders, each at `load`, or with that window."""
        self._notify(0.0, what)
        lines, ends = self._lines[:count], [self._device, *self._senders[:count]]
        # Short trials only narrow the search.
        if load and seconds < self.record.goal.final_s:
            ends = []
        before = [end.counters() for end in ends]
        echoed = self._echoed()
        line = f"{payload} {round(seconds * 1000)} {round(load * 1000)} {window}"
        for each in lines:
            each.write(line)
        found = [each.row(SenderReport, RefusedRow, timeout_s=seconds + 30) for each in lines]
        busy = self._echoed() - echoed
        after = [end.counters() for end in ends]
        sent = tuple(each for each in found if isinstance(each, SenderReport))
        if len(sent) < len(found):
            raise Silent(
                f"{self._address} answers no {self.record.protocol} echo: all requests are lost. "
                "Is there a firewall, or no route to it?"
            )
        for error in (each.error for each in sent):
            if error and error != _EMSGSIZE:
                raise TargetError(
                    "transfer", f"A sender cannot send to {self._address}: {os.strerror(error)}."
                )
        elapsed = max(each.seconds for each in sent)
        self._notify(elapsed, what)
        counts = [now.since(was) for was, now in zip(before, after, strict=True)] or [{}]
        boots = [end.boot_id for end in after] or [""]
        seen = Counts(
            lost=max(0, sum(each.sent - each.answered for each in sent)),
            device=counts[0],
            senders=tuple(counts[1:]),
            processors=after[0].busy_since(before[0]) if after else {},
            echo_busy=busy / elapsed if self._answers else None,
            sender_busy=tuple(each.busy_us / each.took_us for each in sent if each.took_us),
            shared=bool(boots[0]) and boots[0] in boots[1:],
        )
        return _TrialCounts(sent, seen)

    def _echoed(self) -> float:
        """The processor time of the echo program so far, in s."""
        if self._answers is None:
            return 0.0
        self._answers.write("")
        return self._answers.row(EchoedRow).busy_us / 1e6


def _ready(lines: Lines, name: str, protocol: Protocol) -> int:
    """The MTU of the way, once the sender `name` may send. Raises Silent if it may not."""
    try:
        return lines.row(ReadyRow).mtu
    except TargetError as error:
        if error.kind != "lost":
            raise
        raise Silent(f"{name} cannot send {protocol}: {error}") from error
