# SPDX-License-Identifier: Apache-2.0
"""The program that runs in labgrid's environment, and imports nothing of ours.

    python agent.py PLACE COORDINATOR DESCRIPTOR FOLDER

Each line that it reads is a request: console, off, on, reset or ssh. Each line that it writes is
the answer to one, as JSON; the first says what the place has. An answer with `error` is a failure.
The console's bytes pass through the socket DESCRIPTOR, temporary
files go to FOLDER. It ends with its input.
"""

import json
import os
import select
import socket
import sys
import time
from contextlib import suppress
from typing import Any, TextIO

# How long a byte that is typed may wait: the console is read meanwhile.
_READ_S = 0.002
_PORTION = 1 << 16
_COORDINATOR = "127.0.0.1:20408"


class Refusal(Exception):
    """A request that cannot be done: a word for what is wrong, and labgrid's own words."""


class AgentPlace:
    """An acquired place of a coordinator, and the drivers for what it has."""

    def __init__(self, name: str, coordinator: str) -> None:
        from labgrid import Environment, Target
        from labgrid.remote.client import (
            ServerError,
            UserError,
            find_role_by_place,
            start_session,
        )
        from labgrid.resource.remote import RemotePlace, RemotePlaceManager

        configuration = os.environ.get("LG_ENV")
        environment = Environment(configuration, interact=_refuse) if configuration else None
        usual = os.environ.get("LG_COORDINATOR", _COORDINATOR)
        if environment:
            usual = environment.config.get_option("coordinator_address", usual)
        self.coordinator = coordinator or usual
        try:
            session = start_session(self.coordinator, extra={"env": environment})
        except Exception as error:
            raise Refusal("coordinator", f"{self.coordinator}: {error}") from error
        if name not in session.places:
            raise Refusal("unknown", ", ".join(sorted(session.places)[:20]) or "none")
        manager = RemotePlaceManager.get()
        manager.session, manager.loop, manager.env = session, session.loop, environment
        role = environment and find_role_by_place(environment.config.get_targets(), name)
        try:
            session.get_acquired_place(name)
            self.target: Any = environment.get_target(role) if environment and role else None
            if self.target is None:
                self.target = Target(name, env=environment)
                RemotePlace(self.target, name=name)
        except UserError as error:
            raise Refusal("acquired", str(error)) from error
        except ServerError as error:
            # Its words begin with all that the place has.
            raise Refusal("exporter", str(error).rpartition(") has an ")[2]) from error
        self.console: Any = None

    def driver(self, protocol: str) -> Any:
        """The driver of that protocol: the user's, or the one that fits a resource; or None.

        Raises Refused if several resources fit.
        """
        from labgrid.exceptions import NoDriverFoundError, NoSupplierFoundError
        from labgrid.factory import target_factory

        wanted = target_factory.class_from_string(protocol)
        try:
            return self.target.get_driver(wanted, activate=False)
        except NoDriverFoundError as error:
            if "multiple" in str(error):
                raise Refusal("several", str(error)) from error
        for kind in list(target_factory.drivers.values()):
            if not issubclass(kind, wanted) or not _by_resources(kind):
                continue
            try:
                return kind(self.target, None)
            except NoSupplierFoundError as error:
                if "multiple resources" in str(error) or "conflicting" in str(error):
                    raise Refusal("several", str(error)) from error
            except TypeError:
                continue  # It needs more than a resource: the user's own configuration has that.
        return None

    def has(self) -> dict[str, Any]:
        """The names of the drivers that the place has, "" for none."""
        from labgrid.util.version import labgrid_version

        power, reset = self.driver("PowerProtocol"), self.driver("ResetProtocol")
        console, ssh = self.driver("ConsoleProtocol"), self.driver("SSHDriver")
        port = getattr(console, "port", None)
        return {
            "coordinator": self.coordinator,
            "version": labgrid_version(),
            "console": _name(console),
            "wire": str(getattr(port, "protocol", "")),
            "speed": getattr(port, "speed", None),
            "power": _name(power),
            "reset": _name(reset),
            "ssh": _name(ssh),
        }

    def answer(self, request: str) -> dict[str, Any]:
        """Does what is asked."""
        if request == "console":
            self.console = self._active("ConsoleProtocol")
        elif request == "off":
            power = self._active("PowerProtocol")
            power.off()
            time.sleep(getattr(power, "delay", 2.0))
        elif request == "on":
            self._active("PowerProtocol").on()
        elif request == "reset":
            self._active("ResetProtocol").reset()
        elif request == "ssh":
            return self._ssh()
        else:
            raise Refusal("request", request)
        return {}

    def _active(self, protocol: str) -> Any:
        driver = self.driver(protocol)
        if driver is None:
            raise Refusal("lacks", protocol)
        self.target.activate(driver)
        return driver

    def _ssh(self) -> dict[str, Any]:
        """Words for ssh, by which it shares the driver's connection."""
        driver = self.driver("SSHDriver")
        if driver is None:
            raise Refusal("lacks", "SSHDriver")
        service = driver.networkservice
        if str(service.address).startswith("-"):
            raise Refusal("request", f"address {service.address}")
        self.target.activate(driver)
        user = driver._get_username()
        return {
            "words": [*driver.ssh_prefix, "-p", str(service.port), *(["-l", user] if user else [])],
            "address": service.address,
        }


def _by_resources(kind: Any) -> bool:
    """Whether a kind of driver needs resources, and nothing but resources.

    One that needs none is of no board; one that needs a driver may take what is another's.
    """
    from labgrid.factory import target_factory
    from labgrid.resource import Resource

    wanted: list[Any] = []
    for each in kind.bindings.values():
        wanted += each if isinstance(each, set) else [each]
    classes = [target_factory.class_from_string(w) if isinstance(w, str) else w for w in wanted]
    return bool(classes) and all(isinstance(c, type) and issubclass(c, Resource) for c in classes)


def _name(driver: Any) -> str:
    return type(driver).__name__ if driver is not None else ""


def _refuse(question: str) -> None:
    raise Refusal("person", str(question))


def _streams() -> tuple[int, TextIO]:
    """Requests and answers, which nothing that labgrid prints or asks can disturb."""
    requests, answers = os.dup(0), os.fdopen(os.dup(1), "w", buffering=1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, answers


def _say(answers: TextIO, answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer) + "\n")


def _failure(error: Exception) -> dict[str, Any]:
    if isinstance(error, Refusal):
        return {"error": error.args[0], "words": error.args[1]}
    return {"error": "failed", "words": f"{type(error).__name__}: {error}"}


def _carry(place: AgentPlace, wire: socket.socket) -> None:
    """Carries what came from the board, and what is typed. Raises OSError at the wire's end."""
    from pexpect import TIMEOUT

    with suppress(TIMEOUT):
        wire.sendall(place.console.read(timeout=_READ_S))
        # A driver may give a byte at a time; this is the rest of what is there.
        wire.sendall(place.console.read(size=_PORTION, timeout=0))
    if select.select([wire], [], [], 0)[0]:
        typed = wire.recv(_PORTION)
        if not typed:
            raise OSError("the wire has ended")
        place.console.write(typed)


def main() -> None:
    """Serves until its input ends, and then lets go of all that labgrid holds."""
    requests, answers = _streams()
    name, coordinator, descriptor, os.environ["TMPDIR"] = sys.argv[1:]
    with socket.socket(fileno=int(descriptor)) as wire:
        try:
            place = AgentPlace(name, coordinator)
            _say(answers, place.has())
        except Exception as error:
            _say(answers, _failure(error))
            return
        pending = b""
        while True:
            if select.select([requests], [], [], 0 if place.console else None)[0]:
                data = os.read(requests, _PORTION)
                if not data:
                    break
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    try:
                        _say(answers, place.answer(line.decode()))
                    except Exception as error:
                        _say(answers, _failure(error))
            if place.console:
                try:
                    _carry(place, wire)
                except Exception as error:
                    # The other end sees the wire end, and asks for the words.
                    sys.stderr.write(f"{type(error).__name__}: {error}\n")
                    break
        place.target.cleanup()


if __name__ == "__main__":
    main()
