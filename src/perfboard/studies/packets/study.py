# SPDX-License-Identifier: Apache-2.0
"""Packets a second that a network device echoes, and where the limit lies (packet study, 2010)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from perfboard.bench.lab import Lab
from perfboard.bench.opening import check_bench, open_record
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.measures.catalogue import get_measure
from perfboard.measures.content import content_of
from perfboard.measures.loop import Findings, Item, measure_items, prepare
from perfboard.measures.network.packets import PROTOCOLS
from perfboard.model.budget import MetricLimit
from perfboard.model.errors import INCONCLUSIVE
from perfboard.model.options import option, parse_seconds
from perfboard.model.profile import Value
from perfboard.model.results.packets import PacketsResult
from perfboard.model.results.published import PublishedResult
from perfboard.model.run import Run, RunError
from perfboard.store.recording import Content
from perfboard.studies.budgets import budget_option, check_limits, held


@dataclass(frozen=True)
class PacketsOptions:
    """The options of `perfboard study packets`."""

    sender: tuple[str, ...] = option(
        ("local",),
        "a target that asks: local (default) or ssh://[USER@]HOST[:PORT]; repeatable",
        parse=tuple,
        metavar="SENDER",
        repeated=True,
    )
    address: str = option(
        "",
        "the IPv4 address of the target that is asked (default: the host of ssh, or 127.0.0.1)",
        metavar="ADDRESS",
    )
    only: tuple[str, ...] = option(
        PROTOCOLS,
        "measure this protocol alone: icmp or udp",
        parse=tuple,
        metavar="PROTOCOL",
        repeated=True,
    )
    trial: float = option(
        0.0,
        "the length of the longest trials (default: 3, of a virtual board 1.5); longer ones are "
        "flattered less by queues",
        parse=parse_seconds,
        metavar="SECONDS",
    )
    budget: tuple[MetricLimit, ...] = budget_option("network.packets.paced >= 5000 1/s")
    this_network_is_mine: bool = option(
        False,
        "send to an address that is neither private nor loopback",
        parse=bool,
        switch=True,
    )


@dataclass(frozen=True)
class PacketsStudy:
    """Floods, and searches for the highest rate without loss, by ICMP and by UDP."""

    name: str = "packets"
    title: str = "Packets per second"
    question: str = "How many packets a second does this device answer, and what limits it?"
    options: type[PacketsOptions] = PacketsOptions
    targets: tuple[str, ...] = ("local", "ssh", "serial", "virtual")
    default_target: str = "local"
    headline: str = "network.packets.paced"
    factors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def check(self, request: Request, options: PacketsOptions) -> list[str]:
        wrong = [
            f"--only {protocol}: give {' or '.join(PROTOCOLS)}"
            for protocol in options.only
            if protocol not in PROTOCOLS
        ]
        wrong += check_limits(options.budget, [get_measure("network.packets")])
        return [*wrong, *check_bench(request, BenchOptions())]

    def run(self, request: Request, options: PacketsOptions, lab: Lab) -> Run:
        given: dict[str, Value] = {
            "protocols": " ".join(options.only),
            "sender": " ".join(options.sender),
            "address": options.address,
            "trial": options.trial,
            "mine": options.this_network_is_mine,
        }
        item, findings = Item.of(get_measure("network.packets"), given), Findings()
        with open_record(self.name, self.headline, request, BenchOptions(), lab) as (record, bench):
            bench.check_ends(options.sender, options.address, mine=options.this_network_is_mine)
            prepare(bench, [item])
            with record.begin(
                lambda: held(
                    _found(content_of([item], findings, bench), findings), options.budget, bench
                )
            ):
                measure_items([item], bench, findings, lab)
        return record.run


def _found(content: Content, findings: Findings) -> Content:
    """The packets' own results, which have all that the measure found."""
    kinds = (PacketsResult, PublishedResult)
    results = tuple(each for each in content.results if isinstance(each, kinds))
    errors = tuple(
        RunError(kind=INCONCLUSIVE, message=f"Nothing was measured: {found.reason}")
        for found in findings.found.values()
        if found.reason
    )
    return replace(content, results=results, errors=errors)


STUDY = PacketsStudy()
