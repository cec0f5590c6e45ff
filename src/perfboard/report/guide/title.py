# SPDX-License-Identifier: Apache-2.0
"""The title page of a guide: the board, what ran on it, and under which conditions."""

from collections import Counter
from collections.abc import Sequence

from perfboard.model.results.base import count_words
from perfboard.model.results.guide import GuideResult, LeftOutRow
from perfboard.model.run import Run
from perfboard.model.units import format_value
from perfboard.report.guide.rows import GuideRow
from perfboard.report.words.evidence import EVIDENCE_WORDS, timing_words

_EXTENTS = {
    "quick": "the quick list",
    "usual": "all rows that write little to the target",
    "all": "all rows",
}
_WHAT = ("kernel", "kernel version", "compiler", "processor", "caches", "memory", "machine")
_CONDITIONS = (
    "governor",
    "frequency driver",
    "frequencies",
    "boost",
    "huge pages",
    "clock source",
    "preemption",
    "real-time kernel",
    "isolated processors",
    "hypervisor",
    "temperature",
)
_HASH = 12


def title_pairs(run: Run, result: GuideResult) -> list[tuple[str, str]]:
    """The lines of the title page: what was measured, on what, when and how."""
    facts = run.board.facts
    pairs = [
        ("board", f"{run.board.title} ({run.board.name})"),
        ("target", run.target),
        ("date", f"{run.started:%Y-%m-%d %H:%M %Z}".strip()),
        ("evidence", EVIDENCE_WORDS[run.evidence]),
        ("margin", timing_words(run)),
        ("rows", _EXTENTS[result.extent]),
        *((name, facts[name]) for name in _WHAT if name in facts),
        *((f"image: {name}", value[:_HASH]) for name, value in run.provenance.image.items()),
        *(("package", f"{k} {v}") for k, v in run.provenance.packages.items() if _is_chief(k)),
        *(("level", f"{name}={value}") for name, value in sorted(run.factors.items())),
        *((name, facts[name]) for name in _CONDITIONS if name in facts),
        *((name, facts[name]) for name in sorted(facts) if name.startswith("mitigation ")),
        *((f"tag {name}", value) for name, value in sorted(run.tags.items())),
        ("Perfboard", run.provenance.perfboard),
        ("run", run.id),
    ]
    return [(name, value) for name, value in pairs if value]


def summary_words(rows: Sequence[GuideRow]) -> str:
    """How many figures of how many measures there are, in a sentence."""
    figures = [row for row in rows if row.metric]
    measures = {(row.area, row.measure, row.conditions) for row in figures}
    lacking = {(row.area, row.measure, row.conditions) for row in rows if row.reason} - measures
    areas = {row.area for row in figures}
    of = count_words(len(measures), "measure", "measures")
    where = count_words(len(areas), "area", "areas")
    words = f"{len(figures):,} figures of {of} in {where}" if figures else "no figures"
    return f"{words}; not to be had: {len(lacking)}" if lacking else words


def area_counts(rows: Sequence[GuideRow]) -> dict[str, tuple[int, int]]:
    """The figures of each area, and its measures that could not be had."""
    figures = Counter(row.area for row in rows if row.metric)
    lacking = Counter(row.area for row in rows if row.reason)
    return {area: (figures[area], lacking[area]) for area in dict.fromkeys(r.area for r in rows)}


def left_out_cells(row: LeftOutRow) -> tuple[str, str, str, str]:
    """A row that was left out: its area, its measure, what it writes, and how long it takes."""
    writes = format_value(row.writes, "B") if row.writes else "nothing"
    takes = "not known"
    if row.seconds is not None:
        takes = f"about {row.seconds:.0f} s"
    elif row.most_s is not None:
        takes = f"at most {row.most_s:.0f} s"
    return row.area, row.row, writes, takes


def _is_chief(package: str) -> bool:
    return package.startswith(("linux", "libc6", "busybox"))
