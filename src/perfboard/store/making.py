# SPDX-License-Identifier: Apache-2.0
"""Run folders: made and finished.

A run is made in a folder whose name begins with a dot, and renamed once it is
whole: a folder that bears a run's id is complete, whatever happened meanwhile.
"""

import fcntl
import hashlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path, PurePosixPath

from perfboard.host.files.lasting import sync
from perfboard.host.files.shared import let_read, make_folder
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.run import Artifact, Run
from perfboard.store.folder import RUN_FILE, UNFINISHED, disk_errors, run_folders, runs_folder
from perfboard.store.order import take_number

# Room for the record of a run that fills the disk.
_RESERVE = ".reserve"
_RESERVE_BYTES = 64 << 10


class RunFolder:
    """The folder of a run that is being made; `id` is the run's to be.

    The process that makes the run holds a lock on it until it is finished.
    """

    def __init__(self, id: str, path: Path, lock: int) -> None:
        """`lock` is a descriptor of the folder, locked; the object owns it."""
        self.id = id
        self.path = path
        self._lock = lock

    @property
    def artifacts(self) -> Path:
        """The folder of the run's artifacts."""
        return self.path / "artifacts"

    def artifact_path(self, name: str) -> Path:
        """The path of the artifact `name`; folders above it are made."""
        relative = PurePosixPath(name)
        if relative.is_absolute() or not relative.parts or ".." in relative.parts:
            raise ValueError(f"{name!r} is not the name of an artifact")
        path = self.artifacts / relative
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write_artifact(self, name: str, data: bytes) -> Path:
        """Writes an artifact. Raises EnvironmentLacksError where the disk refuses it."""
        path = self.artifact_path(name)
        with disk_errors(path, len(data)):
            try:
                path.write_bytes(data)
            except OSError:
                path.unlink(missing_ok=True)
                raise
        return path

    def copy_artifact(self, name: str, file: FileIO) -> None:
        """Writes an artifact of any size. Raises EnvironmentLacksError where the disk refuses."""
        path = self.artifact_path(name)
        with disk_errors(path), path.open("wb") as copy:
            shutil.copyfileobj(file, copy, 1 << 20)

    def finish(
        self, run: Run, otherwise: Callable[[EnvironmentLacksError], Run] | None = None
    ) -> Run:
        """Records `run` with the hashes of its artifacts; the run as it is stored, at `path`.

        If the disk refuses that, the run that `otherwise` makes of the error is recorded, which may
        be shorter. Raises EnvironmentLacksError if the disk refuses both: the folder then stays as
        an unfinished run, with what it held.
        """
        if run.id != self.id:
            raise ValueError(f"run {run.id} does not belong in the folder of {self.id}")
        try:
            try:
                return self._record(run)
            except EnvironmentLacksError as error:
                if otherwise is None:
                    raise
                return self._record(otherwise(error))
        finally:
            os.close(self._lock)

    def discard(self) -> None:
        """Removes the folder of a run of which nothing came."""
        os.close(self._lock)
        shutil.rmtree(self.path, ignore_errors=True)

    def _record(self, run: Run) -> Run:
        destination = self.path.parent / self.id
        with disk_errors(self.path):
            artifacts = tuple(self._artifacts())
            (self.path / _RESERVE).unlink(missing_ok=True)
        stored = run.model_copy(update={"artifacts": artifacts})
        data = stored.to_json().encode()
        with disk_errors(self.path / RUN_FILE, len(data)):
            self._write_record(data)
            let_read(self.path)
            self.path.rename(destination)
            self.path = destination
            sync(destination.parent)
        return stored

    def _artifacts(self) -> Iterator[Artifact]:
        for path in sorted(self.artifacts.rglob("*")):
            if path.is_symlink() or not path.is_file():
                continue
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                os.fsync(file.fileno())
                size = file.tell()
            name = path.relative_to(self.path).as_posix()
            yield Artifact(path=name, size=size, sha256=digest)

    def _write_record(self, data: bytes) -> None:
        temporary = self.path / f".{RUN_FILE}"
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.rename(self.path / RUN_FILE)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        for folder in (self.artifacts, self.path):
            sync(folder)


def _now() -> datetime:
    return datetime.now(UTC)


def new_run(
    study: str,
    board: str,
    clock: Callable[[], datetime] = _now,
    token: Callable[[int], str] = secrets.token_hex,
) -> RunFolder:
    """A private folder for a run of `study` on `board`, under an id of its own.

    The id ends with `token(bytes)`, drawn again if another run has it.
    """
    runs = runs_folder()
    with disk_errors(runs):
        make_folder(runs)
        while True:
            id = f"{clock():%Y%m%d-%H%M%S}-{study}-{board}-{token(2)}"
            path = runs / f".{id}{UNFINISHED}"
            try:
                path.mkdir(mode=0o700)
            except FileExistsError:
                continue
            # The folder made, no other can finish under this id; one may have before.
            if (runs / id).exists():
                path.rmdir()
                continue
            # `runs prune` may remove it before it is locked.
            with suppress(FileNotFoundError):
                lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
                fcntl.flock(lock, fcntl.LOCK_EX)
                if path.exists():
                    # Others see by its lock that it is under way.
                    let_read(path)
                    break
                os.close(lock)
        folder = RunFolder(id, path, lock)
        try:
            take_number(path, run_folders())
            folder.artifacts.mkdir()
            (path / _RESERVE).write_bytes(os.urandom(_RESERVE_BYTES))
        except OSError:
            folder.discard()
            raise
        return folder
