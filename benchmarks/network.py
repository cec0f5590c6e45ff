# SPDX-License-Identifier: Apache-2.0
"""Packets and TCP between two network namespaces, next to a known limit and to iperf3.

usage: python benchmarks/network.py [--repeats N] [--pairs N] [--iperf3 PROGRAM]

Packets: one sender floods the other namespace over a veth pair; then a token bucket lets 4000
replies a second through, 8000 packets with the requests, and the search looks for it, N times by
each protocol. TCP: the probe's transfer and iperf3's take turns over the same pair, N times, from
the client to the server and back.
Bars: 300,000 packets/s by ICMP and 500,000 by UDP; each search within 1.5% of the bucket, with its
queue named; the median of TCP's pairs between 0.95 and 1.05. Exit code 1 where one is missed or was
not looked at. Run it as root on an idle machine, with iproute2 and iperf3.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from perfboard.analysis.packets.search import Goal
from perfboard.bench.talk.ends import End, Ends, PortRow, prepared
from perfboard.measures.network.echo import Echo
from perfboard.measures.network.tcp import MovedRow
from perfboard.model.errors import TargetError
from perfboard.model.progress import SilentProgress
from perfboard.model.results.packets import Protocol
from perfboard.model.run import Evidence
from perfboard.targets.base import Target
from perfboard.targets.pipe.process import Process
from perfboard.targets.pipe.shell import PipeShell

DEVICE, SENDER = f"pbd{os.getpid()}", f"pbs{os.getpid()}"
ADDRESS = "10.77.2.1"
LEAST: dict[Protocol, float] = {"icmp": 300_000.0, "udp": 500_000.0}
TRUTH, NEAR = 8000.0, 0.015
BUCKET = "root tbf rate 1376kbit burst 200 limit 2000"
RATIO = (0.95, 1.05)
TRY_S = 3


def sh(words: str) -> None:
    """Runs a command."""
    subprocess.run(words.split(), check=True)


@contextmanager
def namespaces() -> Iterator[None]:
    """Two namespaces and a veth pair between them, removed afterwards."""
    with ExitStack() as stack:
        for name in (DEVICE, SENDER):
            sh(f"ip netns add {name}")
            stack.callback(sh, f"ip netns del {name}")
            sh(f"ip -n {name} link set lo up")
        sh(f"ip link add v0 netns {SENDER} type veth peer name v0 netns {DEVICE}")
        for name, address in ((SENDER, "10.77.2.2/30"), (DEVICE, f"{ADDRESS}/30")):
            sh(f"ip -n {name} addr add {address} dev v0")
            sh(f"ip -n {name} link set v0 up")
        yield


@contextmanager
def end(namespace: str) -> Iterator[End]:
    """A namespace as a target with the probe on it."""

    def ended(errors: str) -> TargetError:
        return TargetError("lost", f"The program in {namespace} has ended. {errors}")

    enter = ["ip", "netns", "exec", namespace, "/bin/sh"]
    session = Process(enter, ended)
    try:
        shell = PipeShell(lambda script: [*enter, "-c", script], ended, session)
        target = Target(namespace, Evidence.HOST, shell)
        with prepared(target, SilentProgress()) as found:
            yield found
    finally:
        session.close()


def say(bar: str, figure: str, met: bool) -> bool:
    """Prints a bar's line."""
    print(f"{'met' if met else 'NOT'}  {bar}: {figure}", flush=True)
    return met


def echo(protocol: Protocol, device: End, sender: End) -> Echo:
    """One protocol between the two."""
    ends = Ends(device, (sender,), ADDRESS)
    return Echo(protocol, ends, Goal(), lambda seconds, what: None)


def packets(device: End, sender: End, repeats: int) -> bool:
    """Floods, and then searches through the bucket."""
    met = True
    for protocol, least in LEAST.items():
        flooded = echo(protocol, device, sender)
        flooded.flood()
        rate = max(row.rate for row in flooded.record.flood)
        lost = sum(row.sent - row.answered for row in flooded.record.flood)
        met &= say(
            f"{protocol} flood of at least {least:,.0f} packets/s",
            f"{rate:,.0f}, {lost} lost",
            rate >= least and not lost,
        )
    sh(f"tc -n {DEVICE} qdisc add dev v0 {BUCKET}")
    try:
        for protocol in LEAST:
            for _ in range(repeats):
                began = time.monotonic()
                searched = echo(protocol, device, sender)
                searched.measure()
                record = searched.record
                found = 2 * (record.bounds.lower or 0.0)
                met &= say(
                    f"{protocol} through a bucket of {TRUTH:,.0f} packets/s, within {NEAR:.1%}",
                    f"{found:,.0f} ({found / TRUTH - 1:+.2%}), {record.cause.place}, bias "
                    f"{record.bias:.2%}, {sum(not t.counts for t in record.trials)} of "
                    f"{len(record.trials)} trials repeated, {time.monotonic() - began:.0f} s",
                    abs(found / TRUTH - 1) <= NEAR and "queue tbf" in record.cause.place,
                )
    finally:
        sh(f"tc -n {DEVICE} qdisc del dev v0 root")
    return met


def tcp(device: End, sender: End, pairs: int, iperf3: str) -> bool:
    """Pairs of transfers in turn."""
    met = True
    with ExitStack() as stack:
        server = stack.enter_context(device.program("tcp-serve", ADDRESS))
        port = server.row(PortRow).port
        client = stack.enter_context(sender.program("tcp", ADDRESS, str(port)))
        words = ["ip", "netns", "exec", DEVICE, iperf3, "-s", "-B", ADDRESS]
        other = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        stack.callback(other.wait)
        stack.callback(other.terminate)
        time.sleep(1)
        for way, reverse in (("send", []), ("receive", ["-R"])):
            ratios = []
            for _ in range(pairs):
                client.write(f"{way} 1 {TRY_S * 1000}")
                moved = client.row(MovedRow, timeout_s=60)
                ours = moved.bytes / moved.took_us * 1e6
                words = ["ip", "netns", "exec", SENDER, iperf3, "-c", ADDRESS, "-J", *reverse]
                done = subprocess.run(
                    [*words, "-t", str(TRY_S)], check=True, capture_output=True, text=True
                )
                theirs = json.loads(done.stdout)["end"]["sum_received"]["bits_per_second"] / 8
                ratios.append(ours / theirs)
            middle = statistics.median(ratios)
            met &= say(
                f"TCP {way} against iperf3, median of {pairs} pairs from {RATIO[0]} to {RATIO[1]}",
                f"{middle:.3f} ({min(ratios):.3f} to {max(ratios):.3f})",
                RATIO[0] <= middle <= RATIO[1],
            )
    return met


def main() -> int:
    """Prints the bars; 1 if one is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--iperf3", default="iperf3", help="its program, if it is not on PATH")
    given = parser.parse_args()
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with namespaces(), end(DEVICE) as device, end(SENDER) as sender:
        met = packets(device, sender, given.repeats) if given.repeats else False
        met &= tcp(device, sender, given.pairs, given.iperf3) if given.pairs else False
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
