# SPDX-License-Identifier: Apache-2.0
"""Packets a second: the answer, its limit, the curve over the payload, and the trials."""

from collections.abc import Iterator

from perfboard.model.blocks import (
    Block,
    ChartBlock,
    ChartSeries,
    Excerpt,
    SentenceBlock,
    TableBlock,
)
from perfboard.model.results.packets import EchoResult, PacketsResult
from perfboard.model.run import Run
from perfboard.report.section import Section
from perfboard.report.words.evidence import evidence_label

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
        found.append(f"{name}: {_no_bound(echo)}.")
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


def _no_bound(echo: EchoResult) -> str:
    """Why no highest rate is known, and the highest that lost nothing all the same."""
    floods = [row.rate for row in (*echo.flood, *echo.curve) if row.sent == row.answered]
    paced = [2 * row.load for row in echo.trials if row.counts and row.sent == row.answered]
    if not (best := max((*floods, *paced), default=0.0)):
        return "no rate without loss was found"
    return (
        "the search settled on no highest rate without loss, though a trial of "
        f"{best:,.0f} packets/s lost none"
    )


def _limits(result: PacketsResult) -> str:
    """The kernel's limits on ICMP messages, before and after."""
    before, after = result.icmp_before, result.icmp_after
    if not before:
        return "The kernel does not say what ICMP messages it limits."
    values = ", ".join(f"{name} {value}" for name, value in before.items())
    mask = before.get("icmp_ratemask", "")
    if mask.isdecimal():
        held = int(mask) & _ECHO_REPLY
        values += f" (echo replies are {'' if held else 'not '}limited)"
    changed = "the same afterwards" if before == after else f"afterwards {dict(after)}"
    if not after:
        changed = "not read again: the run ended early"
    return f"The device's limits on ICMP messages, which Perfboard leaves: {values}; {changed}."


def _curve(result: PacketsResult) -> Iterator[Block]:
    """The rates over the payload."""
    yield ChartBlock(
        title="Packets a second over the payload",
        caption="Requests and replies a second while flooded, without loss.",
        x="payload of a packet",
        x_bytes=True,
        y="packets a second",
        unit="1/s",
        lines=tuple(
            ChartSeries(
                label=_NAMES[echo.protocol],
                points=tuple((row.payload, row.rate) for row in echo.curve),
                look=look,
            )
            for look, echo in enumerate(result.echoes)
        ),
    )
    shown = [echo for echo in result.echoes if echo.curve]
    rates = [{row.payload: f"{row.rate:,.0f}" for row in echo.curve} for echo in shown]
    if shown:
        yield TableBlock(
            title="Packets a second by payload",
            columns=("payload, B", *(f"{_NAMES[echo.protocol]} packets/s" for echo in shown)),
            rows=tuple(
                (str(size), *(rate.get(size, "") for rate in rates))
                for size in sorted({size for rate in rates for size in rate})
            ),
            terminal=Excerpt(),
        )


def _flood(echo: EchoResult) -> Block:
    return TableBlock(
        title=f"{_NAMES[echo.protocol]}: senders added",
        caption="A sender asks again as soon as it is answered, with a window of requests under "
        "way at once.",
        columns=(
            *("senders", "packets/s", "window", "requests", "answers"),
            "each sender's share of a processor",
        ),
        rows=tuple(
            (
                *(str(row.senders), f"{row.rate:,.0f}", str(row.window), f"{row.sent:,}"),
                *(f"{row.answered:,}", ", ".join(f"{busy:.0%}" for busy in row.busy)),
            )
            for row in echo.flood
        ),
        last_words=1,
        detail=True,
    )


def _trials(echo: EchoResult) -> Block:
    bounds = [
        f"{side} bound: {bound:,.0f} requests/s. "
        for side, bound in (("Lower", echo.lower), ("Upper", echo.upper))
        if bound is not None
    ]
    return TableBlock(
        title=f"{_NAMES[echo.protocol]}: the search",
        caption=f"{''.join(bounds)}A queue that holds Q packets may flatter a trial by Q over its "
        "requests.",
        columns=(
            *("requests/s", "seconds", "requests", "lost", "answered after the last request"),
            *("sender late by, ms", "counts"),
        ),
        rows=tuple(
            (
                *(f"{row.load:,.0f}", f"{row.duration_s:.2g}", f"{row.sent:,}"),
                *(f"{row.sent - row.answered:,}", f"{row.late:,}", f"{1000 * row.behind_s:.2f}"),
                "yes" if row.counts else "no, repeated",
            )
            for row in echo.trials
        ),
        last_words=1,
        detail=True,
    )


def _blocks(run: Run, result: PacketsResult) -> Iterator[Block]:
    asked = f"Asked: {result.address}, by {', '.join(result.senders)}."
    yield SentenceBlock(
        title="Packets a second",
        text="\n".join((*_findings(result), f"{asked} Evidence: {evidence_label(run)}.")),
        detail=True,
    )
    yield from _curve(result)
    searches = [
        f"{_NAMES[echo.protocol]} search: {len(echo.trials)} trials, "
        f"{sum(not trial.counts for trial in echo.trials)} of them repeated as a sender was late; "
        f"goal: {echo.goal}."
        for echo in result.echoes
        if echo.trials
    ]
    yield SentenceBlock(text="\n".join((*searches, _limits(result))))
    yield from (_flood(echo) for echo in result.echoes if echo.flood)
    yield from (_trials(echo) for echo in result.echoes if echo.trials)


def _findings(result: PacketsResult) -> list[str]:
    return [sentence for echo in result.echoes for sentence in _sentences(echo)]


def _lead(run: Run, result: PacketsResult) -> str:
    return " ".join(_findings(result))


SECTION = Section(result=PacketsResult, order=6, blocks=_blocks, lead=_lead)
