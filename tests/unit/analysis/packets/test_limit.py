# SPDX-License-Identifier: Apache-2.0
"""Where the limit lies, by what both ends counted."""

import pytest

from perfboard.analysis.packets.limit import Counts, find_cause

IDLE = {"cpu0": {"idle": 0.9, "softirq": 0.05}}
BUSY = {"cpu0": {"idle": 0.02, "softirq": 0.88}, "cpu1": {"idle": 0.9, "softirq": 0.0}}


@pytest.mark.parametrize(
    ("counter", "place"),
    [
        ("queue.eth0.tbf.dropped", "the device's queue tbf of eth0"),
        ("queue.eth0.1.fq.dropped", "the device's queue fq of eth0.1"),
        ("udp.RcvbufErrors", "the echo program's receive buffer"),
        ("softnet.dropped", "the device's queue of received packets"),
        ("icmp.OutRateLimitHost", "the device's limit on ICMP messages"),
        ("nic.eth0.rx_fifo", "the device's network card eth0"),
        ("ip.InDiscards", "the device's IP layer"),
    ],
)
def test_the_place_that_dropped_most_is_named(counter: str, place: str) -> None:
    cause = find_cause(Counts(lost=100, device={counter: 60, "nic.eth0.rx_packets": 10**6}))
    assert cause.place == place and "60 of 100" in cause.why


def test_what_dropped_few_is_not_the_cause() -> None:
    cause = find_cause(Counts(lost=100, device={"udp.RcvbufErrors": 40}, processors=IDLE))
    assert cause.place == "unknown"


def test_the_ip_layer_counts_what_a_queue_dropped_once_more() -> None:
    counts = {"ip.OutDiscards": 100, "queue.eth0.tbf.dropped": 99}
    assert "tbf" in find_cause(Counts(lost=100, device=counts)).place


def test_a_sender_that_drops_is_named() -> None:
    cause = find_cause(Counts(lost=10, senders=({"udp.RcvbufErrors": 9},)))
    assert cause.place == "the sender's receive buffer"


def test_a_busy_processor_is_named_by_its_softirq_share() -> None:
    cause = find_cause(Counts(lost=5, processors=BUSY, echo_busy=0.1))
    assert cause.place == "the device's processor"
    assert "98% of the time, 88% in softirq" in cause.why and "10% of a processor" in cause.why


@pytest.mark.parametrize("counter", ["nic.eth0.rx_dropped", "udp.RcvbufErrors"])
def test_what_a_busy_processor_has_not_come_to_is_its_own_limit(counter: str) -> None:
    cause = find_cause(Counts(lost=100, device={counter: 98}, processors=BUSY))
    assert cause.place == "the device's processor"
    assert "88% in softirq" in cause.why and "98 of 100 lost" in cause.why
    assert find_cause(Counts(lost=100, device={counter: 98}, processors=IDLE)).place != cause.place


def test_an_echo_program_may_be_the_processors_load() -> None:
    cause = find_cause(Counts(lost=0, processors=IDLE, echo_busy=0.97))
    assert cause.place == "the device's processor" and "97%" in cause.why


def test_senders_are_named_where_all_of_them_are_busy() -> None:
    assert find_cause(Counts(lost=0, sender_busy=(0.95, 0.99))).place == "the senders"
    assert find_cause(Counts(lost=0, sender_busy=(0.95, 0.4))).place == "unknown"


def test_ends_of_one_kernel_cannot_be_told_apart() -> None:
    cause = find_cause(Counts(lost=0, processors=BUSY, sender_busy=(0.99,), shared=True))
    assert cause.place == "the processors that sender and device share"


def test_the_way_between_is_named_by_exclusion() -> None:
    device = {"nic.eth0.rx_packets": 900}
    sender = {"nic.eth1.tx_packets": 1000, "nic.lo.tx_packets": 3}
    cause = find_cause(Counts(lost=100, device=device, senders=(sender,), processors=IDLE))
    assert cause.place.startswith("the way between")
    assert find_cause(Counts(lost=300, device=device, senders=(sender,))).place == "unknown"
