# SPDX-License-Identifier: Apache-2.0
"""One combination of levels, built and booted; an earlier boot comes from the cache."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from perfboard.analysis.tune.combinations import middle
from perfboard.bench.boot.virtual import marks_to_watch
from perfboard.bench.lab import Lab
from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose
from perfboard.host.cache.cache import cached
from perfboard.images.variant import Variant
from perfboard.instruments.scope import WatchedMark
from perfboard.model.errors import BuildError, PerfboardError, TargetError, UsageError
from perfboard.model.results.boot import Boot
from perfboard.model.results.tune import Outcome
from perfboard.targets.virtual.target import VirtualTarget

if TYPE_CHECKING:
    from perfboard.images.image import Image

# Errors of the board itself, the same each time: a hang is one, by the board's own clock.
_SURE = ("bootloader", "panic", "no-root", "no-mark", "hang")


@dataclass(frozen=True)
class Task:
    """A combination to try: a board as `load_board` takes it, and levels of all its factors.

    `title` is what it is called while it is tried. Without `boots` its image alone is built;
    the start `changes` nothing.
    """

    board: str
    levels: Mapping[str, str]
    title: str = ""
    boots: bool = True
    changes: bool = True

    def variant(self) -> Variant:
        """The combination, of the board as its file is now."""
        return choose(load_board(self.board), self.levels)

    @property
    def emulator(self) -> str:
        """The program that boots the board."""
        return load_board(self.board).board.machine.emulator

    def run(self, lab: Lab, cancelled: Event) -> "TaskResult":
        """Builds and boots a combination, from the cache where it has been before.

        A fault of the combination is its outcome. Raises EnvironmentLacksError where this
        machine is at fault, and Cancelled soon after another thread sets `cancelled`.
        """
        variant = self.variant()
        try:
            image = lab.build(variant, lab.progress)
        except (UsageError, BuildError) as error:
            return TaskResult("not-built", str(error), error.kind)
        found = TaskResult(
            "booted",
            flash=dict(image.sizes),
            hashes=dict(image.hashes),
            packages=dict(image.packages),
            notes=image.notes,
            variables=dict(image.variables),
            arguments=image.arguments,
        )
        if not self.boots:
            return found
        target = VirtualTarget(variant, image)
        try:
            marks = marks_to_watch(target.board, image)
            folder = _booted(target, variant, image, marks, lab, cancelled)
        except (UsageError, TargetError) as error:
            return replace(found, outcome="not-booted", problem=str(error), kind=error.kind)
        kept = json.loads((folder / "kept.json").read_text())
        if kept["problem"]:
            return replace(found, outcome="not-booted", problem=kept["problem"], kind=kept["kind"])
        return replace(
            found,
            boots=(Boot.model_validate_json((folder / "boot.json").read_text()),),
            console=(folder / "console.log").read_bytes(),
            ram=kept["ram"],
        )


@dataclass(frozen=True)
class TaskResult:
    """How a task ended: see `model.results.tune.Try`.

    `kind` is that of the error that `problem` is the words of. A virtual board, which repeats, is
    booted once. `beside`: the first of the start's boots between which a real board's were
    made, and the first that was after; it is `final` where no boot follows. `hashes`,
    `packages`, `variables` and `arguments` are the image's.
    """

    outcome: Outcome
    problem: str = ""
    kind: str = ""
    boots: tuple[Boot, ...] = ()
    beside: tuple[int, int] | None = None
    final: bool = True
    console: bytes = b""
    flash: dict[str, int] = field(default_factory=dict)
    ram: int | None = None
    hashes: dict[str, str] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)
    arguments: str = ""

    @property
    def boot(self) -> Boot | None:
        """The boot of the median total, which stands for all of them."""
        return middle(self.boots) if self.boots else None

    def error(self, what: str) -> PerfboardError:
        """The error that it ended with; `what` is the beginning of the message."""
        words = f"{what}. {self.problem}"
        for known in (UsageError, BuildError):
            if self.kind == known.kind:
                return known(words)
        return TargetError(self.kind or "no-mark", words)


def _booted(
    target: VirtualTarget,
    variant: Variant,
    image: "Image",
    marks: tuple[WatchedMark, ...],
    lab: Lab,
    cancelled: Event,
) -> Path:
    """The cache's folder of this boot, made now where there is none."""
    plugin = lab.scope(variant.board, lab.progress)
    command = shlex.join(target.command())
    for file in (*image.banks, image.kernel_file, image.root, image.tree):
        # The path of a file does not change its content, whose hash is enough.
        command = command.replace(str(file), "FILE") if file else command
    inputs = {
        "emulator": lab.emulator(target.board.machine.emulator),
        "command": command,
        "board": target.board.model_dump_json(include={"console", "boot"}),
        "scope": plugin.parent.name,
        "marks": "".join(mark.line() for mark in marks),
        "timing": variant.timing or "",
        **{f"image {name}": hash for name, hash in image.hashes.items()},
    }

    def build(folder: Path) -> None:
        kept: dict[str, object] = {"problem": "", "kind": "", "ram": None}
        try:
            with lab.progress.step("booting", inf) as step:
                boot, kept["ram"] = lab.boot(
                    target,
                    [target.scope(plugin, marks, beats=True, picture=True)],
                    folder,
                    lambda name: step.update(0, name),
                    cancelled,
                )
            (folder / "boot.json").write_text(boot.model_dump_json())
        except TargetError as error:
            if error.kind not in _SURE:
                raise
            kept |= {"problem": str(error), "kind": error.kind}
        (folder / "kept.json").write_text(json.dumps(kept))
        # These are large for a hundred boots, and what was read from them is kept.
        (folder / "scope.jsonl").unlink()

    return cached("boot", inputs, build, lab.progress)
