# SPDX-License-Identifier: Apache-2.0
"""The scope costs the guest nothing: the same boot with it, without it, with many marks."""

from dataclasses import replace
from pathlib import Path
from threading import Event

from perfboard.analysis.boot.reading.scope_log import ScopeLog, parse_scope
from perfboard.bench.boot.virtual import marks_to_watch
from perfboard.binaries.scope import build_plugin
from perfboard.boards.loader import LoadedBoard
from perfboard.images.image import Image
from perfboard.instruments.scope import Scope, WatchedMark
from perfboard.model.progress import SilentProgress
from perfboard.targets.virtual.target import VirtualTarget
from tests.support.variants import variant_of


def boot(verdex: LoadedBoard, image: Image, folder: Path, marks: list[WatchedMark]) -> ScopeLog:
    """Boots until the console says so; the log is empty where there are no marks."""
    folder.mkdir()
    plan = verdex.board.boot.model_copy(update={"usable": "console:^system usable"})
    board = verdex.board.model_copy(update={"boot": plan})
    plugin = build_plugin(SilentProgress())
    scopes = [Scope(plugin, marks, board.console.data_register)] if marks else []
    target = VirtualTarget(variant_of(board, detail="counted"), image)
    with target.running(target.command(), scopes, folder) as watch:
        watch.until_usable(lambda name: None, Event())
        watch.end()
    if not marks:
        return parse_scope([])
    return parse_scope((folder / "scope.jsonl").read_text().splitlines())


def until_usable(console: Path) -> bytes:
    return (console / "console.log").read_bytes().partition(b"system usable")[0]


def test_the_guest_runs_the_same_with_few_marks_many_and_no_scope(
    verdex: LoadedBoard, image: Image, tmp_path: Path
) -> None:
    watched = {mark.name: mark for mark in marks_to_watch(verdex.board, image)}
    few = [watched["kernel.sched_init"], watched["init.exec"]]
    functions = sorted(name for name in image.symbols if name.startswith("sys_"))[:198]
    many = few + [
        WatchedMark(f"function.{number}", image.symbols[name], every=True)
        for number, name in enumerate(functions)
    ]
    assert len(many) == 200
    with_few = boot(verdex, image, tmp_path / "few", few)
    with_many = boot(verdex, image, tmp_path / "many", many)
    boot(verdex, image, tmp_path / "none", [])
    console = until_usable(tmp_path / "few")
    # The kernel prints its own times, so that equal text is an equal clock.
    assert b"[    0." in console
    assert until_usable(tmp_path / "many") == console
    assert until_usable(tmp_path / "none") == console
    last = len(console)
    assert with_few.stamps.ns[:last] == with_many.stamps.ns[:last]
    assert with_few.stamps.instructions is not None
    assert with_many.stamps.instructions is not None
    assert with_few.stamps.instructions[:last] == with_many.stamps.instructions[:last]
    first = {record.name: record for record in with_few.records}
    for record in with_many.records:
        if record.name in first:
            assert record == first[record.name]


def test_every_console_byte_has_a_stamp(verdex: LoadedBoard, image: Image, tmp_path: Path) -> None:
    marks = list(marks_to_watch(verdex.board, image))
    log = boot(verdex, image, tmp_path / "boot", marks)
    assert len(log.stamps) == len((tmp_path / "boot" / "console.log").read_bytes())
    assert sorted(log.stamps.ns) == list(log.stamps.ns)


def test_a_mark_at_every_hit_is_reported_each_time(
    verdex: LoadedBoard, image: Image, tmp_path: Path
) -> None:
    fork = WatchedMark("fork", image.symbols["wake_up_new_task"], every=True)
    once = replace(fork, name="once", every=False)
    names = [record.name for record in boot(verdex, image, tmp_path / "b", [fork, once]).records]
    assert names.count("once") == 1
    assert names.count("fork") > 20
