# SPDX-License-Identifier: Apache-2.0
"""The kernel images and root file systems of a tune, part by part, as the boot study's tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from perfboard.analysis.boot.phases import cut_boot
from perfboard.model.results.tune import TuneResult
from perfboard.model.units import format_size, format_value
from perfboard.report.sections.tune.rows import TriedRow, booted

_SCRIPTS = "boot.userspace.scripts"
_ROOT = "boot.root.mount+userspace"
_MOUNT, _USERSPACE = "boot.root.mount", "boot.userspace"
_APPLICATION, _COPY = "boot.userspace.application", "boot.userspace.copy"


@dataclass(frozen=True)
class _PackedForm:
    """A table of the boot study: the factor that it is of, and what each column adds up."""

    factor: str
    title: str
    caption: str
    columns: tuple[tuple[str, str], ...]


_FORMS = (
    _PackedForm(
        "kernel",
        "Kernel images",
        "Each by itself, against the start: what it takes to copy and unpack, until it mounts "
        "the root, and from there to the end.",
        (
            ("copy, decompression", "boot.kernel.load"),
            ("kernel execution", "boot.kernel.init"),
            ("mount and start root", _ROOT),
        ),
    ),
    _PackedForm(
        "root",
        "Root file systems",
        "Each by itself, against the start, in the boot study's parts: the scripts are what is "
        "left of user space without the application and the copy.",
        (
            ("mount", _MOUNT),
            ("start scripts", _SCRIPTS),
            ("application", _APPLICATION),
            ("copy", _COPY),
        ),
    ),
)


@dataclass(frozen=True)
class PartRow:
    """A level, or a boot that was published: its size, the parts, and their sum last.

    `of` says what was published, and where; it is empty for a boot that was made here.
    """

    name: str
    size: str
    times: tuple[str, ...]
    of: str = ""


@dataclass(frozen=True)
class PartTable:
    """A table: `columns` are the names of the parts."""

    title: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[PartRow, ...]


def part_tables(tuning: TuneResult) -> Iterator[PartTable]:
    """A table for each of the boot study's factors of which the tune booted more than one level."""
    tried = booted(tuning)
    for form in _FORMS:
        levels = {
            each.record.levels.get(form.factor, tuning.start[form.factor]): each
            for each in tried
            if form.factor in tuning.start and each.record.levels.keys() <= {form.factor}
        }
        published = [boot for boot in tuning.published_boots if boot.factor == form.factor]
        rows: list[PartRow | None] = []
        # A level that cannot be had here keeps the row of what was published of it.
        for level in dict.fromkeys([*levels, *(boot.level for boot in published)]):
            if level in levels:
                size = levels[level].record.flash.get(form.factor)
                rows.append(_row(form, level, size, _seconds(levels[level])))
            rows += [
                _row(form, level, boot.size, boot.times, f"published: {boot.title}")
                for boot in published
                if boot.level == level
            ]
        whole = tuple(row for row in rows if row)
        if sum(not row.of for row in whole) > 1:
            columns = tuple(name for name, _ in form.columns)
            yield PartTable(form.title, form.caption, columns, whole)


def _seconds(tried: TriedRow) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in cut_boot(tried.boot):
        found[part.name] = found.get(part.name, 0.0) + part.duration_ns / 1e9
    if _USERSPACE in found:
        after = found.setdefault(_APPLICATION, 0.0) + found.setdefault(_COPY, 0.0)
        found[_SCRIPTS] = found[_USERSPACE] - after
        if _MOUNT in found:
            found[_ROOT] = found[_MOUNT] + found[_USERSPACE]
    return found


def _row(
    form: _PackedForm, level: str, size: int | None, seconds: Mapping[str, float], of: str = ""
) -> PartRow | None:
    parts = [seconds[name] for _, name in form.columns if name in seconds]
    if len(parts) < len(form.columns):
        return None
    times = tuple(format_value(part, "s") for part in (*parts, sum(parts)))
    return PartRow(level, format_size(size) if size else "", times, of)
