# SPDX-License-Identifier: Apache-2.0
"""A place of labgrid's: what it has, and its console, power and ssh, by labgrid's own drivers."""

import json
import re
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pydantic import BaseModel, ValidationError

from perfboard.host.programs.python import environment_python
from perfboard.model.errors import EnvironmentLacksError, TargetError, UsageError
from perfboard.model.progress import Progress
from perfboard.model.run import Evidence
from perfboard.model.text import printable
from perfboard.targets.pipe.process import Process
from perfboard.targets.pipe.ssh import control_folder
from perfboard.targets.serial.line import SerialLine

WRITTEN = "labgrid://PLACE[?coordinator=HOST:PORT]"

# Its coordinator speaks gRPC from 25.0 on.
REQUIREMENT = "labgrid>=25,<27"
_TEXT = re.compile(
    r"labgrid://(?P<place>[^?#\0\s]+)(?:\?coordinator=(?P<coordinator>[A-Za-z0-9.:\[\]_-]+))?"
)
_AGENT = Path(__file__).with_name("agent.py")
# A machine that is busy takes half a minute to import labgrid.
_CONNECT_S = 120.0
# A power driver waits some seconds between off and on, and may work over ssh.
_POWER_S = 90.0
_MOST = 1 << 20
_WIRE_NOTE = (
    "The place's console is a TCP port: nothing shows whether it leads to a board or to a program."
)


def parse(text: str) -> tuple[str, str]:
    """The place and the coordinator, "" for labgrid's own. Raises UsageError."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise UsageError(f'"{text}" is no labgrid target; it is written {WRITTEN}.')
    return unquote(match["place"]), match["coordinator"] or ""


class Has(BaseModel, extra="ignore"):
    """The names of the drivers that a place has, "" for none."""

    coordinator: str
    version: str
    console: str = ""
    wire: str = ""
    speed: int | None = None
    power: str = ""
    reset: str = ""
    ssh: str = ""


class _Ssh(BaseModel, extra="ignore"):
    words: list[str]
    address: str


class PlaceLine(SerialLine):
    """The console of a place: bytes that labgrid's driver carries."""

    def __init__(self, descriptor: int, name: str, words: Callable[[], str]) -> None:
        """`words` are labgrid's own of why it has ended."""
        super().__init__(descriptor, name)
        self._words = words

    @property
    def evidence(self) -> Evidence:
        """As of any board that is reached from afar."""
        return Evidence.SILICON

    def _lost(self, error: OSError | None) -> TargetError:
        return TargetError(
            "lost", f"{self._name} is gone. labgrid said: {self._words() or 'nothing'}"
        )


@dataclass(frozen=True)
class Place:
    """A place that is acquired, while its agent runs."""

    name: str
    has: Has
    line: PlaceLine
    ask: Callable[[str, float], dict[str, Any]]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for a run, about the console."""
        return (_WIRE_NOTE,) if self.has.wire == "raw" else ()

    def open_console(self) -> None:
        """Connects the line. Raises EnvironmentLacksError, also if the place has no console."""
        if not self.has.console:
            raise EnvironmentLacksError(
                f"labgrid's place {self.name} has no console: it needs a serial port, which "
                f"`labgrid-client -p {self.name} add-match` adds"
            )
        self.ask("console", _CONNECT_S)

    def off(self) -> None:
        """Switches the board off, and waits as long as its driver says; nothing without power."""
        if self.has.power:
            self.ask("off", _POWER_S)

    def on(self) -> None:
        """Switches the board on; without power, resets it."""
        self.ask("on" if self.has.power else "reset", _POWER_S)

    def ssh(self) -> tuple[Sequence[str], str]:
        """Words for ssh to share the connection of labgrid's driver, and the address."""
        try:
            found = _Ssh.model_validate(self.ask("ssh", _CONNECT_S))
        except ValidationError as error:
            raise TargetError(
                "garbage", f"labgrid's words for ssh make no sense: {error}"
            ) from None
        return found.words, found.address


@contextmanager
def open_place(text: str, progress: Progress) -> Iterator[Place]:
    """The place of the target `text`. Raises UsageError, EnvironmentLacksError and TargetError."""
    name, coordinator = parse(text)
    python = environment_python(REQUIREMENT, progress)
    ours, theirs = socket.socketpair()
    with control_folder() as folder, ours:
        with theirs:
            given = [name, coordinator, str(theirs.fileno()), str(folder)]
            words = [str(python), "-I", "-B", str(_AGENT), *given]
            agent = Process(words, _gone, [theirs.fileno()], tidies=True)
        ours.setblocking(False)
        ask = Asks(agent, name)
        try:
            with progress.step(f"asking labgrid for {name}", 1):
                try:
                    has = Has.model_validate(ask.answer(_CONNECT_S))
                except ValidationError as error:
                    raise EnvironmentLacksError(
                        f"labgrid's description of {name} makes no sense: {error}"
                    ) from None
            line = PlaceLine(ours.fileno(), f"the console of labgrid's place {name}", ask.complaint)
            yield Place(name, has, line, ask)
        finally:
            # It lets go of the console, and ends the driver's connections.
            agent.close()


class Asks:
    """Requests to the agent, a line each."""

    def __init__(self, agent: Process, place: str) -> None:
        self._agent = agent
        self._place = place
        self._pending = b""

    def __call__(self, request: str, limit_s: float) -> dict[str, Any]:
        """The answer. Raises EnvironmentLacksError with labgrid's words where it is a failure."""
        self._agent.write(f"{request}\n".encode())
        return self.answer(limit_s)

    def complaint(self) -> str:
        """The last line that labgrid complained in."""
        self._agent.hear_last_words()
        return _last(self._agent.errors)

    def answer(self, limit_s: float) -> dict[str, Any]:
        """The next answer."""
        deadline = time.monotonic() + limit_s
        while b"\n" not in self._pending:
            if time.monotonic() > deadline or len(self._pending) > _MOST:
                raise EnvironmentLacksError(
                    f"labgrid has not answered for {limit_s:.0f} s about {self._place}. Does its "
                    f"coordinator run? It said: {_last(self._agent.errors) or 'nothing'}"
                )
            self._pending += self._agent.read(0.5)
        line, _, self._pending = self._pending.partition(b"\n")
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise TargetError("garbage", f"labgrid's answer makes no sense: {line[:200]!r}")
        if "error" in found:
            # labgrid also logs, as what ssh said.
            logged = self.complaint() if found["error"] == "failed" else ""
            words = " ".join(filter(None, (str(found.get("words")), logged)))
            raise _refusal(self._place, str(found["error"]), words)
        return found


_CURES = {
    "coordinator": "labgrid's coordinator cannot be reached: {words}. Start labgrid-coordinator, "
    "or name another in LG_COORDINATOR or as labgrid://{place}?coordinator=HOST:PORT",
    "unknown": "labgrid's coordinator has no place {place}. Its places are: {words}",
    "acquired": "{words}. Acquire it first: labgrid-client -p {place} acquire",
    "exporter": "labgrid's place {place} has lost a resource: {words}. Start labgrid-exporter "
    "where the board is",
    "several": "labgrid's place {place} has several that would do: {words}. Name one in the file "
    "of LG_ENV",
    "lacks": "labgrid's place {place} has no driver for {words}. Give its drivers in the file of "
    "LG_ENV, or a resource in the place",
    "person": 'labgrid\'s driver asks a person: "{words}". Give --reset, a command of this machine '
    "that resets the board",
}


def _refusal(place: str, kind: str, words: str) -> EnvironmentLacksError:
    words = printable(words.strip().rstrip(".")[-600:])
    form = _CURES.get(kind, "labgrid's place {place}: {words}")
    return EnvironmentLacksError(form.format(place=place, words=words))


def _gone(errors: str) -> TargetError:
    return TargetError(
        "lost", f"labgrid's program has ended. It said: {_last(errors) or 'nothing'}"
    )


def _last(errors: str) -> str:
    """The last line with words; labgrid logs an empty one of a program as "ssh: "."""
    lines = [line.strip() for line in errors.splitlines() if not line.strip().endswith(":ssh:")]
    lines = [line for line in lines if line]
    return printable(lines[-1][-400:]) if lines else ""
