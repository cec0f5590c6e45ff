# SPDX-License-Identifier: Apache-2.0
"""From the edges of a capture to marks of a boot."""

import math
from collections.abc import Callable, Mapping
from typing import BinaryIO

from perfboard.analysis.formats.capture import Capture, missing_edges
from perfboard.analysis.timeline.boots import KNOWN_MARKS, out_of_order
from perfboard.importers.base import FileContent, ImportOptions, SavedFile
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot, Mark
from perfboard.model.units import format_value

_SOURCE = "capture"


def capture_in(
    file: SavedFile,
    options: ImportOptions,
    read: Callable[[BinaryIO, Mapping[str, int]], Capture],
) -> FileContent:
    """The marks of a capture that `read` reads, by the channels that the user named.

    Raises UsageError for a file that is damaged, lacks a channel, or has no edge.
    """
    named = {
        name.rpartition(":")[2]: marks
        for name, marks in options.channel.items()
        if name.rpartition(":")[0] in ("", file.path.name)
    }
    try:
        if not named:
            with file.open() as stream:
                channels = read(stream, {}).channels
            named = {name: (name,) for name in channels if name in KNOWN_MARKS}
            if not named:
                raise UsageError(
                    f"{file.path}: say what the edges of its channels mean, as in --channel "
                    f"{(channels or ('D0',))[0]}=kernel.entry; it has the channels "
                    f"{', '.join(channels) or 'none'}"
                )
        wanted = {name: len(marks) for name, marks in named.items()}
        with file.open() as stream:
            capture = read(stream, wanted)
    except ValueError as error:
        raise UsageError(f"{file.path}: {error}") from error
    # The edge came between two samples: half a step before the later one, give or take as much.
    half_ns = math.ceil(capture.step_ns / 2)
    seen = [
        (mark, edge - half_ns)
        for name, marks in named.items()
        for mark, edge in zip(marks, capture.edges[name], strict=False)
        if mark
    ]
    if not seen:
        raise UsageError(f"{file.path}: none of the channels {', '.join(named)} has an edge")
    zero_ns = min(edge for _, edge in seen)
    marks = sorted(
        (
            Mark(
                name=name,
                t_ns=edge - zero_ns,
                clock="capture",
                source=_SOURCE,
                precision_ns=half_ns,
            )
            for name, edge in seen
        ),
        key=lambda mark: mark.t_ns,
    )
    boot = Boot(marks=tuple(marks))
    if words := out_of_order(boot):
        raise UsageError(f"{file.path}: {words}; are channels swapped? See --channel")
    notes = [*capture.notes]
    for name, count in missing_edges(capture, wanted).items():
        lost = ", ".join(filter(None, named[name][count:]))
        notes.append(
            f"Channel {name} has {count} of {wanted[name]} edges, so that "
            f"{lost} is absent: the capture began too late or ended too early, or nothing was "
            "signalled."
        )
    notes.append(
        f"Edges are shown to {format_value(capture.step_ns / 1e9, 's')}. The first "
        "edge of a channel is its mark: a pin that changes before gives a wrong time."
    )
    return FileContent(boots=(boot,), joins=True, notes=tuple(notes))
