# SPDX-License-Identifier: Apache-2.0
"""Boots of a real board, seen by its console on a serial line."""

import re
from collections.abc import Iterator
from functools import partial

from perfboard.model.errors import UsageError
from perfboard.model.progress import Progress
from perfboard.model.run import BoardSummary, Boot, Evidence
from perfboard.store.folder import RunFolder
from perfboard.store.recording import Subject
from perfboard.studies.base import Request, place_of
from perfboard.studies.boot.subject import BootSubject
from perfboard.targets.base import refuse_factors
from perfboard.targets.serial.boot import SerialBoard
from perfboard.targets.serial.line import open_line

NOTE = (
    "The times are when this machine read the console. What stands between it and the board, as "
    "an adapter to USB, may hand on later what comes: some ms, by its driver's own settings."
)


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
    said: dict[str, str] = {}
    return BootSubject(
        name=name,
        head=lambda: Subject(summary_of(name, said), request.target, Evidence.SILICON),
        boots=partial(_boot_all, request, said),
        notes=(NOTE,),
    )


def checked_usable(text: str) -> str:
    """The regular expression that --usable gives. Raises UsageError where it is none."""
    try:
        re.compile(text)
    except re.error as error:
        raise UsageError(f'--usable "{text}" is no regular expression: {error}') from error
    return text


def _boot_all(
    request: Request, said: dict[str, str], count: int, folder: RunFolder, progress: Progress
) -> Iterator[Boot]:
    """The boots, one after the other; what they say of the board goes to `said`."""
    assert request.usable is not None  # noqa: S101 - looked at when the subject was made
    took_s = 0.0
    with open_line(request.target) as line, progress.step("booting", count) as step:
        board = SerialBoard(line, request.usable, request.reset)
        for number in range(count):

            def heard(seconds: float, text: str, before: int = number, of: float = took_s) -> None:
                # How long a boot takes, the one before shows.
                part = min(seconds / of, 0.95) if of else 0.0
                step.update(before + part, f"boot {before + 1}: {text}")

            artifacts = folder.artifact_path(f"boot-{number + 1}/console.log").parent
            boot = board.boot(artifacts, heard)
            said |= board.said
            took_s = boot.marks[-1].t_ns / 1e9
            step.update(number + 1)
            yield boot


def summary_of(name: str, said: dict[str, str]) -> BoardSummary:
    """A board of that name, of which its console has `said` something by name."""
    return BoardSummary(
        name=name,
        title=said.get("board", "a board on a serial line"),
        description="A board of which the console was seen.",
        facts=said,
    )
