# SPDX-License-Identifier: Apache-2.0
"""The readers of what a kernel counts: recorded text, and text that makes no sense."""

from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.packets.counters import Counters, own_addresses, read_counters
from perfboard.analysis.raw_files import raw_files

RECORDED = """\
@file /proc/stat
cpu  10 0 10 80 0 0 0 0 0 0
cpu0 5 0 5 40 0 0 50 0 0 0
intr 5
@file /proc/net/softnet_stat
0000000a 00000002 00000001 00000000 00000000 00000000 00000000 00000000
0000000b 00000003 00000000 00000000 00000000 00000000 00000000 00000000
@file /proc/net/snmp
Ip: Forwarding DefaultTTL InReceives InDiscards OutDiscards
Ip: 2 64 8001 4 7
Icmp: InMsgs InEchos OutEchoReps OutRateLimitGlobal
Icmp: 9 8 7 6
Udp: InDatagrams RcvbufErrors
Udp: 100 33
@file /proc/net/dev
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop
  eth0: 1000      10    0    5    6     0          0         0     2000      20    0    7    0
@file /proc/sys/kernel/random/boot_id
0f3b2a10-1111-2222-3333-444455556666
@file /proc/sys/net/ipv4/icmp_ratemask
6168
@file /proc/sys/net/ipv4/icmp_ratelimit
{"row":"queue","interface":"eth0","kind":"tbf","packets":20,"drops":12}
{"row":"queue","interface":"eth0","kind":"tbf","packets":3,"drops":1}
"""
TRIE = """\
Main:
  +-- 0.0.0.0/1 2 0 2
     |-- 10.77.1.1
        /32 host LOCAL
     |-- 10.77.1.0
        /30 link UNICAST
     |-- 10.77.1.999
        /32 host LOCAL
"""


def test_all_places_are_read() -> None:
    found = read_counters(raw_files(RECORDED))
    assert found.counts == {
        "softnet.dropped": 5,
        "softnet.squeezed": 1,
        "ip.InDiscards": 4,
        "ip.OutDiscards": 7,
        "icmp.InEchos": 8,
        "icmp.OutEchoReps": 7,
        "icmp.OutRateLimitGlobal": 6,
        "udp.RcvbufErrors": 33,
        "nic.eth0.rx_packets": 10,
        "nic.eth0.rx_dropped": 5,
        "nic.eth0.rx_fifo": 6,
        "nic.eth0.tx_packets": 20,
        "nic.eth0.tx_dropped": 7,
        "queue.eth0.tbf.dropped": 13,
    }
    assert found.settings == {"icmp_ratemask": "6168"}
    assert found.boot_id.startswith("0f3b")
    later = read_counters(
        raw_files(RECORDED.replace("cpu0 5 0 5 40 0 0 50", "cpu0 5 0 5 65 0 0 125"))
    )
    shares = later.busy_since(found)["cpu0"]
    assert shares["idle"] == 0.25 and shares["softirq"] == 0.75


def test_a_counter_of_32_bits_may_begin_anew() -> None:
    before, after = Counters({"a": (1 << 32) - 5, "b": 1}), Counters({"a": 5, "c": 1})
    assert after.since(before) == {"a": 10}


def test_own_addresses_are_those_that_the_kernel_calls_local() -> None:
    assert own_addresses(TRIE) == {"10.77.1.1"}


@given(st.data())
def test_damaged_text_is_read_as_far_as_it_makes_sense(data: st.DataObject) -> None:
    lines = RECORDED.splitlines()
    place = data.draw(st.integers(0, len(lines) - 1))
    lines[place] = data.draw(st.text(st.characters(codec="utf-8"), max_size=60))
    at = data.draw(st.integers(0, len(RECORDED)))
    for text in ("\n".join(lines), RECORDED[:at], RECORDED[at:]):
        found = read_counters(raw_files(text))
        assert all(0 <= count < 1 << 70 for count in found.counts.values())
        assert all(value.isdecimal() for value in found.settings.values())
        for shares in found.busy_since(read_counters(raw_files(RECORDED))).values():
            assert all(0 <= share <= 1 for share in shares.values())


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    read_counters(raw_files(text))
    own_addresses(text)
