# SPDX-License-Identifier: Apache-2.0
"""network.tls: connections and bytes a second over TLS, by OpenSSL's own client."""

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median

from perfboard.bench.job import Job, NotMeasurable
from perfboard.images.network import FAR_END, LINK_UP
from perfboard.measures.base import Example, Finding, Measure, Quantity, Setting, ShownMetric
from perfboard.measures.disk.points import QUICK
from perfboard.measures.rates import limit_of
from perfboard.measures.reading import (
    CommandTime,
    SaidRow,
    ended_runs,
    example_time,
    printed,
    times_of,
)
from perfboard.model.rows import read_rows, row_line
from perfboard.model.run import Metric
from perfboard.model.units import format_value

_SCRIPT = Path(__file__).with_name("tls.sh")
_PORT, _CLOSED = 443, 9
_PAGE, _SIZE = "data.bin", 1 << 20
# The client ends at the first whole second after these.
_SECONDS, _LEAST_SECONDS = 2, 1
_SAID = re.compile(r"(\d{1,9}) connections in \d{1,9} real seconds, (\d{1,12}) bytes read")


def _counted(what: str, count: int, size: int) -> str:
    text = f"{count} connections in 2 real seconds, {size} bytes read per connection"
    return row_line("said", name=what, text=text)


class NetworkTls(Measure):
    """Whole handshakes one after the other, and a page over each of others (TLS 1.2)."""

    name = "network.tls"
    title = "Connections over TLS"
    parameters = (QUICK,)
    needs = ("on a live target, a server on the same processors: OpenSSL's own",)
    metrics = (
        Quantity(
            "network.tls.handshakes",
            "1/s",
            "connections a second, each with a whole handshake and nothing else",
            "higher",
        ),
        Quantity(
            "network.tls.bandwidth",
            "B/s",
            "bytes a second of a page of 1 MiB, less its connection's handshake",
            "higher",
        ),
        Quantity("network.tls.busy", "1", "the client's share of a processor: label of"),
    )
    examples = (
        Example(
            example_time("start", 200_000_000, 100_000)
            + example_time("shake", 2_200_000_000, 1_600_000)
            + _counted("shake", 20, 0)
            + example_time("page", 2_200_000_000, 2_100_000)
            + _counted("page", 5, _SIZE),
            {
                "network.tls.handshakes": 10,
                "network.tls.bandwidth": _SIZE / 0.3,
                "network.tls.busy": 0.75,
            },
        ),
    )

    def job(self, setting: Setting) -> Job:
        exact = setting.facts.exact
        seconds = _LEAST_SECONDS if exact or setting.parameters["quick"] else _SECONDS
        words = f"{setting.repeats} {seconds}"
        far = f"{LINK_UP}set -- {words} {FAR_END} {_PORT} {_CLOSED}\n. ./tls.sh\n"
        return Job(
            far if exact else f"sh tls.sh {words}\n",
            files={"tls.sh": _SCRIPT.read_bytes()},
            packages=("openssl",),
            programs=("openssl",),
            pages={_PAGE: bytes(_SIZE)} if exact else {},
            secure=exact,
            network=exact,
        )

    def read(self, output: str, setting: Setting) -> Finding:
        if wrong := printed(output, "wrong"):
            raise NotMeasurable(f"openssl s_time says {wrong}")
        starts = times_of(output).get("start", [])
        if not starts:
            raise NotMeasurable("openssl has not run")
        shakes, pages = (list(_connections(output, of, starts)) for of in ("shake", "page"))
        if not shakes:
            raise NotMeasurable("openssl s_time has not said how many connections there were")
        handshakes, bandwidth, busy = self.metrics
        rate = handshakes.metric(1 / each for each, _, _ in shakes)
        metrics: list[Metric] = [rate, busy.metric((b for _, _, b in shakes), {"of": "handshakes"})]
        figures = [ShownMetric("connections, nothing asked", rate, metrics[1])]
        absent: dict[str, str] = {}
        shake_s = mean(each for each, _, _ in shakes)
        if pages and all(each > shake_s for each, _, _ in pages):
            moved = bandwidth.metric(size / (each - shake_s) for each, size, _ in pages)
            own = busy.metric((b for _, _, b in pages), {"of": "page"})
            metrics += [moved, own]
            figures.append(ShownMetric("a page, less its handshake", moved, own))
        else:
            absent[bandwidth.name] = "a page took no longer than a handshake"
        exact, evidence = setting.facts.exact, setting.facts.evidence
        where = "is the far end, which takes no time" if exact else "has the same processors"
        return Finding(
            tuple(metrics),
            tuple(figures),
            f"TLS {format_value(median(rate.samples), '1/s')} handshakes",
            limit_of(metrics[1], evidence, "the far end") if exact else "",
            "By openssl s_time: TLS 1.2, ECDHE, AES-128-GCM, a certificate of ECDSA P-256 that the "
            f"client checks, no session resumed. The server {where}.",
            absent=absent,
        )


def _connections(
    output: str, of: str, starts: list[CommandTime]
) -> Iterator[tuple[float, int, float]]:
    """The s of a connection, its bytes, and the client's share of a processor, of each run."""
    texts = [row.text for row in read_rows(output, SaidRow) if row.name == of]
    runs = ended_runs(output, of, "openssl s_time")
    for run, start, text in zip(runs, starts, texts, strict=False):
        match = _SAID.match(text)
        took = run.real_s - start.real_s
        if not match or not int(match[1]) or took <= 0:
            raise NotMeasurable("openssl s_time counted no connection")
        busy = max(0.0, run.busy_s - start.busy_s) / took
        yield took / int(match[1]), int(match[2]), min(1.0, busy)


MEASURES = (NetworkTls(),)
