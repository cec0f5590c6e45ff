# SPDX-License-Identifier: Apache-2.0
"""Packets a second: the answer, its limit, the curve over the payload, and the trials."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from perfboard.model.results.packets import EchoResult, FloodRow, PacketsResult
from perfboard.model.run import Run
from perfboard.report.charts.picture import picture
from perfboard.report.charts.plot import Graph, Line
from perfboard.report.section import Section
from perfboard.report.terminal import cells, new_table

if TYPE_CHECKING:
    from rich.table import Table

_NAMES = {"icmp": "ICMP", "udp": "UDP"}
# A bit of icmp_ratemask, by the type of an echo reply.
_ECHO_REPLY = 1 << 0


def _sentences(echo: EchoResult) -> list[str]:
    """The findings of a protocol, the answer first."""
    name = _NAMES[echo.protocol]
    if echo.reason:
        return [f"{name}: not measured: {echo.reason}"]
    found = []
    if echo.lower is not None:
        found.append(
            f"{name}: {2 * echo.lower:,.0f} packets/s (requests and replies) without loss, paced, "
            f"of which queues may flatter {echo.bias:.2%}."
        )
    elif echo.trials:
        found.append(f"{name}: no rate without loss was found.")
    if echo.flood:
        best = max(echo.flood, key=lambda row: row.rate)
        senders = "1 sender" if best.senders == 1 else f"{best.senders} senders"
        lost = "" if best.sent == best.answered else f", {best.sent - best.answered:,} lost"
        more = (
            "another sender adds less than 5%" if echo.saturated else "more senders might add to it"
        )
        found.append(f"Flooded by {senders}: {best.rate:,.0f} packets/s{lost}; {more}.")
    if echo.why:
        found.append(f"The limit is {echo.place}: {echo.why}.")
    return found


def _limits(result: PacketsResult) -> list[str]:
    """The kernel's limits on ICMP messages, before and after."""
    before, after = result.icmp_before, result.icmp_after
    if not before:
        return ["The kernel does not say what ICMP messages it limits."]
    values = ", ".join(f"{name} {value}" for name, value in before.items())
    mask = before.get("icmp_ratemask", "")
    if mask.isdecimal():
        held = int(mask) & _ECHO_REPLY
        values += f" (echo replies are {'' if held else 'not '}limited)"
    changed = "the same afterwards" if before == after else f"afterwards {dict(after)}"
    if not after:
        changed = "not read again: the run ended early"
    return [f"The device's limits on ICMP messages, which Perfboard leaves: {values}; {changed}."]


def _rate(row: FloodRow) -> str:
    return f"{row.rate:,.0f}"


def _text(run: Run, result: PacketsResult) -> "list[str | Table]":
    parts: list[str | Table] = [""]
    sizes = sorted({row.payload for echo in result.echoes for row in echo.curve})
    if sizes:
        shown = [echo for echo in result.echoes if echo.curve]
        table = new_table("payload, B", *(f"{_NAMES[echo.protocol]} packets/s" for echo in shown))
        for size in sizes:
            rates = ({row.payload: row for row in echo.curve}.get(size) for echo in shown)
            table.add_row(*cells(str(size), *(_rate(row) if row else "" for row in rates)))
        parts += [table, ""]
    for echo in result.echoes:
        if echo.trials:
            repeated = sum(not trial.counts for trial in echo.trials)
            parts.append(
                f"{_NAMES[echo.protocol]} search: {len(echo.trials)} trials, {repeated} of them "
                f"repeated as a sender was late; goal: {echo.goal}."
            )
    return [*parts, *_limits(result)]


def _page(run: Run, result: PacketsResult) -> tuple[str, Mapping[str, Any]]:
    lines = tuple(
        Line(
            _NAMES[echo.protocol],
            tuple((float(row.payload), row.rate) for row in echo.curve if row.rate > 0),
            look,
        )
        for look, echo in enumerate(result.echoes)
        if any(row.rate > 0 for row in echo.curve)
    )
    graph = Graph(
        title="Packets a second over the payload",
        caption="Requests and replies a second while flooded, without loss.",
        x="payload of a packet",
        x_bytes=True,
        y="packets a second",
        unit="1/s",
        lines=lines,
    )
    return f"{__package__}/packets.html.j2", {
        "packets": result,
        "names": _NAMES,
        "sentences": {echo.protocol: _sentences(echo) for echo in result.echoes},
        "limits": _limits(result),
        "picture": picture(graph) if lines else None,
    }


def _lead(run: Run, result: PacketsResult) -> str:
    return " ".join(sentence for echo in result.echoes for sentence in _sentences(echo))


SECTION = Section(result=PacketsResult, order=6, text=_text, page=_page, lead=_lead)
