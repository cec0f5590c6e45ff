# SPDX-License-Identifier: Apache-2.0
"""Work done on other machines by Dask Distributed."""

import hashlib
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Protocol

from perfboard.bench.lab import Lab
from perfboard.bench.workers.local import noted
from perfboard.bench.workers.work import Note, Outcome, Submit, Work
from perfboard.host.cache.cache import hash_file
from perfboard.model.errors import EnvironmentLacksError
from perfboard.targets.virtual.emulator import emulator_version

if TYPE_CHECKING:
    from distributed import Client

_CONNECT_S = 10
# The seconds between two notes that a worker sends.
_EVERY_S = 1.0


def software(emulator: str) -> dict[str, str]:
    """The software that an outcome depends on: Perfboard, and the version of that emulator."""
    return {
        # Between two versions there are many that call themselves the first.
        "Perfboard": f"{version('perfboard')} ({_code()})",
        emulator: emulator_version(emulator),
    }


@cache
def _code() -> str:
    """A hash of Perfboard's modules, as they were when this process first asked."""
    folder, code = Path(__file__).parents[2], hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        code.update(f"{path.relative_to(folder)}\0{hash_file(path)}\n".encode())
    return code.hexdigest()[:12]


def check_software(wanted: Mapping[str, str], emulator: str, where: str) -> None:
    """Raises EnvironmentLacksError where this machine, which is `where`, has another."""
    here = software(emulator)
    other = [f"{name} {here[name]}, not {v}" for name, v in wanted.items() if here[name] != v]
    if other:
        raise EnvironmentLacksError(
            f"Dask's worker {where} has {'; '.join(other)}: its figures would be others. Install "
            "the same there, or stop that worker"
        )


class Keeper(Protocol):
    """The outcomes that this machine keeps of work which was done elsewhere."""

    def find(self, work: Any) -> Any:
        """The outcome of the work, or None."""

    def keep(self, work: Any, outcome: Any) -> Any:
        """Keeps the outcome, if it is one that lasts; the outcome as this machine has it."""


@contextmanager
def distributed_workers(address: str, note: Note, keeper: Keeper) -> Iterator[Submit[Any]]:
    """A function that has work done by the workers of the scheduler at that address.

    See `local.local_workers`. The work of a worker that is lost is done by another. The
    `keeper` keeps what comes back, and that is not done again. Raises EnvironmentLacksError where
    the scheduler is not to be had.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise EnvironmentLacksError(
            "--scheduler needs Dask Distributed, which is not installed; "
            "install it with: pip install 'perfboard[tune]'"
        ) from error
    try:
        client = Client(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise EnvironmentLacksError(
            f"there is no Dask scheduler at {address}: {error}; start one with `dask scheduler`, "
            "and `dask worker` on each machine, and give the address that it prints"
        ) from error
    with client:
        _check_there(client)
        topic = f"perfboard-{client.id}"
        client.subscribe_topic(topic, lambda event: note(*event[1]))
        executor = client.get_executor(pure=False)

        def submit(work: Work[Any]) -> "Future[Any]":
            found: Future[Any] = Future()
            kept = keeper.find(work)
            if kept is not None:
                found.set_result(kept)
                return found

            def pass_on(result: "Future[Any]") -> None:
                try:
                    found.set_result(keeper.keep(work, ended(result)))
                # Any error is for the thread that waits for the outcome.
                except BaseException as error:
                    found.set_exception(error)

            wanted = software(work.emulator)
            executor.submit(_elsewhere, work, topic, wanted).add_done_callback(pass_on)
            return found

        try:
            yield submit
        finally:
            executor.shutdown(wait=False)


def _check_there(client: "Client") -> None:
    """Raises EnvironmentLacksError where the scheduler or a worker has no Perfboard at all.

    Such a worker would die of the first work that it is sent, and the next after it.
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


def ended(future: "Future[Outcome]") -> Outcome:
    """The outcome of work. Raises its error, and EnvironmentLacksError if Dask fails."""
    try:
        return future.result()
    except CancelledError:
        raise EnvironmentLacksError(
            "the Dask scheduler was lost; start it again, and give the command again: what has "
            "ended is kept"
        ) from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] == "distributed":
            raise EnvironmentLacksError(
                f"Dask's workers are lost again and again: {error}"
            ) from error
        raise


def _elsewhere(work: Work[Outcome], topic: str, wanted: Mapping[str, str]) -> Outcome:
    """The outcome of work on a worker, which sends its steps to `topic`."""
    from distributed import get_worker

    worker, sent = get_worker(), -_EVERY_S
    check_software(wanted, work.emulator, worker.address)

    def send(title: str, doing: str) -> None:
        nonlocal sent
        now = time.monotonic()
        if not doing or now - sent >= _EVERY_S:
            sent = now
            worker.log_event(topic, [title, doing])

    return noted(work, Lab(), send, Event())
