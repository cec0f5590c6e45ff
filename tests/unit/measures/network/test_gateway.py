# SPDX-License-Identifier: Apache-2.0
"""What a gateway does all day, as read: its tunnel, TLS, messages, packets that it sends on."""

from dataclasses import replace

import pytest

from perfboard.bench.job import NotMeasurable
from perfboard.measures.base import EXACT
from perfboard.measures.reading import example_time
from perfboard.model.rows import row_line
from tests.support.measures import job_of, read

STAT = "@file /proc/stat\ncpu  1 1 1 1\ncpu0 0 0 {} {}\ncpu1 0 0 {} {}\nintr 5\n"
REFUSED = "no network namespace can be made, which root may: unshare failed"


def moved(size: int) -> str:
    return row_line("moved", bytes=size, took_us=1_000_000, retransmitted=0)


def trial(sent: int, answered: int, late: int) -> str:
    counts = {"sent": sent, "answered": answered, "late": late}
    return row_line("trial", **counts, took_us=500_000, burst=0)


def way(name: str) -> str:
    return row_line("said", name="way", text=name)


def test_a_tunnels_rate_has_the_share_of_all_processors() -> None:
    output = (
        STAT.format(0, 100, 0, 100)
        + moved(20_000_000)
        + STAT.format(100, 100, 50, 150)
        + row_line("refused", what="tcp", why="no answer for 20 s; is there a firewall?")
        + STAT.format(100, 200, 50, 250)
        + moved(30_000_000)
        + STAT.format(190, 210, 100, 300)
    )
    rate, busy = read("network.wireguard", output).metrics
    assert (rate.samples, rate.better) == ((20e6, 30e6), "higher")
    # Each has the share of its own time.
    assert busy.samples == pytest.approx((0.75, 0.7))


@pytest.mark.parametrize("name", ["network.wireguard", "network.forward", "network.broker"])
def test_what_the_target_refuses_is_the_reason(name: str) -> None:
    with pytest.raises(NotMeasurable, match="no network namespace can be made"):
        read(name, row_line("refused", what="any", why=REFUSED))


def test_only_a_part_with_neon_gets_the_ciphers_by_it() -> None:
    with_it = job_of("network.wireguard", {}, EXACT).features
    without = job_of("network.wireguard", {}, replace(EXACT, lacks=frozenset(["neon"]))).features
    assert {*with_it} - {*without} == {"neon-ciphers"} and "router" in without


def test_packets_sent_on_count_once_with_and_without_nat() -> None:
    output = (
        way("forward")
        + STAT.format(0, 100, 0, 100)
        + trial(5064, 5064, 64)
        + STAT.format(90, 110, 10, 190)
        + way("nat")
        + way("nat")
        + STAT.format(90, 110, 10, 190)
        + trial(4000, 2000, 0)
        + STAT.format(190, 110, 10, 290)
    )
    found = read("network.forward", output)
    assert [(m.name, m.labels["way"], m.samples) for m in found.metrics] == [
        ("network.forward.packets", "plain", (10_000.0,)),
        ("network.forward.lost", "plain", (0.0,)),
        ("network.forward.busy", "plain", (0.9,)),
        ("network.forward.packets", "nat", (4000.0,)),
        ("network.forward.lost", "nat", (0.5,)),
        ("network.forward.busy", "nat", (1.0,)),
    ]
    assert found.short == "plain 10.00 k/s, nat 4.000 k/s" and not found.notes


def test_without_nft_packets_are_sent_on_as_they_come() -> None:
    why = "the target has no nft; on Debian, install nftables there"
    output = way("forward") + trial(10, 10, 0) + way("nat") + row_line("refused", what="x", why=why)
    found = read("network.forward", output)
    assert {metric.labels["way"] for metric in found.metrics} == {"plain"}
    assert found.notes == (f"nat was not measured: {why}.",)


def test_a_live_target_keeps_its_own_network() -> None:
    live, virtual = job_of("network.forward", {}), job_of("network.forward", {}, EXACT)
    assert "unshare -n" in live.script and "ip address" not in live.script
    assert virtual.network and not live.network
    assert "unshare" not in virtual.script


def connections(of: str, real_s: float, count: int, size: int) -> str:
    text = f"{count} connections in 3 real seconds, {size} bytes read per connection"
    taken = example_time(of, round(real_s * 1e9), 1_000_000)
    return taken + row_line("said", name=of, text=text)


START = example_time("start", 100_000_000, 100_000, status=1)


def test_tls_is_timed_beyond_the_clients_start_and_a_page_beyond_its_handshake() -> None:
    output = START + connections("shake", 2.1, 40, 0) + connections("page", 1.1, 4, 1 << 20)
    metrics = {metric.name: metric.samples for metric in read("network.tls", output).metrics}
    assert metrics["network.tls.handshakes"] == pytest.approx((20,))
    assert metrics["network.tls.bandwidth"] == pytest.approx(((1 << 20) / 0.2,))


def test_a_page_as_fast_as_a_handshake_has_no_bandwidth() -> None:
    output = START + connections("shake", 2.1, 40, 0) + connections("page", 2.1, 41, 1 << 20)
    found = read("network.tls", output)
    assert "network.tls.bandwidth" not in {metric.name for metric in found.metrics}
    assert "no longer than a handshake" in found.absent["network.tls.bandwidth"]


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("", "has not run"),
        (START + connections("shake", 2.1, 0, 0), "counted no connection"),
        (START + connections("shake", 0.1, 3, 0), "counted no connection"),
        (START + example_time("shake", 10**9, 1000, status=1), "s_time ended with 1"),
        (row_line("said", name="wrong", text="verify error:num=20"), "says verify error:num=20"),
    ],
)
def test_tls_without_connections_is_refused(output: str, why: str) -> None:
    with pytest.raises(NotMeasurable, match=why):
        read("network.tls", output)


def lines(count: int, middle_ns: int) -> str:
    times = {"middle_ns": middle_ns, "late_ns": 2 * middle_ns, "longest_ns": 3 * middle_ns}
    return row_line("lines", count=count, took_us=500_000, **times)


def test_messages_are_those_of_many_and_times_those_of_one() -> None:
    one, many = way("one") + lines(200, 2_000_000), way("many") + lines(2000, 90_000_000)
    found = read("network.broker", one + many + one + many)
    assert [(m.labels.get("of"), m.samples) for m in found.metrics] == [
        (None, (4000.0, 4000.0)),
        ("median", (0.002, 0.002)),
        ("99%", (0.004, 0.004)),
        ("longest", (0.006, 0.006)),
    ]


def test_messages_that_do_not_come_are_refused_with_the_clients_words() -> None:
    refused = row_line("refused", what="lines", why="a line did not come")
    output = way("one") + refused + row_line("said", name="wrong", text="Connection refused")
    with pytest.raises(NotMeasurable, match="a line did not come; Connection refused"):
        read("network.broker", output)
