# SPDX-License-Identifier: Apache-2.0
"""What is made of what the instruments see, with a pipe in place of the emulator."""

import json
import os
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest

from perfboard.boards.loader import load_board
from perfboard.instruments.console import ConsoleRecorder
from perfboard.instruments.scope import Scope
from perfboard.targets.emulator import Emulator
from perfboard.targets.watch import Watch


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
