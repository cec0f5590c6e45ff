# SPDX-License-Identifier: Apache-2.0
"""network.packets: small packets that the board echoes a second, and the limit (packet study)."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from perfboard.analysis.packets.search import Goal
from perfboard.analysis.published import published_results
from perfboard.bench.base import Bench
from perfboard.bench.job import Job, NotMeasurable
from perfboard.bench.talk.ends import Ends
from perfboard.measures.base import (
    NOT_MEASURED,
    Finding,
    Measure,
    Parameter,
    Quantity,
    Setting,
    ShownMetric,
    Turn,
)
from perfboard.measures.network.echo import EXACT, LIVE, Echo
from perfboard.model.errors import UsageError
from perfboard.model.results.packets import EchoResult, PacketsResult, Protocol
from perfboard.model.run import Metric
from perfboard.model.units import format_value

PROTOCOLS: tuple[Protocol, ...] = ("icmp", "udp")
_TRIAL_S = 3.0
# A virtual board's trials, and how close its bounds are. A flood tells where the search begins.
_EXACT_TRIAL_S, _WIDTH = 1.5, 0.02
# The longest trials that one protocol takes, about: the curve and the search; and a sender more.
_USUAL, _A_SENDER = 14.0, 0.7


# None of them makes another thing of a packet.
_way = partial(Parameter, labels=False)


class NetworkPackets(Measure):
    """Floods, and searches for the highest rate without loss, by ICMP and by UDP."""

    name = "network.packets"
    title = "Packets per second"
    parameters = (
        _way("protocols", " ".join(PROTOCOLS), "icmp, udp, or both"),
        _way("sender", "local", "the targets that ask: local or ssh://HOST, with blanks between"),
        _way("address", "", "the board's IPv4 address, if not that of ssh's host"),
        _way("trial", 0.0, "s of the longest trials; 0: 3, on a virtual board 1.5"),
        _way("mine", False, "true: also ask an address that is neither private nor loopback"),
    )
    metrics = (
        Quantity(
            "network.packets.paced",
            "1/s",
            "both ways, at the highest rate without loss: label protocol",
            "higher",
        ),
        Quantity(
            "network.packets.flood",
            "1/s",
            "both ways, asked as fast as it goes: labels protocol, senders, payload",
            "higher",
        ),
    )

    def job(self, setting: Setting) -> Job:
        return Job("", network=True)

    def measure(self, name: str, bench: Bench, setting: Setting, turn: Turn) -> Finding:
        asked = setting.text("protocols").split()
        protocols = [each for each in PROTOCOLS if each in asked]
        if not protocols or set(asked) - set(PROTOCOLS):
            raise NotMeasurable(f"protocols are {' and '.join(PROTOCOLS)}, not {' '.join(asked)}")
        senders, address = setting.text("sender").split(), setting.text("address")
        try:
            with bench.ends(senders, address, mine=bool(setting.parameters["mine"])) as ends:
                self._ask(ends, protocols, setting, turn)
        except UsageError as error:
            raise NotMeasurable(str(error)) from error
        found = turn.found
        if not found.metrics:
            (result,) = found.results
            assert isinstance(result, PacketsResult)  # noqa: S101
            raise NotMeasurable(" ".join(echo.reason for echo in result.echoes))
        published = published_results(self.name, found.metrics, setting.facts.published)
        return replace(found, results=(*found.results, *published))

    def _ask(self, ends: Ends, protocols: list[Protocol], setting: Setting, turn: Turn) -> None:
        exact = setting.facts.exact
        final = float(setting.parameters["trial"]) or (_EXACT_TRIAL_S if exact else _TRIAL_S)
        # A trial that is made again on a board that repeats has the same outcome.
        goal = (
            Goal(final_s=final, sum_s=final, width=_WIDTH, initial_s=final)
            if exact
            else Goal(final_s=final, sum_s=3 * final, initial_s=final / 6)
        )
        usual = goal.final_s * (_USUAL + _A_SENDER * len(ends.senders))
        whole = len(protocols) * usual
        echoes: list[Echo] = []
        before = ends.device.counters().settings
        with turn.step(whole) as step:
            for number, protocol in enumerate(protocols):
                spent = [usual * number]

                def notify(seconds: float, words: str, spent: list[float] = spent) -> None:
                    spent[0] += seconds
                    turn.place = words
                    step.update(min(spent[0], whole), words)

                echo = Echo(protocol, ends, goal, notify, EXACT if exact else LIVE)
                echoes.append(echo)
                try:
                    echo.measure()
                finally:
                    turn.keep(_finding(ends, echoes, before, {}))
        turn.keep(_finding(ends, echoes, before, ends.device.counters().settings))


def _finding(
    ends: Ends, echoes: list[Echo], before: Mapping[str, str], after: Mapping[str, str]
) -> Finding:
    result = PacketsResult(
        address=ends.address,
        senders=tuple(sender.name for sender in ends.senders),
        echoes=tuple(echo.record.result() for echo in echoes),
        icmp_before=dict(before),
        icmp_after=dict(after),
    )
    metrics = tuple(metric for echo in result.echoes for metric in _metrics(echo))
    paced = [metric for metric in metrics if metric.name == "network.packets.paced"]
    figures = tuple(ShownMetric(f"{m.labels['protocol']}, without loss", m) for m in paced)
    notes = ends.device.notes
    if after and after != before:
        notes = (*notes, "The target's limits on ICMP messages changed during the run.")
    short = ", ".join(f"{m.labels['protocol']} {format_value(m.samples[0], '1/s')}" for m in paced)
    why = "; ".join(
        f"{echo.protocol}: {echo.reason or echo.why}"
        for echo in result.echoes
        if echo.lower is None
    )
    absent = {"network.packets.paced": why} if why and not paced else {}
    if why and paced:
        notes = (*notes, f"{NOT_MEASURED}{why}.")
    return Finding(metrics, figures, short, notes=notes, absent=absent, results=(result,))


def _metrics(echo: EchoResult) -> list[Metric]:
    found = []
    for row in (*echo.flood, *(row for row in echo.curve if row.payload > 1)):
        # A rate with losses does not count.
        if row.sent == row.answered:
            labels = {
                "protocol": echo.protocol,
                "senders": str(row.senders),
                "payload": str(row.payload),
            }
            found.append(
                Metric(
                    name="network.packets.flood",
                    unit="1/s",
                    labels=labels,
                    better="higher",
                    samples=(row.rate,),
                )
            )
    if echo.lower is not None:
        found.append(
            Metric(
                name="network.packets.paced",
                unit="1/s",
                labels={"protocol": echo.protocol},
                better="higher",
                samples=(2 * echo.lower,),
            )
        )
    return found


MEASURES = (NetworkPackets(),)
