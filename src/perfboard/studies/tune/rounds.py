# SPDX-License-Identifier: Apache-2.0
"""Tries made on a real board: each image written and booted, in rounds, until that is enough."""

import json
import shlex
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Event

from perfboard.analysis.statistics.bootstrap import FEWEST_PROCESSES, estimate
from perfboard.analysis.tune.combinations import BASELINE, Combination, totals_s
from perfboard.host.cache import cached, find_cached
from perfboard.images.image import Image
from perfboard.model.errors import EnvironmentLacksError, TargetError, UsageError
from perfboard.model.progress import SilentProgress
from perfboard.model.results.boot import Boot
from perfboard.model.run import Metric
from perfboard.studies.lab import Lab
from perfboard.studies.tune.attempt import Attempt, Task
from perfboard.studies.tune.plan import PRECISION, TuneOptions
from perfboard.studies.tune.pool import Make, Note
from perfboard.targets.serial.boot import SerialBoard

# Raise it when what is kept of a boot changes.
_RECIPE = "2"


class Rounds:
    """Boots of combinations on one board, interleaved, so that what drifts meets them all.

    The baseline is booted in each round, too. Each boot is kept in the cache until `forget`, so
    that a tune that is interrupted goes on with it; `kept` counts those that were found there.
    """

    def __init__(
        self,
        board: SerialBoard,
        target: str,
        options: TuneOptions,
        lab: Lab,
        build: Make,
        note: Note,
        purpose: str,
    ) -> None:
        """`build` makes images; `note` is told what is being done for a combination.

        Boots are kept for the same `purpose` alone.
        """
        self._board, self._target, self._options = board, target, options
        self._lab, self._build, self._note = lab, build, note
        self._baseline: tuple[Task, Attempt] | None = None
        self._purpose = purpose
        self._tried: dict[tuple[tuple[str, str], ...], Attempt] = {}
        self._took: list[float] = []
        # Whether the last image could not be written: two in a row are no fault of an image.
        self._refused = False
        self._entries: list[Path] = []
        self.kept = 0

    def make(self, tasks: Mapping[Combination, Task]) -> Iterator[tuple[Combination, Attempt]]:
        """See `tuning_pool.Make`: each combination comes again with each of its boots.

        Raises EnvironmentLacksError where the baseline's image cannot be written, or the board
        not be reset, UsageError where an image is not what it was, and TargetError where the line
        is lost, or the baseline boots no more.
        """
        built: dict[Combination, Attempt] = {}
        images = {each: replace(task, boots=False) for each, task in tasks.items()}
        for combination, made in self._build(images):
            same = self._tried.get(_image(made))
            if made.outcome != "booted" or not tasks[combination].boots:
                yield combination, made
            elif same is not None:
                # The same image by another name does the same.
                yield combination, same
            else:
                built[combination] = made
        # In the order in which they were asked for, the same each time.
        open_tries = {each: (tasks[each], built[each]) for each in tasks if each in built}
        if self._baseline is not None and open_tries:
            open_tries = {BASELINE: self._baseline} | open_tries
        # By itself it is only looked at whether it boots: it is booted beside all others.
        alone = open_tries.keys() == {BASELINE}
        yield from self.again(open_tries, 1 if alone else self._options.boots)

    def forget(self) -> None:
        """Removes the boots that are kept: a tune that has ended is not gone on with."""
        for entry in self._entries:
            shutil.rmtree(entry, ignore_errors=True)

    def again(
        self, tries: dict[Combination, tuple[Task, Attempt]], most: int
    ) -> Iterator[tuple[Combination, Attempt]]:
        """Boots them, each of which was built, for at most so many rounds. See `make`."""
        beside = tries.keys() != {BASELINE}
        first = len(tries[BASELINE][1].boots) if BASELINE in tries else 0
        for number in range(1, most + 1):
            for place, (combination, (task, before)) in enumerate(list(tries.items()), 1):
                where = f"round {number}, {place} of {len(tries)}"
                if left := self._left(number, place, len(tries)):
                    where += f", {left} left of these"
                made = self._booted_again(task, before, where)
                if combination == BASELINE:
                    if self._baseline is not None and made.outcome != "booted":
                        raise made.error("The baseline, booted again, does not boot")
                    self._baseline = task, made
                elif self._baseline is not None:
                    made = replace(made, beside=(first, len(self._baseline[1].boots)))
                made = replace(made, final=number == most or _enough(made))
                tries[combination] = task, made
                self._tried[_image(made)] = made
                yield combination, made
            for each in [each for each, (_, made) in tries.items() if _enough(made)]:
                # The baseline goes on while another does.
                if each != BASELINE or len(tries) == 1:
                    del tries[each]
            if not tries or (beside and tries.keys() == {BASELINE}):
                return

    def _left(self, number: int, place: int, count: int) -> str:
        """The time that the rounds take that are made of all, by what boots took of late."""
        boots = (max(FEWEST_PROCESSES - number, 0) + 1) * count - place + 1
        if not self._took:
            return ""
        recent = self._took[-20:]
        minutes = sum(recent) / len(recent) * boots / 60
        return f"{minutes:.0f} min" if minutes >= 2 else f"{minutes * 60:.0f} s"

    def _booted_again(self, task: Task, made: Attempt, where: str) -> Attempt:
        """The attempt with one more boot; what went wrong with that is its outcome."""
        try:
            folder = self._boot(task, made, where)
        except TargetError as error:
            if error.kind == "lost":
                raise
            return replace(made, outcome="not-booted", problem=str(error), kind=error.kind)
        finally:
            self._note(task.title, "")
        kept = json.loads((folder / "kept.json").read_text())
        if kept["kind"]:
            before = f"It booted {len(made.boots)} times, and then: " if made.boots else ""
            problem = f"{before}{kept['problem']}"
            return replace(made, outcome="not-booted", problem=problem, kind=kept["kind"], boots=())
        boot = Boot.model_validate_json((folder / "boot.json").read_text())
        console = (folder / "console.log").read_bytes()
        return replace(made, boots=(*made.boots, boot), console=console)

    def _boot(self, task: Task, made: Attempt, where: str) -> Path:
        """The cache's folder of the next boot, made now where there is none."""
        options = self._options
        inputs = {
            "recipe": _RECIPE,
            "target": self._target,
            "usable": options.usable,
            "write": shlex.join(options.write),
            "reset": shlex.join(options.reset),
            "arguments": made.arguments,
            "levels": json.dumps(dict(task.levels), sort_keys=True),
            "boot": f"{self._purpose} {len(made.boots) + 1}",
            **{f"image {name}": hash for name, hash in made.hashes.items()},
        }

        def build(folder: Path) -> None:
            began = self._lab.clock()
            image = self._lab.build(task.variant(), SilentProgress())
            if dict(image.hashes) != made.hashes:
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
                # A baseline that fails ends the tune, which may be made again.
                if error.kind == "lost" or not task.changes:
                    raise
                kept = {"kind": error.kind, "problem": str(error)}
            (folder / "kept.json").write_text(json.dumps(kept))
            self._took.append(self._lab.clock() - began)

        self.kept += find_cached("line-boot", inputs) is not None
        entry = cached("line-boot", inputs, build, SilentProgress())
        self._entries.append(entry)
        return entry

    def _write(self, image: Image, task: Task) -> None:
        """Raises TargetError where this image alone cannot be written, as one too large."""
        try:
            self._board.write(self._options.write, files_of(image), image.arguments)
        except EnvironmentLacksError as error:
            if not task.changes or self._refused:
                raise
            self._refused = True
            raise TargetError("not-written", str(error)) from error
        self._refused = False


def files_of(image: Image) -> tuple[Path, ...]:
    """What is written to a board: its banks of flash; else kernel, device tree, disk, if any."""
    files = image.banks or (image.kernel_file, image.tree, image.root)
    return tuple(file for file in files if file is not None)


def _image(made: Attempt) -> tuple[tuple[str, str], ...]:
    """What is the same for attempts of the same image."""
    return (*sorted(made.hashes.items()), ("arguments", made.arguments))


def _enough(made: Attempt) -> bool:
    """Whether the median total of its boots is known well enough, or it does not boot."""
    if made.outcome != "booted":
        return True
    totals = tuple(totals_s(made.boots))
    if len(totals) < FEWEST_PROCESSES:
        return False
    metric = Metric(name="boot.total", unit="s", samples=totals)
    return estimate(metric).precision <= PRECISION
