# SPDX-License-Identifier: Apache-2.0
"""The run's figures next to those that were published of the real board."""

from collections.abc import Iterator

from perfboard.model.blocks import Block, SentenceBlock, TableBlock
from perfboard.model.published import WITHIN
from perfboard.model.results.published import ComparedFigure, PublishedResult
from perfboard.model.run import Run
from perfboard.model.units import format_value
from perfboard.report.section import Section


def _blocks(run: Run, result: PublishedResult) -> Iterator[Block]:
    yield TableBlock(
        title="Against the published figures",
        caption="They are of the real board, and no budget.",
        columns=("figure", "published", "here", "times"),
        rows=tuple(_cells(row) for row in result.rows),
        words=1,
    )
    causes: dict[str, list[str]] = {}
    for row in result.rows:
        if row.differs and row.here and abs(row.here / row.published - 1) > WITHIN:
            causes.setdefault(row.differs, []).append(_name(row))
    for cause, names in causes.items():
        yield SentenceBlock(text=f"{', '.join(names)}: {cause.rstrip('.')}.")
    sources = dict.fromkeys(row.source.rstrip(".") for row in result.rows)
    yield SentenceBlock(text=f"Published by: {'; '.join(sources)}.")


def _lead(run: Run, result: PublishedResult) -> str:
    times = [row.here / row.published for row in result.rows if row.here and row.published]
    head = f"Of {len(result.rows)} published figures of the real board, {len(times)} have one here"
    return f"{head}, {min(times):.2f} to {max(times):.2f} times them." if times else f"{head}."


def _cells(row: ComparedFigure) -> tuple[str, ...]:
    published = format_value(row.published, row.unit)
    if row.here is None:
        return _name(row), published, "not measured", ""
    return (
        _name(row),
        published,
        format_value(row.here, row.unit),
        f"{row.here / row.published:.2f}" if row.published else "",
    )


def _name(row: ComparedFigure) -> str:
    labels = ", ".join(f"{name} {value}" for name, value in row.labels.items())
    return f"{row.metric} ({labels})" if labels else row.metric


SECTION = Section(result=PublishedResult, order=30, blocks=_blocks, lead=_lead)
