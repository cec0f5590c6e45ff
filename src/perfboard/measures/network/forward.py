# SPDX-License-Identifier: Apache-2.0
"""network.forward: packets that the board sends on, in and out of one card."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from types import MappingProxyType

from perfboard.analysis.packets.counters import STAT, Counters, read_counters
from perfboard.bench.job import Job, NotMeasurable
from perfboard.bench.talk.ends import SenderReport
from perfboard.images.network import BOARD, FAR_END, FAR_END_PORT, LINK_UP
from perfboard.measures.base import Example, Finding, Measure, Quantity, Setting, ShownMetric
from perfboard.measures.disk.points import QUICK
from perfboard.measures.network.namespaces import ENDS, in_namespace
from perfboard.measures.rates import limit_of
from perfboard.measures.reading import SaidRow
from perfboard.model.rows import RefusedRow, read_row, row_line
from perfboard.model.run import Metric
from perfboard.model.units import format_value

_SCRIPT = Path(__file__).with_name("forward.sh")
_MS, _EXACT_MS, _QUICK_MS = 2000, 400, 200
_WAYS = {"forward": ("plain", "as they come"), "nat": ("nat", "with their source translated")}
_VIRTUAL = f"""\
{LINK_UP}\
BOARD={BOARD} FAR_END={FAR_END} PORT={FAR_END_PORT}
. ./forward.sh
"""
_STAT = "@file /proc/stat\ncpu0 0 0 {} {}\n"
_TRIAL = row_line("trial", sent=5064, answered=5064, late=64, took_us=500_000, burst=0)


@dataclass
class _Way:
    """The trials of one way, the counters around them, and why there are none."""

    trials: list[SenderReport] = field(default_factory=list)
    counters: list[Counters] = field(default_factory=list)
    reason: str = ""


class NetworkForward(Measure):
    """The far end sends datagrams of a byte to another address, and counts those that come back."""

    name = "network.forward"
    title = "Packets sent on, in and out of one card"
    parameters = (QUICK,)
    labels = MappingProxyType({"way": tuple(way for way, _ in _WAYS.values())})
    needs = ("on a live target, root and network namespaces; for NAT the program nft",)
    metrics = (
        Quantity(
            "network.forward.packets", "1/s", "packets sent on: label way, plain or nat", "higher"
        ),
        Quantity("network.forward.lost", "1", "the share of packets that were not sent on"),
        Quantity("network.forward.busy", "1", "the share of the busiest processor, whoever had it"),
    )
    examples = (
        Example(
            row_line("said", name="way", text="forward")
            + _STAT.format(0, 100)
            + _TRIAL
            + _STAT.format(90, 110),
            {
                "network.forward.packets": 10_000,
                "network.forward.lost": 0,
                "network.forward.busy": 0.9,
            },
        ),
    )

    def job(self, setting: Setting) -> Job:
        ms = _EXACT_MS if setting.facts.exact else _MS
        words = f"{setting.repeats} {_QUICK_MS if setting.parameters['quick'] else ms}"
        # A virtual board's own network has nothing but its far end.
        far = f"set -- {words}\n{_VIRTUAL}"
        return Job(
            far if setting.facts.exact else in_namespace("forward", words),
            files={"forward.sh": _SCRIPT.read_bytes(), **ENDS},
            packages=("iproute2", "nftables"),
            features=("router",),
            programs=("ip", "unshare", "nsenter"),
            network=setting.facts.exact,
        )

    def read(self, output: str, setting: Setting) -> Finding:
        ways = _by_way(output)
        metrics: list[Metric] = []
        figures: list[ShownMetric] = []
        refused = {}
        for name, (label, words) in _WAYS.items():
            way = ways.get(name, _Way(reason="the target printed nothing of it"))
            if way.reason or not way.trials:
                refused[label] = way.reason or "nothing was sent on"
                continue
            own = list(self._metrics(way, label))
            metrics += own
            figures.append(ShownMetric(words, own[0], own[2] if own[2:] else None))
        if not figures:
            raise NotMeasurable("; ".join(dict.fromkeys(refused.values())))
        notes = tuple(f"{name} was not measured: {why}." for name, why in refused.items())
        short = ", ".join(
            f"{figure.metric.labels['way']} {format_value(median(figure.metric.samples), '1/s')}"
            for figure in figures
        )
        evidence = setting.facts.evidence
        limit = limit_of(figures[0].busy, evidence, "the wire, or what is under way at once")
        why = "A packet counts once; it comes in and goes out by the same card, with a byte in it."
        if not setting.facts.exact:
            why += " The sender is on the target too, and has the same processors."
        return Finding(tuple(metrics), tuple(figures), short, limit, why, notes)

    def _metrics(self, way: _Way, label: str) -> Iterator[Metric]:
        packets, lost, busy = self.metrics
        labels = {"way": label}
        yield packets.metric(
            ((each.answered - each.late) / each.seconds for each in way.trials), labels
        )
        yield lost.metric((1 - each.answered / max(each.sent, 1) for each in way.trials), labels)
        shares = [
            max(shares)
            for before, after in zip(way.counters, way.counters[1:], strict=False)
            if (shares := list(_shares(before, after)))
        ]
        if shares:
            yield busy.metric(shares, labels)


def _shares(before: Counters, after: Counters) -> Iterator[float]:
    for share in after.busy_since(before).values():
        yield min(1.0, 1 - share.get("idle", 0.0) - share.get("iowait", 0.0))


def _by_way(output: str) -> dict[str, _Way]:
    """The rows and counters after each row that names a way."""
    found: dict[str, _Way] = {}
    way = _Way()
    stat: list[str] = []
    for line in [*output.splitlines(), f"@file {STAT}"]:
        row = read_row(line, SaidRow, SenderReport, RefusedRow)
        if stat and (row is not None or line.startswith("@file")):
            way.counters.append(read_counters([(STAT, stat)]))
            stat = []
        match row:
            case SaidRow(name="way", text=name):
                way = found.setdefault(name, _Way())
            case SenderReport():
                way.trials.append(row)
            case RefusedRow(why=why):
                way.reason = why
            case None if line.startswith("cpu"):
                stat.append(line)
    if not found:
        found = dict.fromkeys(_WAYS, way)
    return found


MEASURES = (NetworkForward(),)
