# SPDX-License-Identifier: Apache-2.0
"""What is made of what the instruments see, with a pipe in place of the emulator."""

import json
import os
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest

from perfboard.boards.loader import load_board
from perfboard.images.program.base import Job, TrialBase
from perfboard.instruments import console_log
from perfboard.instruments import scope as scope_module
from perfboard.instruments.emulator_console import ConsoleRecorder
from perfboard.instruments.scope import Scope
from perfboard.model.errors import TargetError
from perfboard.targets.virtual.emulator import Emulator
from perfboard.targets.virtual.program import TrialTarget
from perfboard.targets.virtual.watch import Watch
from tests.support.variants import variant_of


class _Gone:
    """An emulator that ended without a word."""

    def death(self) -> None:
        return None


@pytest.fixture
def scope(tmp_path: Path) -> Any:
    made = Scope(Path("scope.so"), (), 0)
    made.prepare(tmp_path)
    yield made
    made.stop()


def test_a_console_without_end_is_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console_log, "MOST_BYTES", 1000)
    recorder = ConsoleRecorder()
    recorder.prepare(tmp_path)
    assert recorder._theirs is not None
    recorder._theirs.send(b"x" * 999 + b"\n")
    assert recorder.read()
    recorder._theirs.send(b"y")
    with pytest.raises(TargetError, match="more than 1000 B on its console") as caught:
        recorder.read()
    recorder.stop()
    assert caught.value.kind == "flood"
    assert (tmp_path / "console.log").stat().st_size == 1000


def test_marks_without_end_are_not_stored(
    scope: Scope, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scope_module, "MOST_BYTES", 1000)
    mark = b'{"mark":"fork","ns":1}\n'
    os.write(scope._writer, mark * 40)
    assert len(scope.read() or ()) == 40
    os.write(scope._writer, mark * 4)
    with pytest.raises(TargetError, match="larger than 1000 B") as caught:
        scope.read()
    assert caught.value.kind == "flood"
    assert (tmp_path / "scope.jsonl").stat().st_size == 40 * len(mark)


class _Talking:
    """A board that prints, and never comes to the command."""

    marks: tuple[int, ...] = ()
    now_ns = 0

    def read(self, timeout_s: float) -> bytes:
        self.now_ns += 1
        return b"x"


class _Ended(_Talking):
    """A board of which all is heard at once, an hour after its command has ended."""

    def read(self, timeout_s: float) -> bytes:
        self.marks = (1, 2, 3)
        self.now_ns = 3600 * 10**9
        return b""


def test_a_command_that_has_ended_is_not_late_where_this_machine_is() -> None:
    target = TrialTarget(variant_of(), cast(TrialBase, None), Job(("true",)))
    ended: Any = _Ended()
    target._await(ended, ended, lambda now, began: None, Event())


def test_a_command_that_is_never_begun_is_given_up() -> None:
    board = load_board("verdex").board
    soon = board.boot.model_copy(update={"limit_s": 0.001})
    board = board.model_copy(update={"boot": soon})
    target = TrialTarget(variant_of(board), cast(TrialBase, None), Job(("true",)))
    talking: Any = _Talking()
    with pytest.raises(TargetError, match="has not begun the command"):
        target._await(talking, talking, lambda now, began: None, Event())


def test_names_of_programs_are_made_printable(scope: Scope) -> None:
    names = ["/sbin/\x1b[2Jx", "/etc/init.d/S99usable"]
    marks = [{"mark": "exec", "ns": 1, "text": name} for name in names]
    os.write(scope._writer, b"".join(json.dumps(mark).encode() + b"\n" for mark in marks))
    board = load_board("verdex").board
    assert board.boot.usable == "exec:S99usable"
    watch = Watch(board, [scope], ConsoleRecorder(), cast(Emulator, _Gone()))
    seen: list[str] = []
    watch.until_usable(seen.append, Event())
    watch.close()
    assert seen == ["exec:?[2Jx", "exec:S99usable"]
