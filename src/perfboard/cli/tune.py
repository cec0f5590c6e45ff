# SPDX-License-Identifier: Apache-2.0
"""`perfboard tune`: what to change, so that a board boots faster."""

import argparse
import shutil
import sys
from collections.abc import Sequence

from perfboard.analysis.statistics.bootstrap import FEWEST_PROCESSES
from perfboard.cli.progress import progress
from perfboard.cli.study import finish
from perfboard.cli.words import parse_factors
from perfboard.model.errors import UsageError
from perfboard.model.units import parse_size
from perfboard.studies.boot.serial import checked_usable
from perfboard.studies.tune.plan import RealBoard, TuneRequest
from perfboard.studies.tune.study import tune_boot

# The most boots of one combination on a real board.
_BOOTS = 15


def tune(options: argparse.Namespace) -> int:
    """Tries the factors, ranks them, and proves the best; the report's path is the last line."""
    allow: list[tuple[str, str]] = []
    for word in options.allow:
        allow += parse_factors([word], "--allow").items()
    request = TuneRequest(
        board=options.board,
        command=("perfboard", *sys.argv[1:]),
        baseline=parse_factors(options.set),
        keep=parse_factors(options.keep, "--keep"),
        allow=tuple(dict.fromkeys(allow)),
        max_flash=_size("--max-flash", options.max_flash),
        max_ram=_size("--max-ram", options.max_ram),
        scheduler=options.scheduler,
        real=_real_board(options),
    )
    return finish(tune_boot(request, progress()), options.json)


def _real_board(options: argparse.Namespace) -> RealBoard | None:
    of_real = ("write", "reset", "usable", "boots")
    given = [f"--{name}" for name in of_real if getattr(options, name)]
    if options.target is None:
        if given:
            raise UsageError(
                f"{', '.join(given)}: of a real board alone; give its --target serial:///dev/DEVICE"
            )
        return None
    missing = [f"--{name}" for name in of_real[:3] if not getattr(options, name)]
    if missing:
        raise UsageError(
            f"--target {options.target}: a real board is tuned with --write COMMAND, which puts an "
            "image on it, --reset COMMAND, which resets it, and --usable REGEX, the line that says "
            f"that it is usable; there is no {', '.join(missing)}"
        )
    for name in of_real[:2]:
        program, *_ = getattr(options, name)
        if shutil.which(program) is None:
            raise UsageError(f"--{name} {program}: there is no such program")
    if options.boots and options.boots < FEWEST_PROCESSES:
        raise UsageError(
            f"--boots {options.boots}: of less than {FEWEST_PROCESSES} boots nothing is known well"
        )
    if options.scheduler:
        raise UsageError("--scheduler: one real board is on one machine; leave it out")
    return RealBoard(
        options.target,
        checked_usable(options.usable),
        options.write,
        options.reset,
        options.boots or _BOOTS,
    )


def _size(option: str, given: Sequence[str]) -> int | None:
    if not given:
        return None
    if len(given) > 1:
        raise UsageError(f"{option} is given more than once: {', '.join(given)}")
    try:
        size = parse_size(given[0])
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None
    if size == 0:
        raise UsageError(f"{option} is 0, in which nothing can be; leave it out for no limit")
    return size
