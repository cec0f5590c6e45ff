# SPDX-License-Identifier: Apache-2.0
"""The faults of measures for a board that files alone show, before it is opened."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from perfboard.bench.job import NotMeasurable
from perfboard.bench.opening import check_bench, check_folder, virtual_board
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.images.packages.apt import AptState
from perfboard.measures.base import EXACT
from perfboard.measures.disk.points import FOLDER
from perfboard.measures.loop import Item
from perfboard.measures.own_files import NoFileHere
from perfboard.model.errors import UsageError, refusals
from perfboard.model.progress import SilentProgress


def check_items(items: Sequence[Item], request: Request, options: BenchOptions) -> list[str]:
    """All that is wrong with the items, the board and its options, a line each."""

    def check_folders() -> None:
        # That of mail is no folder of a disk.
        on_disks = (item for item in items if FOLDER in item.measure.parameters)
        for folder in {str(item.parameters[FOLDER.name]) for item in on_disks} - {""}:
            check_folder(request.target, folder)

    def check_packages() -> None:
        names = (str(item.parameters.get("packages", "")).split() for item in items)
        if (loaded := virtual_board(request.target)) is not None:
            state = AptState(loaded.board.machine.architecture.name, SilentProgress())
            state.check_known([name for each in names for name in each])

    of_items = refusals(*(partial(_check_job, item, request.target) for item in items))
    of_bench = check_bench(request, options, boots=any(item.measure.boots for item in items))
    # A board that cannot be read is refused by both.
    return list(dict.fromkeys([*of_items, *of_bench, *refusals(check_folders, check_packages)]))


def _check_job(item: Item, target: str) -> None:
    """Raises UsageError for parameters of which no job can be made, on any board or on this one.

    The defaults of a measure make one, unless the user has to give its command.
    """
    facts, defaults = EXACT, item.measure.defaults()
    # A board that cannot be read is refused by itself.
    with suppress(UsageError):
        asked = item.parameters.get("files") or item.parameters.get("display")
        if asked and (loaded := virtual_board(target)) is not None:
            name, screen = loaded.board.machine.architecture.name, loaded.board.screen
            facts = replace(EXACT, architecture=name, framebuffer=screen)
    setting = item.setting(facts)
    changed = {name for name, value in item.parameters.items() if value != defaults[name]}
    try:
        if "packages" in changed:
            setting.packages()
        if changed - {"packages"} or "command" in defaults:
            item.measure.job(setting)
    except NoFileHere:
        # Another board has one; this one says so in its row.
        pass
    except NotMeasurable as error:
        name = item.measure.name
        raise UsageError(
            f"{name}: {error}; `perfboard measures {name}` lists its parameters"
        ) from error
