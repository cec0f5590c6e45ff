# SPDX-License-Identifier: Apache-2.0
"""A folder on a target, which is this machine here, when what uses it ends in any way."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from perfboard.model.errors import TargetError
from perfboard.targets.folder import new_name, sweep_folders, working_folder
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


def test_folders_elsewhere_go_with_a_job(place: Path, session: Process) -> None:
    other, users = place / "a disk" / new_name(), place / "a disk/users"
    with working_folder(PipeShell(command, lost, session)) as path:
        other.mkdir(parents=True)
        users.mkdir()
        (other / "file").touch()
        (Path(path) / "others").write_text(f"{other}\n{place}/never\n{users}\n")
    assert list(place.rglob("*")) == [place / "a disk", users]


def kill(session: Process) -> None:
    """Ends it so that it does nothing more."""
    session.kill()
    assert session.ended


def test_what_was_left_when_all_was_killed_is_swept(place: Path, session: Process) -> None:
    other = place.parent / "elsewhere" / new_name()
    with pytest.raises(TargetError), working_folder(PipeShell(command, lost, session)) as path:
        other.mkdir(parents=True)
        (Path(path) / "others").write_text(f"{other}\n")
        kill(session)
    assert Path(path).is_dir() and other.is_dir()
    next_session = Process(["sh"], lost)
    try:
        sweep_folders(PipeShell(command, lost, next_session))
    finally:
        next_session.kill()
    assert list(place.iterdir()) == [] and not other.exists()


def test_the_folders_of_a_command_that_runs_are_not_swept(place: Path, session: Process) -> None:
    with working_folder(PipeShell(command, lost, session)) as path:
        other = Process(["sh"], lost)
        sweep_folders(PipeShell(command, lost, other))
        other.kill()
        assert (Path(path) / "owner").exists()


def test_a_folder_of_a_shell_of_that_number_that_has_ended_is_swept(place: Path) -> None:
    """The number is that of a process that began later."""
    folder = place / new_name()
    folder.mkdir(0o700)
    (folder / "owner").write_text(f"{os.uname().nodename} {os.getpid()} 1\n")
    shell = PipeShell(command, lost, Process(["true"], lost))
    sweep_folders(shell)
    assert not folder.exists()


@pytest.mark.parametrize(
    "owner",
    [
        "another-board 4194305 1",  # on a disk that both have
        "",  # being made
        None,
    ],
)
def test_a_folder_whose_owner_may_live_is_not_swept(place: Path, owner: str | None) -> None:
    folder = place / new_name()
    folder.mkdir(0o700)
    if owner is not None:
        (folder / "owner").write_text(owner)
    sweep_folders(PipeShell(command, lost, Process(["true"], lost)))
    assert folder.is_dir()


def test_a_link_is_no_folder_of_ours(place: Path) -> None:
    theirs = place / "theirs"
    theirs.mkdir()
    (theirs / "owner").write_text(f"{os.uname().nodename} 4194305 1\n")
    (place / new_name()).symlink_to(theirs)
    sweep_folders(PipeShell(command, lost, Process(["true"], lost)))
    assert (theirs / "owner").exists()
