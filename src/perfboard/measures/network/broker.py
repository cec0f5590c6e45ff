# SPDX-License-Identifier: Apache-2.0
"""network.broker: messages by MQTT from one client to another, with the broker between them."""

from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Literal

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Quantity, Setting, ShownMetric
from perfboard.measures.disk.points import QUICK
from perfboard.measures.reading import SaidRow, printed, refusals
from perfboard.model.rows import Count, Positive, Row, read_rows, row_line
from perfboard.model.units import format_value

_SCRIPT = Path(__file__).with_name("broker.sh")
# The messages that go alone, and with others under way; a board that repeats needs fewer.
_LIVE, _EXACT, _SHORTER = (200, 5000), (100, 500), 4
_OF = {"median": "middle_ns", "99%": "late_ns", "longest": "longest_ns"}
_WHERE = "Mosquitto and its two clients share the board's processors."


class LinesRow(Row):
    """The lines that came, as native/probe/commands/network/lines.c prints it."""

    row: Literal["lines"]
    count: Positive
    took_us: Positive
    middle_ns: Count
    late_ns: Count
    longest_ns: Count


_ROWS: tuple[type[Row], ...] = (SaidRow, LinesRow)


def _example(way: str, count: int) -> str:
    times = {"took_us": 400_000, "middle_ns": 2_000_000, "late_ns": 3_000_000, "longest_ns": 10**7}
    return row_line("said", name="way", text=way) + row_line("lines", count=count, **times)


class NetworkBroker(Measure):
    """mosquitto_pub publishes by QoS 1, and mosquitto_sub has it, over loopback."""

    name = "network.broker"
    title = "Messages by way of a broker"
    parameters = (QUICK,)
    metrics = (
        Quantity("network.broker.messages", "1/s", "messages of 15 bytes, 100 under way", "higher"),
        Quantity(
            "network.broker.time",
            "s",
            "of one message alone, from client to client: label of",
        ),
    )
    labels = MappingProxyType({"of": tuple(_OF)})
    examples = (
        Example(
            _example("one", 200) + _example("many", 2000),
            {"network.broker.messages": 5000, "network.broker.time": 0.002},
        ),
    )

    def job(self, setting: Setting) -> Job:
        one, many = _EXACT if setting.facts.exact else _LIVE
        shorter = _SHORTER if setting.parameters["quick"] else 1
        # A virtual board has no user of its name.
        user = "root" if setting.facts.exact else ""
        return Job(
            f"sh broker.sh {setting.repeats} {one // shorter} {many // shorter} {user}\n",
            files={"broker.sh": _SCRIPT.read_bytes()},
            packages=("mosquitto", "mosquitto-clients"),
            programs=("mosquitto_pub", "mosquitto_sub"),
        )

    def read(self, output: str, setting: Setting) -> Finding:
        rows: dict[str, list[LinesRow]] = {"one": [], "many": []}
        way = ""
        for row in read_rows(output, *_ROWS):
            match row:
                case SaidRow(name="way", text=text):
                    way = text
                case LinesRow():
                    rows.get(way, []).append(row)
        if not all(rows.values()):
            reasons = (*refusals(output).values(), printed(output, "wrong"))
            raise NotMeasurable("; ".join(filter(None, reasons)) or "no message came")
        messages, time = self.metrics
        rate = messages.metric(row.count / row.took_us * 1e6 for row in rows["many"])
        times = [
            time.metric((getattr(row, member) / 1e9 for row in rows["one"]), {"of": of})
            for of, member in _OF.items()
        ]
        titles = ("one alone, median", "99% take no longer than", "longest")
        return Finding(
            (rate, *times),
            (ShownMetric("100 under way", rate), *map(ShownMetric, titles, times)),
            f"{format_value(median(rate.samples), '1/s')} messages",
            "",
            f"{_WHERE} Each message is acknowledged to its sender and by its receiver (QoS 1), and "
            "none is kept. The time is from a line at the one client to that line at the other.",
        )


MEASURES = (NetworkBroker(),)
