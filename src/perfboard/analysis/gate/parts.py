# SPDX-License-Identifier: Apache-2.0
"""The parts of an image that changed: the kernel's options, and files of the root file system."""

from collections.abc import Iterator, Mapping

from perfboard.analysis.compare.comparison import Difference
from perfboard.model.parts import FilePart, ImageParts

# The changes of a kind that are named.
_MOST = 10


def part_changes(before: ImageParts, after: ImageParts) -> tuple[Difference, ...]:
    """The options and files that differ; of more than ten of a kind, the others are counted."""
    found: list[Difference] = []
    if before.config is not None and after.config is not None:
        found += _changes("options of the kernel", before.config, after.config)
    if before.files is not None and after.files is not None:
        found += _changes("files", _words(before.files), _words(after.files))
    return tuple(found)


def _words(files: Mapping[str, FilePart]) -> dict[str, str]:
    return {path: f"{part.size:,} B ({part.sha256[:8]})" for path, part in files.items()}


def _changes(
    kind: str, before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[Difference]:
    names = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    for name in names[:_MOST]:
        yield Difference(name, before.get(name), after.get(name))
    if len(names) > _MOST:
        yield Difference(f"{len(names) - _MOST:,} more {kind}", "", "changed")
