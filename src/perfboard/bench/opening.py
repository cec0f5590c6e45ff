# SPDX-License-Identifier: Apache-2.0
"""Opens a bench: the one place that asks whether a board is real or virtual."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from perfboard.bench.base import Bench
from perfboard.bench.lab import Lab
from perfboard.bench.live import LiveBench
from perfboard.bench.options import BenchOptions, check_usable
from perfboard.bench.request import Request
from perfboard.bench.virtual import VirtualBench
from perfboard.boards.loader import LoadedBoard, load_board
from perfboard.factors.choose import choose
from perfboard.model.errors import UsageError, refusals
from perfboard.model.target import virtual_name
from perfboard.store.recording import Recording
from perfboard.targets.base import refuse_factors
from perfboard.targets.opening import kind_of, kinds
from perfboard.targets.pipe import local
from perfboard.targets.wired import SCHEMES

# The kinds of target that are booted from reset.
BOOTABLE = ("virtual", *SCHEMES)


@contextmanager
def open_bench(
    request: Request, options: BenchOptions, lab: Lab, artifacts: Path
) -> Iterator[Bench]:
    """The board that the user names; it is let go of with the context."""
    loaded = virtual_board(request.target)
    if loaded is not None:
        yield VirtualBench(request.target, loaded, request.factors, options, lab, artifacts)
        return
    with closing(LiveBench(request, options, lab, artifacts)) as bench:
        yield bench


@contextmanager
def open_record(
    study: str, headline: str, request: Request, options: BenchOptions, lab: Lab
) -> Iterator[tuple[Recording, Bench]]:
    """The record of a run of `study`, and its board, open: `Lab.record` and `open_bench`."""
    loaded = virtual_board(request.target)
    place = loaded.board.name if loaded else request.place
    with (
        lab.record(study, place, request.command, headline) as record,
        open_bench(request, options, lab, record.folder.artifacts) as bench,
    ):
        yield record, bench


def check_bench(request: Request, options: BenchOptions, *, boots: bool = False) -> list[str]:
    """All that is wrong with the board and its options, a line each; nothing is opened."""

    def check_board() -> None:
        kind_of(request.target)
        if (loaded := virtual_board(request.target)) is not None:
            choose(loaded, request.factors)
        elif not options.write:
            refuse_factors(request.target, request.factors)

    def check_booting() -> None:
        options.check_boots(boots)
        if boots and request.target.partition(":")[0] in SCHEMES:
            check_usable(options.usable)

    return refusals(check_board, options.check, check_booting)


def check_folder(target: str, folder: str) -> None:
    """Raises UsageError for a folder of this machine, if that is the target, that is none."""
    if target == local.SCHEME and not Path(folder).is_dir():
        raise UsageError(f"folder {folder}: is no folder of this machine; name another")


def target_forms() -> dict[str, str]:
    """How the user writes each kind of target, by the word before its first colon."""
    return {scheme: kind.FORM for scheme, kind in kinds().items()}


def virtual_board(target: str) -> LoadedBoard | None:
    """The board of that target's text; None: it is a real one."""
    name = virtual_name(target)
    return None if name is None else load_board(name)
