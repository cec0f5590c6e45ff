# SPDX-License-Identifier: Apache-2.0
"""The place of the limit of packets a second: named with why, or unknown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

# From this share of the lost packets on, the place that dropped them is the cause.
_MOST_OF = 0.5
# A processor that is idle for less is busy, and a program that runs for more is.
_IDLE, _RUNS = 0.1, 0.9
_UNKNOWN = "unknown"
# Places that hold what the device's processor has not come to.
_WAITING = ("the device's network card ", "the echo program's receive buffer")


@dataclass(frozen=True)
class Counts:
    """The counts of both ends during trials in which the limit showed.

    `device` and `senders` are counters since they began; `processors` are shares of the device's.
    `echo_busy` is the echo program's share of one processor, None where the kernel echoes.
    `shared` says that a sender runs on the device itself, or under the same kernel.
    """

    lost: int
    device: Mapping[str, int] = field(default_factory=dict)
    senders: Sequence[Mapping[str, int]] = ()
    processors: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    echo_busy: float | None = None
    sender_busy: Sequence[float] = ()
    shared: bool = False


@dataclass(frozen=True)
class PacketsCause:
    """The place of the limit, in words for a heading, and a sentence with the evidence."""

    place: str
    why: str


def find_cause(seen: Counts) -> PacketsCause:
    """The cause that the counters show: drops by their place, then busy processors."""
    if seen.lost:
        dropped = _dropped(seen)
        busy = None if seen.shared else _busy(seen)
        if dropped is not None and busy is not None and dropped.place.startswith(_WAITING):
            return PacketsCause(busy.place, f"{busy.why}; {dropped.why}")
        if dropped is not None:
            return dropped
    busy = _busy(seen)
    if busy is not None:
        return busy
    if seen.lost and (wire := _wire(seen)) is not None:
        return wire
    return PacketsCause(
        _UNKNOWN,
        "no place where packets are dropped counted most of the losses, and neither the device's "
        "processors nor the senders were busy all the time",
    )


def _dropped(seen: Counts) -> PacketsCause | None:
    """The place that dropped most of what was lost."""
    places: list[tuple[int, str, str]] = []
    for end, counts in (("device", seen.device), *(("sender", each) for each in seen.senders)):
        for name, count in counts.items():
            words = _place_words(end, name)
            if words and count:
                places.append((count, *words))
    # The IP layer counts once more what a queue below it dropped; under one kernel both ends count
    # some of the same.
    enough = [place for place in places if place[0] >= _MOST_OF * seen.lost]
    if not enough:
        return None
    count, place, counter = min(enough, key=lambda each: ("Ip " in each[2], -each[0], each[1]))
    return PacketsCause(place, f"{counter} counted {count:,} of {seen.lost:,} lost packets")


def _place_words(end: str, name: str) -> tuple[str, str] | None:
    """The place in words, and its counter, of a counter of drops; None for another one."""
    kind, _, rest = name.partition(".")
    if kind == "queue":
        interface, _, discipline = rest.removesuffix(".dropped").rpartition(".")
        return (
            f"the {end}'s queue {discipline} of {interface}",
            f"the drops of {discipline} on {interface} ({end})",
        )
    if name == "softnet.dropped":
        return (
            f"the {end}'s queue of received packets",
            f"/proc/net/softnet_stat ({end}, netdev_max_backlog)",
        )
    if kind == "udp":
        program = "the echo program's" if end == "device" else "the sender's"
        which = "receive" if rest == "RcvbufErrors" else "send"
        return (f"{program} {which} buffer", f"Udp {rest} ({end})")
    if rest.startswith("OutRateLimit"):
        return (f"the {end}'s limit on ICMP messages", f"Icmp {rest} ({end})")
    if kind == "nic" and rest.endswith(("_dropped", "_fifo")):
        interface, _, what = rest.rpartition(".")
        return (f"the {end}'s network card {interface}", f"{what} of {interface} ({end})")
    if kind == "ip" and rest.endswith("Discards"):
        return (f"the {end}'s IP layer", f"Ip {rest} ({end})")
    return None


def _busy(seen: Counts) -> PacketsCause | None:
    busiest = min(seen.processors.items(), key=lambda item: item[1].get("idle", 1.0), default=None)
    loaded = busiest is not None and busiest[1].get("idle", 1.0) < _IDLE
    if seen.shared:
        if loaded or any(busy > _RUNS for busy in seen.sender_busy):
            return PacketsCause(
                "the processors that sender and device share",
                "both run under one kernel, and a processor or a sender was busy all the time: "
                "the sender's share cannot be separated from the device's",
            )
        return None
    if loaded and busiest is not None:
        name, shares = busiest
        words = (
            f"{name} was busy for {1 - shares.get('idle', 0.0):.0%} of the time, "
            f"{shares.get('softirq', 0.0):.0%} in softirq"
        )
        if seen.echo_busy is not None:
            words += f"; the echo program took {seen.echo_busy:.0%} of a processor"
        return PacketsCause("the device's processor", words)
    if seen.echo_busy is not None and seen.echo_busy > _RUNS:
        return PacketsCause(
            "the device's processor",
            f"the echo program took {seen.echo_busy:.0%} of one processor",
        )
    if seen.sender_busy and min(seen.sender_busy) > _RUNS:
        return PacketsCause(
            "the senders", "each sender took more than 90% of a processor, the device's were idle"
        )
    return None


def _wire(seen: Counts) -> PacketsCause | None:
    """The way between, by exclusion: sent by one end's card and never received by the other's."""
    if len(seen.senders) != 1:
        return None
    received = _most(seen.device, ".rx_packets")
    sent = _most(seen.senders[0], ".tx_packets")
    missing = sent - received
    if missing >= _MOST_OF * seen.lost:
        return PacketsCause(
            "the way between (switch or cable)",
            f"the sender's card sent {sent:,} packets, the device's received {received:,}, and "
            "neither end counted a drop",
        )
    return None


def _most(counts: Mapping[str, int], ending: str) -> int:
    """The count of the busiest card."""
    return max((count for name, count in counts.items() if name.endswith(ending)), default=0)
