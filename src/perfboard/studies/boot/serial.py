# SPDX-License-Identifier: Apache-2.0
"""Boots of a real board, observed by its console on a serial line."""

from collections.abc import Iterator, Mapping, Sequence
from threading import Event

from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot
from perfboard.model.run import BoardSummary, Evidence
from perfboard.store.folder import RunFolder
from perfboard.store.recording import Subject
from perfboard.studies.base import Request
from perfboard.studies.boot.subject import BootSubject, boot_noted
from perfboard.studies.lab import Lab
from perfboard.targets.base import refuse_factors
from perfboard.targets.serial.boot import SerialBoard
from perfboard.targets.serial.line import open_line


def serial_subject(request: Request, usable: str, reset: Sequence[str], lab: Lab) -> BootSubject:
    """The board on the line that the request's target names; see `BootOptions`."""
    refuse_factors(request.target, request.factors)
    if not usable:
        raise UsageError(
            "the boot of a real board ends with a line of its console: give it as --usable "
            "'login:', or as `usable` in the board's file"
        )
    # A wrong target fails before there is a run.
    with open_line(request.target):
        pass
    facts: dict[str, str] = {}
    notes: dict[str, None] = {}

    def boots(count: int, folder: RunFolder) -> Iterator[Boot]:
        took_s = 0.0
        with open_line(request.target) as line, lab.progress.step("booting", count) as step:
            board = SerialBoard(line, usable, reset)
            for number in range(count):
                began = lab.clock()

                def seen(
                    line: str, before: int = number, of: float = took_s, t: float = began
                ) -> None:
                    # The boot before shows how long one takes.
                    part = min((lab.clock() - t) / of, 0.95) if of else 0.0
                    step.update(before + part, f"boot {before + 1}: {line}")

                artifacts = folder.artifact_path(f"boot-{number + 1}/console.log").parent
                boot = boot_noted(board.boot, [board.console()], artifacts, seen, Event(), notes)
                facts.update(board.facts)
                took_s = lab.clock() - began
                step.update(number + 1)
                yield boot

    return BootSubject(
        name=request.place,
        head=lambda: Subject(summary_of(request, facts), request.target, Evidence.SILICON),
        boots=boots,
        notes=lambda: tuple(notes),
    )


def summary_of(request: Request, facts: Mapping[str, str]) -> BoardSummary:
    """The board, with the `facts` that its kernel prints."""
    title = facts.get("board", "a board on a serial line")
    return request.summary(title, "A board of which the console was seen.", facts)
