# SPDX-License-Identifier: Apache-2.0
"""Tries made on a real board: each image written and booted, in rounds, until that is enough."""

import json
import shlex
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from perfboard.analysis.statistics.bootstrap import FEWEST_PROCESSES, estimate
from perfboard.analysis.tune.combinations import START, Combination, totals_s
from perfboard.bench.lab import Lab
from perfboard.bench.workers.work import Note
from perfboard.host.cache.cache import cached, find_cached
from perfboard.model.errors import EnvironmentLacksError, TargetError, UsageError
from perfboard.model.progress import SilentProgress
from perfboard.model.results.boot import Boot
from perfboard.model.run import Metric
from perfboard.studies.tune.making import Make
from perfboard.studies.tune.options import TuneOptions
from perfboard.studies.tune.plan import PRECISION
from perfboard.studies.tune.task import Task, TaskResult

if TYPE_CHECKING:
    from perfboard.images.image import Image
    from perfboard.targets.serial.boot import SerialBoard


class BootRounds:
    """Boots of combinations on one board, interleaved, so that what drifts meets them all.

    The start is booted in each round, too. Each boot is kept in the cache until `forget`, so
    that a tune that is interrupted goes on with it; `kept` counts those that were found there.
    """

    def __init__(
        self,
        board: "SerialBoard",
        target: str,
        options: TuneOptions,
        lab: Lab,
        build: Make,
        note: Note,
        purpose: str,
    ) -> None:
        """`build` makes images; `note` gets the work at hand for a combination.

        Boots are kept for the same `purpose` alone.
        """
        self._board, self._target, self._options = board, target, options
        self._lab, self._build, self._note = lab, build, note
        self._start: tuple[Task, TaskResult] | None = None
        self._purpose = purpose
        self._tried: dict[tuple[tuple[str, str], ...], TaskResult] = {}
        self._took: list[float] = []
        # Whether the last image could not be written: two in a row are no fault of an image.
        self._refused = False
        self._entries: list[Path] = []
        self.kept = 0

    def make(self, tasks: Mapping[Combination, Task]) -> Iterator[tuple[Combination, TaskResult]]:
        """See `pool.Make`: each combination comes again with each of its boots.

        Raises EnvironmentLacksError where the start's image cannot be written, or the board
        not be reset, UsageError where an image is not what it was, and TargetError where the line
        is lost, or the start boots no more.
        """
        built: dict[Combination, TaskResult] = {}
        images = {each: replace(task, boots=False) for each, task in tasks.items()}
        for combination, result in self._build(images):
            same = self._tried.get(_image(result))
            if result.outcome != "booted" or not tasks[combination].boots:
                yield combination, result
            elif same is not None:
                # The same image by another name does the same.
                yield combination, same
            else:
                built[combination] = result
        # In the order in which they were asked for, the same each time.
        open_tries = {each: (tasks[each], built[each]) for each in tasks if each in built}
        if self._start is not None and open_tries:
            open_tries = {START: self._start} | open_tries
        # By itself it is only looked at whether it boots: it is booted with all others.
        alone = open_tries.keys() == {START}
        yield from self.again(open_tries, 1 if alone else self._options.boots)

    def forget(self) -> None:
        """Removes the boots that are kept: a tune that has ended is not gone on with."""
        for entry in self._entries:
            shutil.rmtree(entry, ignore_errors=True)

    def again(
        self, tries: dict[Combination, tuple[Task, TaskResult]], most: int
    ) -> Iterator[tuple[Combination, TaskResult]]:
        """Boots them, each of which was built, for at most `most` rounds. See `make`."""
        beside = tries.keys() != {START}
        first = len(tries[START][1].boots) if START in tries else 0
        for number in range(1, most + 1):
            for place, (combination, (task, before)) in enumerate(list(tries.items()), 1):
                where = f"round {number}, {place} of {len(tries)}"
                if left := self._left(number, place, len(tries)):
                    where += f", {left} left of these"
                result = self._booted_again(task, before, where)
                if combination == START:
                    if self._start is not None and result.outcome != "booted":
                        raise result.error("The start, booted again, does not boot")
                    self._start = task, result
                elif self._start is not None:
                    result = replace(result, beside=(first, len(self._start[1].boots)))
                result = replace(result, final=number == most or _enough(result))
                tries[combination] = task, result
                self._tried[_image(result)] = result
                yield combination, result
            for each in [each for each, (_, result) in tries.items() if _enough(result)]:
                # The start goes on while another does.
                if each != START or len(tries) == 1:
                    del tries[each]
            if not tries or (beside and tries.keys() == {START}):
                return

    def _left(self, number: int, place: int, count: int) -> str:
        """The time of the rounds that all combinations take, by the recent boots."""
        boots = (max(FEWEST_PROCESSES - number, 0) + 1) * count - place + 1
        if not self._took:
            return ""
        recent = self._took[-20:]
        minutes = sum(recent) / len(recent) * boots / 60
        return f"{minutes:.0f} min" if minutes >= 2 else f"{minutes * 60:.0f} s"

    def _booted_again(self, task: Task, result: TaskResult, where: str) -> TaskResult:
        """The result with one more boot; a failure of that boot is its outcome."""
        try:
            folder = self._boot(task, result, where)
        except TargetError as error:
            if error.kind == "lost":
                raise
            return replace(result, outcome="not-booted", problem=str(error), kind=error.kind)
        finally:
            self._note(task.title, "")
        kept = json.loads((folder / "kept.json").read_text())
        if kept["kind"]:
            before = f"It booted {len(result.boots)} times, and then: " if result.boots else ""
            problem = f"{before}{kept['problem']}"
            return replace(
                result, outcome="not-booted", problem=problem, kind=kept["kind"], boots=()
            )
        boot = Boot.model_validate_json((folder / "boot.json").read_text())
        console = (folder / "console.log").read_bytes()
        return replace(result, boots=(*result.boots, boot), console=console)

    def _boot(self, task: Task, result: TaskResult, where: str) -> Path:
        """The cache's folder of the next boot, made now where there is none."""
        options = self._options
        inputs = {
            "target": self._target,
            "usable": options.usable,
            "write": shlex.join(options.write),
            "reset": shlex.join(options.reset),
            "arguments": result.arguments,
            "levels": json.dumps(dict(task.levels), sort_keys=True),
            "boot": f"{self._purpose} {len(result.boots) + 1}",
            **{f"image {name}": hash for name, hash in result.hashes.items()},
        }

        def build(folder: Path) -> None:
            began = self._lab.clock()
            image = self._lab.build(task.variant(), SilentProgress())
            if dict(image.hashes) != result.hashes:
                raise UsageError(
                    f"The image of {task.title} is not what it was when the tune began: a file of "
                    "the board, or a package, has changed. Run it again"
                )
            self._note(task.title, f"{where}: writing")

            kept = {"kind": "", "problem": ""}
            try:
                self._write(image, task)
                reset = self._lab.clock()

                def seen(line: str) -> None:
                    seconds = self._lab.clock() - reset
                    self._note(task.title, f"{where}: {seconds:.0f} s: {line}")

                boot = self._board.boot([self._board.console()], folder, seen, Event())
                (folder / "boot.json").write_text(boot.model_dump_json())
            except TargetError as error:
                # A start that fails ends the tune, which may be made again.
                if error.kind == "lost" or not task.changes:
                    raise
                kept = {"kind": error.kind, "problem": str(error)}
            (folder / "kept.json").write_text(json.dumps(kept))
            self._took.append(self._lab.clock() - began)

        self.kept += find_cached("line-boot", inputs, __name__) is not None
        entry = cached("line-boot", inputs, build, SilentProgress())
        self._entries.append(entry)
        return entry

    def _write(self, image: "Image", task: Task) -> None:
        """Raises TargetError where this image alone cannot be written, as one too large."""
        try:
            self._board.write(self._options.write, image.files, image.arguments)
        except EnvironmentLacksError as error:
            if not task.changes or self._refused:
                raise
            self._refused = True
            raise TargetError("not-written", str(error)) from error
        self._refused = False


def _image(result: TaskResult) -> tuple[tuple[str, str], ...]:
    """A key that results of the same image share."""
    return (*sorted(result.hashes.items()), ("arguments", result.arguments))


def _enough(result: TaskResult) -> bool:
    """Whether the median total of its boots is known well enough, or it does not boot."""
    if result.outcome != "booted":
        return True
    totals = tuple(totals_s(result.boots))
    if len(totals) < FEWEST_PROCESSES:
        return False
    metric = Metric(name="boot.total", unit="s", samples=totals)
    return estimate(metric).precision <= PRECISION
