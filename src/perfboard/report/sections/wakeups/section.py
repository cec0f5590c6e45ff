# SPDX-License-Identifier: Apache-2.0
"""The savings and risks of waking less often, and the trigger to use."""

from collections.abc import Iterator

from perfboard.analysis.wakeups.advice import by_mode, needed_of
from perfboard.model.blocks import (
    Block,
    ChartBand,
    ChartBlock,
    ChartSeries,
    Excerpt,
    SentenceBlock,
    TableBlock,
)
from perfboard.model.results.wakeups import WakeupsResult
from perfboard.model.run import Run
from perfboard.model.units import format_value
from perfboard.report.section import Section
from perfboard.report.sections.wakeups.rows import (
    LOADS,
    WAYS,
    WakeupsRow,
    power_source,
    published_rows,
    rows,
    saving,
    switches_per_s,
)
from perfboard.report.sections.wakeups.trade import trades
from perfboard.report.words.evidence import evidence_label


def _lead(run: Run, result: WakeupsResult) -> str:
    board = run.board.name
    if not result.advised:
        return f"The trigger that {board} may use is not known: {result.because}."
    way = WAYS.get(result.advised_way, result.advised_way)
    return f"Use trigger {result.advised} on {board} ({way}){saving(result)}: {result.because}."


def _load(load: str, found: list[WakeupsRow], evidence: str) -> Iterator[Block]:
    """All ways and triggers under a load, and the ways that it refused."""
    known = [row for row in found if row.load == load and not row.refused]
    ways = {row.way: f"{row.way}: {WAYS.get(row.way, row.way)}" for row in known}
    refused = [row for row in found if row.load == load and row.refused]
    # One line for each way: its triggers have the same reason.
    reasons = {row.way: row.refused for row in refused}
    copies = [
        f"{row.way}{' ' + row.level if row.missed else ''}: {row.copies}"
        for row in known
        if row.copies
    ]
    yield TableBlock(
        title=LOADS.get(load, load),
        caption=f"{', '.join(ways.values()) or 'No way'}. Latencies: from the release to the "
        "writer, to a quarter of their size. Change: context switches against trigger 0 of the "
        f"same way. {evidence}",
        columns=(
            *(
                "way",
                "trigger",
                "switches/s",
                "change",
                "idle",
                "latency, 99%",
                "longest",
                "missed",
            ),
            *("latency, median", "the writer's", "copies/s", "least filled"),
        ),
        rows=tuple(
            (
                *(row.way, row.level if row.missed else "", row.switches, row.fewer, row.idle),
                *(row.p99, row.longest, row.missed, row.p50, row.writer, row.copies),
                row.least_fill,
            )
            for row in known
        ),
        words=1,
        terminal=Excerpt(
            title=LOADS.get(load, load),
            caption="\n".join(
                (
                    *(f"  {way}: not measurable here ({why})" for way, why in reasons.items()),
                    *(f"  copies a second, {words}" for words in copies),
                )
            ),
            columns=(0, 1, 2, 3, 4, 5, 6, 7),
            headings=("", "trigger", "switches/s", "change", "idle", "p99", "longest", "missed"),
        ),
    )
    if refused:
        lines = (
            f"{WAYS.get(row.way, row.way)}, trigger {row.level}: not measurable here: {row.refused}"
            for row in refused
        )
        yield SentenceBlock(text="\n".join(lines), detail=True)


def _power(found: list[WakeupsRow], result: WakeupsResult, evidence: str) -> Block:
    source = power_source(result)
    rows = tuple(
        (
            *(row.way, row.level if row.missed else "", row.load, row.power, row.saved),
            f"{WAYS.get(row.way, row.way)}, {LOADS.get(row.load, row.load).lower()}",
        )
        for row in found
        if row.power
    )
    return TableBlock(
        title="Power",
        caption=f"{source} Change: against trigger 0 of the same way. "
        f"{evidence if result.meter else 'Evidence: modelled.'}",
        columns=("way", "trigger", "load", "power", "change", "in words"),
        rows=rows,
        words=1,
        last_words=1,
        terminal=Excerpt(
            title=source,
            columns=(0, 1, 2, 3, 4) if rows else (),
            headings=("", "trigger", "load", "power", "change") if rows else (),
        ),
    )


def _published(result: WakeupsResult) -> Block:
    """Published figures and this run's. The terminal has them as sentences: they are too wide."""
    rows = tuple(published_rows(result))
    lines = [f"  {name}: {there} published, {here} here" for name, there, here in rows]
    sources = [f"{each.source}. " for each in result.published]
    return TableBlock(
        title="Against the published figures",
        caption=f"{''.join(sources)}Its other programs differ from these.",
        columns=("figure", "published", "here"),
        rows=rows,
        words=1,
        terminal=Excerpt(
            caption="\n".join(("The comparison of the wake-up study of 2008:", *lines)), columns=()
        ),
    )


def _slacks(result: WakeupsResult) -> str:
    levels = sorted({int(each.level) for each in result.playbacks if each.level.isdigit()})
    slacks = ", ".join(
        f"{format_value(result.slack_s(level), 's')} at trigger {level}" for level in levels
    )
    head = f"Slack: {slacks}. " if slacks else ""
    return (
        f"{head}{result.periods:,} buffers of {result.buffer_bytes} bytes were "
        "played each time. Change: context switches against trigger 0 of the same way."
    )


def _chart(result: WakeupsResult) -> Iterator[Block]:
    """Switches over the slack: a line for each way and load, a point for each trigger."""
    lines: dict[tuple[str, str], list[tuple[float, float]]] = {}
    needed = 0
    for (load, way, level), played in by_mode(result.playbacks).items():
        known = [each for each in played if not each.refused]
        if not known or way == "none":
            continue
        needed = max(needed, *(needed_of(each) for each in known if each.way == "sink"), 0)
        rate = switches_per_s(known)
        if level.isdigit() and rate > 0:
            slack = result.slack_s(int(level)) * 1e3
            lines.setdefault((way, load), []).append((slack, rate))
    if not lines:
        return
    slacks = [x for points in lines.values() for x, _ in points]
    end = min(needed / 1e6, max(slacks))
    bands = (ChartBand(low=min(slacks), high=end, label="needed"),) if end > min(slacks) else ()
    yield ChartBlock(
        title="Context switches over the slack",
        caption="Each point is a trigger. To the left fewer switches, and less time to fill a "
        "buffer. Shaded: the longest need of a wake, under the worst load.",
        x="slack of a wake, ms",
        y="context switches a second",
        unit="1/s",
        lines=tuple(
            ChartSeries(
                label=f"{WAYS.get(way, way)}, {LOADS.get(load, load).lower()}",
                points=tuple(points),
                look=look,
            )
            for look, ((way, load), points) in enumerate(lines.items())
        ),
        bands=bands,
    )


def _blocks(run: Run, result: WakeupsResult) -> Iterator[Block]:
    found, evidence = rows(result), f"Evidence: {evidence_label(run)}."
    yield trades(result, found, evidence)
    yield from _chart(result)
    for load in dict.fromkeys(row.load for row in found):
        yield from _load(load, found, evidence)
    if power_source(result):
        yield _power(found, result, evidence)
    yield _published(result)
    yield SentenceBlock(text=_slacks(result))


SECTION = Section(result=WakeupsResult, order=7, blocks=_blocks, lead=_lead)
