# SPDX-License-Identifier: Apache-2.0
"""Boots of a real board, observed by its console on a serial line or in a labgrid place."""

from collections.abc import Iterator, Mapping, Sequence
from threading import Event

from perfboard.analysis.boot.bounds.seen import seen_limits
from perfboard.bench.boot.base import BootSubject, boot_noted
from perfboard.bench.boot.beside import Beside
from perfboard.bench.lab import Lab
from perfboard.bench.request import Request
from perfboard.history.rates import rates_of
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot
from perfboard.model.run import BoardSummary, Evidence
from perfboard.store.folder import RunFolder
from perfboard.store.recording import Subject
from perfboard.targets.base import refuse_factors
from perfboard.targets.serial.boot import SerialBoard, check_command
from perfboard.targets.serial.watch import BOOT_S, SILENT_S
from perfboard.targets.wired import Wired, open_wired


def serial_subject(
    request: Request,
    usable: str,
    reset: Sequence[str],
    lab: Lab,
    *,
    silent_s: float = SILENT_S,
    boot_s: float = BOOT_S,
    beside: Beside | None = None,
) -> BootSubject:
    """The board on the line that the request's target names; see `BootOptions`.

    `beside` are the instruments beside its console.
    """
    others = beside or Beside()
    refuse_factors(request.target, request.factors)
    if not usable:
        raise UsageError(
            "the boot of a real board ends with a line of its console: give it as --usable "
            "'login:', or as `usable` in the board's file"
        )
    # A wrong target or command fails before there is a run.
    with open_wired(request.target, lab.progress) as wired:
        pseudo = wired.line.evidence is Evidence.HOST
    check_command("--reset", reset)
    others.instruments()
    # Whoever has written a file of a real board says that one is behind the line.
    evidence = Evidence.HOST if pseudo and request.board is None else Evidence.SILICON
    facts: dict[str, str] = {}
    notes: dict[str, None] = dict.fromkeys(wired.notes)

    def boots(count: int, folder: RunFolder) -> Iterator[Boot]:
        took_s = 0.0
        with (
            open_wired(request.target, lab.progress) as now,
            lab.progress.step("booting", count) as step,
        ):
            board = SerialBoard(
                now.line, usable, reset, switch=now.switch, silent_s=silent_s, boot_s=boot_s
            )
            for number in range(count):
                began = lab.clock()

                def seen(
                    line: str, before: int = number, of: float = took_s, t: float = began
                ) -> None:
                    # The boot before shows how long one takes.
                    part = min((lab.clock() - t) / of, 0.95) if of else 0.0
                    step.update(before + part, f"boot {before + 1}: {line}")

                artifacts = folder.artifact_path(f"boot-{number + 1}/console.log").parent
                near = others.instruments()
                each = [board.console(), *near]
                boot = boot_noted(board.boot, each, artifacts, seen, Event(), notes)
                boot = others.join(number + 1, boot, near)
                facts.update(board.facts)
                took_s = lab.clock() - began
                step.update(number + 1)
                yield boot

    return BootSubject(
        name=request.place,
        head=lambda: Subject(
            summary_of(request, facts, wired), request.target, evidence, tools=wired.tools
        ),
        boots=boots,
        notes=lambda: tuple(notes),
        beside=lambda: (others.results, others.metrics()),
        limits=lambda boots: seen_limits(boots, rates_of(request.place, evidence, wired.baud)),
    )


def summary_of(request: Request, facts: Mapping[str, str], wired: Wired) -> BoardSummary:
    """The board, with the `facts` that its kernel prints."""
    summary = request.summary(facts.get("board", wired.title), wired.description, facts)
    return summary.model_copy(update={"console_baud": wired.baud}) if wired.baud else summary
