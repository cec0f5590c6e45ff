# SPDX-License-Identifier: Apache-2.0
"""Boots of a real board, observed by its console on a serial line or in a labgrid place."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from perfboard.analysis.boot.bounds.seen import seen_limits
from perfboard.bench.base import BootFindings
from perfboard.bench.boot.base import boot_noted
from perfboard.bench.boot.instruments import BootInstruments
from perfboard.bench.lab import Lab
from perfboard.bench.options import BenchOptions, check_command, check_usable
from perfboard.bench.request import Request
from perfboard.history.rates import rates_of
from perfboard.model.results.boot import Boot
from perfboard.model.run import BoardSummary, Evidence
from perfboard.store.recording import Subject
from perfboard.targets.base import refuse_factors
from perfboard.targets.serial.boot import SerialBoard
from perfboard.targets.wired import ConsoleBoard, open_wired


class LineBoots:
    """A real board that is reset and watched on its line, with instruments next to its console."""

    def __init__(self, request: Request, options: BenchOptions, lab: Lab) -> None:
        """Raises UsageError for a wrong target or option, before anything is reset."""
        self._request, self._options, self._lab = request, options, lab
        self._others = BootInstruments(
            options.capture, options.channel, options.power, options.volts or None
        )
        if not options.write:
            refuse_factors(request.target, request.factors)
        check_usable(options.usable)
        with open_wired(request.target, lab.progress) as self._wired:
            pseudo = self._wired.line.evidence is Evidence.HOST
        check_command("--reset", options.reset)
        self._others.instruments()
        # A file of a real board, which the user has written, says that the line leads to one.
        self.evidence = Evidence.HOST if pseudo and request.board is None else Evidence.SILICON
        self._facts: dict[str, str] = {}
        self.notes = dict.fromkeys(self._wired.notes)

    @contextmanager
    def board(self) -> Iterator[SerialBoard]:
        """The board; its line is open as long as the context."""
        options = self._options
        with open_wired(self._request.target, self._lab.progress) as now:
            board = SerialBoard(
                now.line,
                options.usable,
                options.reset,
                switch=now.switch,
                silent_s=options.silence,
                boot_s=options.timeout,
            )
            # The facts of the board grow by what its kernel prints in a boot.
            board.facts = self._facts
            yield board

    def boots(self, count: int, first: int, artifacts: Path) -> Iterator[Boot]:
        """The boots, one after the other; the first one's artifacts go to boot-`first`."""
        took_s, lab = 0.0, self._lab
        with self.board() as board, lab.progress.step("booting", count) as step:
            for number in range(count):
                began = lab.clock()

                def seen(
                    line: str, before: int = number, of: float = took_s, t: float = began
                ) -> None:
                    # The boot before shows how long one takes.
                    part = min((lab.clock() - t) / of, 0.95) if of else 0.0
                    step.update(before + part, f"boot {before + 1}: {line}")

                folder = artifacts / f"boot-{first + number}"
                folder.mkdir()
                near = self._others.instruments()
                each = [board.console(), *near]
                boot = boot_noted(board.boot, each, folder, seen, Event(), self.notes)
                boot = self._others.join(first + number, boot, near)
                took_s = lab.clock() - began
                step.update(number + 1)
                yield boot

    def findings(self, boots: Sequence[Boot]) -> BootFindings:
        """How far they are from the limit, and what the instruments saw."""
        request = self._request
        rates = rates_of(request.place, request.target, self.evidence, self._wired.baud)
        limits = seen_limits(boots, rates)
        others = self._others
        results = (*((limits,) if limits else ()), *others.results)
        return BootFindings(others.metrics(), results)

    def subject(self) -> Subject:
        """The board, with the facts that its kernel printed."""
        summary = summary_of(self._request, self._facts, self._wired)
        return Subject(summary, self._request.target, self.evidence, tools=self._wired.tools)


def summary_of(request: Request, facts: Mapping[str, str], wired: ConsoleBoard) -> BoardSummary:
    """The board, with the `facts` that its kernel prints."""
    summary = request.summary(facts.get("board", wired.title), wired.description, facts)
    return summary.model_copy(update={"console_baud": wired.baud}) if wired.baud else summary
