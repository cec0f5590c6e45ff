# SPDX-License-Identifier: Apache-2.0
"""Counters of a Linux machine's network and processors, as its kernel prints them.

The files are of `SCRIPT`, after which the probe's `queues` runs, and are not trusted.
"""

import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

from perfboard.analysis.raw_files import RawFile, raw_script
from perfboard.model.rows import Count, Row, read_row

# The settings that limit how many ICMP messages the kernel sends.
ICMP_LIMITS = ("icmp_ratemask", "icmp_ratelimit", "icmp_msgs_per_sec", "icmp_msgs_burst")
_IPV4 = "/proc/sys/net/ipv4"
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
STAT = "/proc/stat"
_FILES = (
    STAT,
    "/proc/net/softnet_stat",
    "/proc/net/snmp",
    "/proc/net/dev",
    _BOOT_ID,
    *(f"{_IPV4}/{name}" for name in (*ICMP_LIMITS, "icmp_echo_ignore_all")),
)
SCRIPT = raw_script(_FILES)
ADDRESSES = "cat /proc/net/fib_trie"

# The columns of /proc/stat that hold idle time, system's own, and those of interrupts.
_COLUMNS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
# Those of /proc/net/dev that are counted here.
_DEVICE = {1: "rx_packets", 3: "rx_dropped", 4: "rx_fifo", 9: "tx_packets", 11: "tx_dropped"}
_SNMP = {
    "Icmp": ("InEchos", "OutEchoReps", "OutRateLimitGlobal", "OutRateLimitHost"),
    "Udp": ("RcvbufErrors", "SndbufErrors"),
    "Ip": ("InDiscards", "OutDiscards"),
}
_MOST = 1 << 64
_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.@-]{1,20}$")]


class _QueueRow(Row):
    """The packets that a queueing discipline dropped (native/probe/commands/queues.c)."""

    row: Literal["queue"]
    interface: _Name
    kind: _Name
    drops: Count


@dataclass(frozen=True)
class Counters:
    """A machine's counts so far.

    `counts` are by place, as "softnet.dropped", "udp.RcvbufErrors", "nic.eth0.rx_dropped" or
    "queue.eth0.tbf.dropped"; `processors` are ticks by the columns of /proc/stat; `settings` are
    the kernel's ICMP limits.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    processors: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    boot_id: str = ""

    def since(self, before: "Counters") -> dict[str, int]:
        """The counts since `before`; 32-bit counters may have begun anew."""
        found = {}
        for name, now in self.counts.items():
            if name in before.counts:
                more = now - before.counts[name]
                found[name] = more if more >= 0 else more % (1 << 32)
        return found

    def busy_since(self, before: "Counters") -> dict[str, dict[str, float]]:
        """The share of each processor's time that it was in each state since."""
        found = {}
        for name, now in self.processors.items():
            was = before.processors.get(name, {})
            spent = {column: max(0, now[column] - was.get(column, 0)) for column in now}
            total = sum(spent.values())
            if was and total:
                found[name] = {column: ticks / total for column, ticks in spent.items()}
        return found


def read_counters(files: Iterable[RawFile]) -> Counters:
    """The counters in what a machine printed; lines that make no sense are left out."""
    counts: dict[str, int] = {}
    processors: dict[str, dict[str, int]] = {}
    settings: dict[str, str] = {}
    boot_id = ""
    heads: dict[str, list[str]] = {}
    for path, line in ((path, line) for path, lines in files for line in lines):
        words = line.split()
        if not words:
            continue
        if row := read_row(line, _QueueRow):
            _add(counts, [(f"queue.{row.interface}.{row.kind}.dropped", row.drops)])
        elif path == STAT and re.fullmatch("cpu[0-9]{1,4}", words[0]):
            ticks = [_number(word) for word in words[1 : 1 + len(_COLUMNS)]]
            if None not in ticks:
                processors[words[0]] = {
                    name: tick or 0 for name, tick in zip(_COLUMNS, ticks, strict=False)
                }
        elif path == "/proc/net/softnet_stat":
            _add(counts, _softnet(words))
        elif path == "/proc/net/snmp":
            _add(counts, _snmp(words, heads))
        elif path == "/proc/net/dev":
            _add(counts, _device(line))
        elif path == _BOOT_ID and re.fullmatch("[0-9a-f-]{1,40}", words[0]):
            boot_id = words[0]
        elif path.startswith(_IPV4) and _number(words[0]) is not None:
            settings[path.rpartition("/")[2]] = words[0]
    return Counters(counts, processors, settings, boot_id)


def own_addresses(text: str) -> set[str]:
    """The addresses of a machine's own, by the text of its /proc/net/fib_trie."""
    found, address = set(), ""
    for line in text.splitlines():
        if match := re.fullmatch(r"[ |+-]*?-- ([0-9.]{7,15})", line.rstrip()):
            address = match[1]
        elif address and re.fullmatch(r"\s*/32 host LOCAL", line.rstrip()):
            found.add(address)
    return {each for each in found if _is_address(each)}


def _is_address(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True


def _number(text: str, base: int = 10) -> int | None:
    digits = "[0-9a-f]{1,16}" if base == 16 else "[0-9]{1,20}"
    if not re.fullmatch(digits, text):
        return None
    value = int(text, base)
    return value if value < _MOST else None


def _add(counts: dict[str, int], found: Iterable[tuple[str, int | None]]) -> None:
    for name, count in found:
        if count is not None:
            counts[name] = counts.get(name, 0) + count


def _softnet(words: list[str]) -> Iterator[tuple[str, int | None]]:
    if len(words) > 2:
        yield "softnet.dropped", _number(words[1], 16)
        yield "softnet.squeezed", _number(words[2], 16)


def _snmp(words: list[str], heads: dict[str, list[str]]) -> Iterator[tuple[str, int | None]]:
    """A line of names, and then one of numbers that begins with the same word."""
    kind = words[0].rstrip(":")
    if kind not in _SNMP:
        return
    if kind not in heads:
        heads[kind] = words
        return
    for name, text in zip(heads.pop(kind)[1:], words[1:], strict=False):
        if name in _SNMP[kind]:
            yield f"{kind.lower()}.{name}", _number(text)


def _device(line: str) -> Iterator[tuple[str, int | None]]:
    name, colon, rest = line.strip().rpartition(":")
    words = rest.split()
    if colon and len(words) > max(_DEVICE) and re.fullmatch("[A-Za-z0-9_.@:-]{1,20}", name):
        for column, what in _DEVICE.items():
            yield f"nic.{name}.{what}", _number(words[column])
