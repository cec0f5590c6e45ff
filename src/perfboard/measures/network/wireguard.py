# SPDX-License-Identifier: Apache-2.0
"""network.wireguard: TCP through WireGuard, both ends on the board (as wg-bench measures it)."""

from itertools import pairwise
from pathlib import Path
from statistics import mean, median

from perfboard.analysis.packets.counters import STAT, Counters, read_counters
from perfboard.analysis.raw_files import raw_files
from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Setting, ShownMetric
from perfboard.measures.disk.points import QUICK
from perfboard.measures.network.namespaces import ENDS, in_namespace
from perfboard.measures.network.tcp import MovedRow
from perfboard.measures.rates import limit_of, rate_quantities, rated
from perfboard.measures.reading import refusals
from perfboard.model.rows import read_row, row_line
from perfboard.model.units import format_value

_SCRIPT = Path(__file__).with_name("wireguard.sh")
# wg-bench's iperf3 takes 10 s; a board that repeats exactly says the same in less.
_MS, _EXACT_MS, _QUICK_MS = 5000, 1000, 500
_STAT = "@file /proc/stat\n{}\n"
_MOVED = row_line("moved", bytes=24_000_000, took_us=1_000_000, retransmitted=0)


class NetworkWireguard(Measure):
    """One TCP stream between two network namespaces: the board encrypts and decrypts all of it."""

    name = "network.wireguard"
    title = "WireGuard, both ends on the board"
    parameters = (QUICK,)
    needs = ("on a live target, root, a kernel with WireGuard, and the program wg",)
    metrics = rate_quantities(
        "network.wireguard",
        "bytes of the application through the tunnel, of one TCP stream",
        "the share of all processors in that time, whoever had them",
    )
    examples = (
        Example(
            _STAT.format("cpu0 0 0 0 100\ncpu1 0 0 0 100")
            + _MOVED
            + _STAT.format("cpu0 0 0 90 110\ncpu1 0 0 50 150"),
            {"network.wireguard.bandwidth": 24e6, "network.wireguard.busy": 0.7},
        ),
    )

    def job(self, setting: Setting) -> Job:
        ms = _EXACT_MS if setting.facts.exact else _MS
        ms = _QUICK_MS if setting.parameters["quick"] else ms
        # A vendor's kernel has the cipher that its part is fast at.
        fast = () if "neon" in setting.facts.lacks else ("neon-ciphers",)
        return Job(
            in_namespace("wireguard", f"{setting.repeats} {ms}"),
            files={"wireguard.sh": _SCRIPT.read_bytes(), **ENDS},
            packages=("iproute2", "wireguard-tools"),
            features=("router", *fast),
            programs=("ip", "unshare", "nsenter"),
        )

    def read(self, output: str, setting: Setting) -> Finding:
        # Each part is of counters, and then of the transfer after them.
        parts = [lines for _, lines in raw_files(output)]
        rates, shares = [], []
        for before, after in pairwise(parts):
            row = read_row(before[-1], MovedRow) if before else None
            if row is not None:
                rates.append(row.bytes / row.took_us * 1e6)
                shares.append(_busy(_counters(before), _counters(after)))
        if not rates:
            raise NotMeasurable("; ".join(refusals(output).values()) or "nothing came through")
        rate, busy = rated(self.name, {}, rates, shares)
        return Finding(
            (rate, busy),
            (ShownMetric("one stream through the tunnel", rate, busy),),
            f"WireGuard {format_value(median(rate.samples), 'B/s')}",
            limit_of(busy, setting.facts.evidence, "what one stream has under way"),
            "Both ends are on the board, so that it encrypts and decrypts each packet; a tunnel to "
            "another machine has one of them alone.",
        )


def _counters(lines: list[str]) -> Counters:
    return read_counters([(STAT, lines)])


def _busy(before: Counters, after: Counters) -> float:
    """The share of all processors, of which the kernel's threads take what they get."""
    shares = after.busy_since(before).values()
    idle = [share.get("idle", 0.0) + share.get("iowait", 0.0) for share in shares]
    return min(1.0, 1 - mean(idle)) if idle else 0.0


MEASURES = (NetworkWireguard(),)
