# SPDX-License-Identifier: Apache-2.0
"""A folder on a target, which is this machine here, when what uses it ends in any way."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from perfboard.model.errors import TargetError
from perfboard.targets.folder import working_folder
from perfboard.targets.pipe.process import Process
from perfboard.targets.pipe.shell import PipeShell


def lost(said: str) -> TargetError:
    return TargetError("lost", said)


class Interrupted(Process):
    """A session whose reader is interrupted once it has made a folder."""

    waits = False

    def write(self, data: bytes) -> None:
        self.waits = b"mkdir" in data
        super().write(data)

    def read(self, timeout_s: float) -> bytes:
        data = super().read(timeout_s)
        if self.waits and data:
            raise KeyboardInterrupt
        return data


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@pytest.fixture(params=[Process])
def session(request: pytest.FixtureRequest) -> Iterator[Process]:
    process: Process = request.param(["sh"], lost)
    yield process
    process.kill()


def command(script: str) -> list[str]:
    return ["sh", "-c", script]


def test_a_folder_is_removed_at_the_end(place: Path, session: Process) -> None:
    with working_folder(PipeShell(command, lost, session)) as path:
        assert list(place.iterdir()) == [Path(path)]
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("session", [Interrupted], indirect=True)
def test_a_folder_whose_maker_is_interrupted_is_removed(place: Path, session: Process) -> None:
    with pytest.raises(KeyboardInterrupt), working_folder(PipeShell(command, lost, session)):
        pass
    assert list(place.iterdir()) == []


def test_a_folder_goes_with_the_connection(place: Path, session: Process) -> None:
    shell = PipeShell(command, lost, session)
    with pytest.raises(TargetError) as raised, working_folder(shell):
        assert len(list(place.iterdir())) == 1
        session.close()
        deadline = time.monotonic() + 20
        while list(place.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert list(place.iterdir()) == []
    assert raised.value.kind == "lost"


def test_a_session_that_does_not_answer_hangs(session: Process) -> None:
    shell = PipeShell(command, lost, session, answers_s=0.1)
    with pytest.raises(TargetError, match="not answered") as raised, shell.hold("sleep 5", ":"):
        pass
    assert raised.value.kind == "hang"
