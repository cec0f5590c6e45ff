# SPDX-License-Identifier: Apache-2.0
"""A folder on a target, which is this machine here, when the trying of it is interrupted."""

from pathlib import Path

import pytest

from perfboard.model.errors import TargetError
from perfboard.targets.base import Completed
from perfboard.targets.folder import working_folder
from perfboard.targets.pipe_shell import PipeShell


def lost(said: str) -> TargetError:
    return TargetError("lost", said)


class Interrupted(PipeShell):
    """Does what it is told to, but whoever waits for a folder to be tried is interrupted."""

    def run(self, script: str, *, timeout_s: float = 20) -> Completed:
        done = super().run(script, timeout_s=timeout_s)
        if "mkdir" in script:
            raise KeyboardInterrupt
        return done


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_a_folder_is_removed_at_the_end(place: Path) -> None:
    with working_folder(PipeShell(lambda script: ["sh", "-c", script], lost)) as path:
        assert list(place.iterdir()) == [Path(path)]
    assert list(place.iterdir()) == []


def test_a_folder_of_which_nothing_was_heard_is_removed(place: Path) -> None:
    shell = Interrupted(lambda script: ["sh", "-c", script], lost)
    with pytest.raises(KeyboardInterrupt), working_folder(shell):
        pass
    assert list(place.iterdir()) == []
