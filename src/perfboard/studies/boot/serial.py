# SPDX-License-Identifier: Apache-2.0
"""Boots of a real board, seen by its console on a serial line."""

import re
import time
from collections.abc import Iterator
from functools import partial
from threading import Event

from perfboard.model.errors import UsageError
from perfboard.model.progress import Progress
from perfboard.model.run import BoardSummary, Boot, Evidence
from perfboard.store.folder import RunFolder
from perfboard.store.recording import Subject
from perfboard.studies.base import Request, place_of
from perfboard.studies.boot.subject import BootSubject, boot_noted
from perfboard.targets.base import refuse_factors
from perfboard.targets.serial.boot import SerialBoard
from perfboard.targets.serial.line import open_line


def serial_subject(request: Request, progress: Progress) -> BootSubject:
    """The board on the line that the request's target names."""
    refuse_factors(request.target, request.factors)
    if request.usable is None:
        raise UsageError(
            "the boot of a real board ends with a line of its console, which --usable names: "
            "--usable 'login:'"
        )
    checked_usable(request.usable)
    # A wrong text is told before there is a run.
    with open_line(request.target):
        pass
    name = place_of(request.target)
    facts: dict[str, str] = {}
    notes: dict[str, None] = {}
    return BootSubject(
        name=name,
        head=lambda: Subject(summary_of(name, facts), request.target, Evidence.SILICON),
        boots=partial(_boot_all, request, facts, notes),
        notes=lambda: tuple(notes),
    )


def checked_usable(text: str) -> str:
    """The regular expression that --usable gives. Raises UsageError where it is none."""
    try:
        re.compile(text)
    except re.error as error:
        raise UsageError(f'--usable "{text}" is no regular expression: {error}') from error
    return text


def _boot_all(
    request: Request,
    facts: dict[str, str],
    notes: dict[str, None],
    count: int,
    folder: RunFolder,
    progress: Progress,
) -> Iterator[Boot]:
    """The boots, one after the other; what the board and the instruments say goes to the dicts."""
    assert request.usable is not None  # noqa: S101 - looked at when the subject was made
    took_s = 0.0
    with open_line(request.target) as line, progress.step("booting", count) as step:
        board = SerialBoard(line, request.usable, request.reset)
        for number in range(count):
            began = time.monotonic()

            def seen(line: str, before: int = number, of: float = took_s, t: float = began) -> None:
                # The boot before shows how long one takes.
                part = min((time.monotonic() - t) / of, 0.95) if of else 0.0
                step.update(before + part, f"boot {before + 1}: {line}")

            artifacts = folder.artifact_path(f"boot-{number + 1}/console.log").parent
            boot = boot_noted(board, [board.console()], artifacts, seen, Event(), notes)
            facts |= board.facts
            took_s = time.monotonic() - began
            step.update(number + 1)
            yield boot


def summary_of(name: str, facts: dict[str, str]) -> BoardSummary:
    """A board of that name, with the `facts` that its kernel prints."""
    return BoardSummary(
        name=name,
        title=facts.get("board", "a board on a serial line"),
        description="A board of which the console was seen.",
        facts=facts,
    )
