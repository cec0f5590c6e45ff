# SPDX-License-Identifier: Apache-2.0
"""Tries made on other machines by Dask Distributed, and kept on this one."""

import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

import perfboard
from perfboard.bench.lab import Lab
from perfboard.boards.loader import load_board
from perfboard.host.cache.cache import cached, find_cached, hash_file
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import SilentProgress
from perfboard.studies.tune.pool import Note, Submit, noted
from perfboard.studies.tune.task import Task, TaskResult
from perfboard.targets.virtual.emulator import emulator_version

if TYPE_CHECKING:
    from distributed import Client

_CONNECT_S = 10
# The seconds between two notes that a worker sends.
_EVERY_S = 1.0
_RESULT = TypeAdapter(TaskResult)


def software(emulator: str) -> dict[str, str]:
    """The software that a boot depends on: Perfboard, and the version of that emulator."""
    return {
        # Between two versions there are many that call themselves the first.
        "Perfboard": f"{version('perfboard')} ({_code()})",
        emulator: emulator_version(emulator),
    }


@cache
def _code() -> str:
    """A hash of Perfboard's modules, as they were when this process first asked."""
    folder, code = Path(perfboard.__path__[0]), hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        code.update(f"{path.relative_to(folder)}\0{hash_file(path)}\n".encode())
    return code.hexdigest()[:12]


def check_software(wanted: Mapping[str, str], emulator: str, where: str) -> None:
    """Raises EnvironmentLacksError where this machine, which is `where`, has another."""
    here = software(emulator)
    other = [f"{name} {here[name]}, not {v}" for name, v in wanted.items() if here[name] != v]
    if other:
        raise EnvironmentLacksError(
            f"Dask's worker {where} has {'; '.join(other)}: its boots would be others. Install the "
            "same there, or stop that worker"
        )


class KeptTries:
    """The tries that were booted elsewhere with this `software`, in this machine's cache.

    A boot is kept where it was made under the hashes of its image, which this machine has not.
    """

    def __init__(self, software: Mapping[str, str]) -> None:
        self._software = software

    def find(self, task: Task) -> TaskResult | None:
        """How the task ended; None if it was not run, or did not boot."""
        folder = find_cached("try", self._inputs(task), __name__)
        if folder is None:
            return None
        return _read(folder)

    def keep(self, task: Task, result: TaskResult) -> None:
        """Keeps it where it has a boot. Raises as `images.cache.cached` does."""
        if not result.boots:
            return

        def write(folder: Path) -> None:
            (folder / "console.log").write_bytes(result.console)
            text = _RESULT.dump_json(result, exclude={"console"})
            (folder / "result.json").write_bytes(text)

        cached("try", self._inputs(task), write, SilentProgress())

    def _inputs(self, task: Task) -> dict[str, str]:
        loaded = load_board(task.board)
        files = loaded.board.image.files()
        return {
            **self._software,
            "board": loaded.board.model_dump_json(),
            "levels": json.dumps(dict(task.levels), sort_keys=True),
            **{f"file {key}": hash_file(loaded.file(file)) for key, file in files.items()},
        }


def _read(folder: Path) -> TaskResult:
    content = json.loads((folder / "result.json").read_text())
    result = _RESULT.validate_json(json.dumps({**content, "console": ""}))
    return replace(result, console=(folder / "console.log").read_bytes())


@contextmanager
def distributed_workers(address: str, emulator: str, note: Note) -> Iterator[Submit]:
    """A function that runs a task on the workers of the scheduler at that address.

    `emulator` is the program that boots the board; see `pool.local_workers`. The try of a
    worker that is lost is made by another. A try that has come back is kept here, and looked for
    here first. Raises EnvironmentLacksError where the scheduler is not to be had.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise EnvironmentLacksError(
            "--scheduler wants Dask Distributed, which is not installed; "
            "install it with: pip install 'perfboard[tune]'"
        ) from error
    try:
        client = Client(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise EnvironmentLacksError(
            f"there is no Dask scheduler at {address}: {error}; start one with `dask scheduler`, "
            "and `dask worker` on each machine, and give the address that it prints"
        ) from error
    wanted = software(emulator)
    tries = KeptTries(wanted)
    with client:
        _check_there(client)
        topic = f"perfboard-{client.id}"
        client.subscribe_topic(topic, lambda event: note(*event[1]))
        executor = client.get_executor(pure=False)

        def submit(task: Task) -> "Future[TaskResult]":
            found: Future[TaskResult] = Future()
            kept = tries.find(task) if task.boots else None
            if kept is not None:
                found.set_result(kept)
                return found

            def pass_on(result: "Future[TaskResult]") -> None:
                try:
                    own = ended(result)
                    tries.keep(task, own)
                    found.set_result(own)
                # Whatever it is, it is for who waits for the try.
                except BaseException as error:
                    found.set_exception(error)

            executor.submit(_elsewhere, task, topic, emulator, wanted).add_done_callback(pass_on)
            return found

        try:
            yield submit
        finally:
            executor.shutdown(wait=False)


def _check_there(client: "Client") -> None:
    """Raises EnvironmentLacksError where the scheduler or a worker has no Perfboard at all.

    Such a worker would die of the first try that it is sent, and the next after it.
    """

    def has() -> bool:
        with suppress(ImportError):
            return find_spec("perfboard.studies") is not None
        return False

    found = {"scheduler": client.run_on_scheduler(has)}
    found |= {f"worker {address}": there for address, there in client.run(has).items()}
    without = [name for name, there in found.items() if not there]
    if without:
        raise EnvironmentLacksError(
            f"Dask's {', '.join(without)}: no Perfboard in the Python that runs it; install the "
            "same there as here"
        )


def ended(future: "Future[TaskResult]") -> TaskResult:
    """The result of a task. Raises its error, and EnvironmentLacksError if Dask fails."""
    try:
        return future.result()
    except CancelledError:
        raise EnvironmentLacksError(
            "the Dask scheduler was lost; start it again, and run the tune again: the boots that "
            "have ended are kept"
        ) from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] == "distributed":
            raise EnvironmentLacksError(
                f"Dask's workers are lost again and again: {error}"
            ) from error
        raise


def _elsewhere(task: Task, topic: str, emulator: str, wanted: Mapping[str, str]) -> TaskResult:
    """The result of a task on a worker, which sends its steps to `topic`."""
    from distributed import get_worker

    worker, sent = get_worker(), -_EVERY_S
    check_software(wanted, emulator, worker.address)

    def send(levels: str, doing: str) -> None:
        nonlocal sent
        now = time.monotonic()
        if not doing or now - sent >= _EVERY_S:
            sent = now
            worker.log_event(topic, [levels, doing])

    return noted(task, Lab(), send, Event())
