# SPDX-License-Identifier: Apache-2.0
"""What is made of what the instruments see, with a pipe in place of the emulator."""

import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest

from perfboard.boards.loader import load_board
from perfboard.instruments.emulator_console import ConsoleRecorder
from perfboard.instruments.scope import Scope
from perfboard.instruments.together import prepared
from perfboard.model.errors import TargetError
from perfboard.targets.virtual.emulator import Emulator
from perfboard.targets.virtual.program import await_command
from perfboard.targets.virtual.watch import BoardWatch


class _Gone:
    """An emulator that ended without a word."""

    def death(self) -> None:
        return None

    def asleep(self) -> bool:
        return False


class _Asleep(_Gone):
    """One that waits, and will not wake."""

    def asleep(self) -> bool:
        return True


@contextmanager
def watched(
    folder: Path, limit_s: float, emulator: _Gone | None = None
) -> Iterator[tuple[BoardWatch, Callable[..., None]]]:
    """A board that may stand still for so long, and what says a record of its scope."""
    board = load_board("verdex").board
    boot = board.boot.model_copy(update={"limit_s": limit_s})
    scope = Scope(Path("scope.so"), (), 0, beats=True)
    with prepared([scope], folder) as together:
        (pipe,) = scope.attachment().descriptors
        written = os.dup(pipe)
        together.start()

        def say(**record: object) -> None:
            os.write(written, json.dumps(record).encode() + b"\n")

        board = board.model_copy(update={"boot": boot})
        own = cast(Emulator, emulator or _Gone())
        yield BoardWatch(board, together, ConsoleRecorder(), own, scope), say
        os.close(written)


def test_a_board_hangs_by_its_own_clock(tmp_path: Path) -> None:
    with watched(tmp_path, 60) as (watch, say):
        say(mark="kernel.entry", ns=10**9)
        say(beat=60 * 10**9)
        say(mark="switch", ns=61 * 10**9 + 1)
        with pytest.raises(TargetError, match="console line for 60 s of the board's clock") as hung:
            watch.until_usable(lambda name: None, Event())
    assert hung.value.kind == "hang"


def test_a_board_that_prints_for_ever_is_given_up_by_its_own_clock(tmp_path: Path) -> None:
    with watched(tmp_path, 60) as (watch, say):
        for second in range(0, 602, 7):
            say(mark="exec", ns=second * 10**9, text="/bin/again")
        say(beat=601 * 10**9)
        with pytest.raises(TargetError, match="601 s since reset") as never:
            watch.until_usable(lambda name: None, Event())
    assert never.value.kind == "no-mark"


def test_a_slow_host_hangs_no_board(tmp_path: Path) -> None:
    with watched(tmp_path, 0.02) as (watch, say):

        def boot() -> None:
            for number in range(5):
                say(beat=number * 10**6)
                time.sleep(0.1)
            say(mark="exec", ns=10**7, text="/etc/init.d/S99usable")

        with ThreadPoolExecutor() as pool:
            booted = pool.submit(boot)
            assert watch.until_usable(lambda name: None, Event()) > 0.2
            booted.result()


def test_a_board_whose_clock_stands_still_hangs(tmp_path: Path) -> None:
    with (
        watched(tmp_path, 0.02, _Asleep()) as (watch, _),
        pytest.raises(TargetError, match="its clock stands still"),
    ):
        watch.until_usable(lambda name: None, Event())


class _Talking:
    """A board that prints, and never comes to the command."""

    marks_ns: tuple[int, ...] = ()
    now_ns = 0

    def read(self, timeout_s: float) -> bytes:
        self.now_ns += 1
        return b"x"


class _Ended(_Talking):
    """A board of which all is heard at once, an hour after its command has ended."""

    def read(self, timeout_s: float) -> bytes:
        self.marks_ns = (1, 2, 3)
        self.now_ns = 3600 * 10**9
        return b""


def test_a_command_that_has_ended_is_not_late_where_this_machine_is() -> None:
    ended: Any = _Ended()
    await_command(ended, ended, 60, 600, lambda now, began: None, Event())


def test_a_command_that_is_never_begun_is_given_up() -> None:
    talking: Any = _Talking()
    with pytest.raises(TargetError, match="has not begun the command"):
        await_command(talking, talking, 0.001, 600, lambda now, began: None, Event())


def test_names_of_programs_are_made_printable(tmp_path: Path) -> None:
    names = ["/sbin/\x1b[2Jx", "/etc/init.d/S99usable"]
    marks = [{"mark": "exec", "ns": 1, "text": name} for name in names]
    board = load_board("verdex").board
    assert board.boot.usable == "exec:S99usable"
    scope, seen = Scope(Path("scope.so"), (), 0), list[str]()
    with prepared([scope], tmp_path) as together:
        (pipe,) = scope.attachment().descriptors
        os.write(pipe, b"".join(json.dumps(mark).encode() + b"\n" for mark in marks))
        together.start()
        watch = BoardWatch(board, together, ConsoleRecorder(), cast(Emulator, _Gone()))
        watch.until_usable(seen.append, Event())
    assert seen == ["exec:?[2Jx", "exec:S99usable"]
