# SPDX-License-Identifier: Apache-2.0
"""What is made of what the instruments see, with a pipe in place of the emulator."""

import json
import os
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
