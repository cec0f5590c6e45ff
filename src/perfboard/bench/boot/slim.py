# SPDX-License-Identifier: Apache-2.0
"""Finds what a board's kernel has built in and its boot never uses, and boots it without."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import inf
from threading import Event

from perfboard.analysis.tune.slim import behaviour, most_allowed
from perfboard.bench.boot.virtual import marks_to_watch
from perfboard.bench.lab import Lab
from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose
from perfboard.host.files.scratch import scratch_folder
from perfboard.images.kernel.slim import Slim, find_slim
from perfboard.images.kernel.system_map import read_map
from perfboard.images.variant import Variant
from perfboard.instruments.scope import WatchedMark
from perfboard.model.board.kernel import BuiltKernel
from perfboard.model.errors import TargetError, UsageError
from perfboard.targets.virtual.target import VirtualTarget

# The beginning of the name of a function's mark, before its address.
_RAN = "ran."
# The programs that a boot started, and what they printed.
Behaviour = tuple[tuple[str, ...], tuple[str, ...]]


def slim_options(name: str, lab: Lab) -> dict[str, str]:
    """The board's image.kernel.slim: options that its boot does not need.

    A mark at each function of the kernel tells which ran until the board was usable, and the
    kernel's makefiles which option brings none of these. With all of them off, the board must
    start the same programs, which must print the same; options that it needs for that stay.
    Raises UsageError for a board whose kernel is not built here, and what a build and a boot
    raise.
    """
    loaded = load_board(name)
    asked = loaded.board.image.kernel
    if not isinstance(asked, BuiltKernel):
        raise UsageError(
            f"board {loaded.board.name} has a kernel of its own, image.kernel.file; only one that "
            "is built here, from image.kernel.source, can be made slim"
        )
    variant = choose(loaded, {})
    kernel = lab.build(variant, lab.progress).kernel_file.parent
    before, ran = _boot(variant, read_map(kernel / "System.map").code, lab)
    found = find_slim(variant, asked, kernel, ran, lab.progress)
    return done_without(variant, before, found, lambda slim: _boot(slim, (), lab)[0])


def done_without(
    variant: Variant, before: Behaviour, found: Slim, boot: Callable[[Variant], Behaviour]
) -> dict[str, str]:
    """As many of the options found as a boot behaves without as it did `before`; see above.

    `boot` boots a variant and says how it behaved.
    """

    def same(off: tuple[str, ...]) -> bool:
        options = {**found.beside, **dict.fromkeys(off, "n")}
        try:
            return boot(_slimmed(variant, options)) == before
        except (TargetError, UsageError):
            return False

    off = most_allowed(found.off, same)
    return {**found.beside, **dict.fromkeys(off, "n")} if off else {}


def _slimmed(variant: Variant, slim: Mapping[str, str]) -> Variant:
    """The variant with these options in the board's file, and asked for."""
    loaded, image = variant.loaded, variant.loaded.board.image
    kernel = image.kernel.model_copy(update={"slim": slim})
    image = image.model_copy(update={"kernel": kernel})
    loaded = replace(loaded, board=loaded.board.model_copy(update={"image": image}))
    return choose(loaded, {**variant.levels, "config": "slim"})


def _boot(variant: Variant, functions: Iterable[int], lab: Lab) -> tuple[Behaviour, list[int]]:
    """How a boot behaves, and at which of these addresses of functions it came by."""
    image = lab.build(variant, lab.progress)
    target = VirtualTarget(variant, image)
    marks = [WatchedMark(f"{_RAN}{address:x}", address) for address in sorted(functions)]
    scope = target.scope(
        lab.scope(target.board, lab.progress),
        (*marks_to_watch(target.board, image), *marks),
        beats=True,
    )
    with (
        scratch_folder() as folder,
        lab.progress.step(f"booting {target.board.name}", inf) as step,
    ):
        boot, _ = lab.boot(target, [scope], folder, lambda at: step.update(0, at), Event())
        log, console = (folder / "scope.jsonl").read_text(), folder / "console.log"
        behaved = behaviour(log, console.read_bytes(), boot)
    came_by = (mark.name for mark in boot.marks if mark.name.startswith(_RAN))
    return behaved, [int(mark.removeprefix(_RAN), 16) for mark in came_by]
