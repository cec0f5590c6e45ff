# SPDX-License-Identifier: Apache-2.0
"""`perfboard doctor`: what this machine can be used for, and what it lacks for the rest."""

import argparse
import platform
import textwrap
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from perfboard.binaries.probe import architecture_of, origin
from perfboard.cli.words import print_json
from perfboard.host.programs.tools import SSH, TLS, VIRTUAL, Purpose, Tool, missing_tools
from perfboard.model.board.architecture import ARCHITECTURES
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.text import printable
from perfboard.targets.serial.ports import Port, serial_ports
from perfboard.targets.virtual.emulator import emulator_version

_NAME_WIDTH = 41


@dataclass(frozen=True)
class _State:
    """A job, what it lacks (packages, or a sentence), and its rows: a name, and words about it."""

    job: str
    missing: list[str]
    problem: str
    rows: list[tuple[str, str]]


def doctor(options: argparse.Namespace) -> int:
    """Says by job which tools there are, their versions, and how to get what is missing."""
    ports = serial_ports()
    here, *others = _states()
    missing = missing_tools()
    problems = list(dict.fromkeys(s.problem for s in (here, *others) if s.problem))
    install = " ".join(dict.fromkeys(tool.package for tool in missing))
    following = "pip install 'perfboard[probe]'" if here.problem else "perfboard measure"
    if options.json:
        print_json(
            {
                "missing": {tool.name: tool.package for tool in missing},
                "problems": problems,
                "jobs": [asdict(state) for state in (here, *others)],
                "serial": [asdict(port) for port in ports],
                "next": following,
            }
        )
    else:
        _print_state(here)
        _print_ports(ports)
        for state in others:
            _print_state(state)
        if install:
            print(f"\nTo install what is missing, on Debian:\n  sudo apt-get install {install}")
        print(f"\nThe tools with their versions: perfboard doctor --json\nNext: {following}")
    able = any(not (state.missing or state.problem) for state in (here, *others))
    return 0 if able else EnvironmentLacksError.exit_code


def _states() -> list[_State]:
    """The jobs; a tool's row stands at the first job that needs it."""
    shown: set[Tool] = set()
    states = [_probe_state()]
    for job in (SSH, *VIRTUAL, TLS):
        states.append(_job_state(job, [tool for tool in job.tools if tool not in shown]))
        shown |= set(job.tools)
    return states


def _probe_state() -> _State:
    job = "measure this machine"
    try:
        arch = architecture_of(platform.machine())
        return _State(job, [], "", [(f"the probe for {arch}", origin(arch))])
    except EnvironmentLacksError as error:
        return _State(job, [], str(error), [])


def _job_state(job: Purpose, new: Iterable[Tool]) -> _State:
    missing = [tool for tool in job.tools if tool.missing]
    rows, problem = [], ""
    emulators = {arch.emulator for arch in ARCHITECTURES}
    for tool in new:
        words = f"MISSING: package {tool.package}" if tool in missing else tool.version()
        if tool.name in emulators and tool not in missing:
            try:
                words = emulator_version(tool.name)
            except EnvironmentLacksError as error:
                words, problem = "will not do", str(error)
        rows.append((tool.name, words or "there"))
    packages = list(dict.fromkeys(tool.package for tool in missing))
    return _State(job.words, packages, problem, rows)


def _print_state(state: _State) -> None:
    words = state.problem or "ready"
    if count := len(state.missing):
        words = f"{count} package{'s' if count > 1 else ''} missing: {', '.join(state.missing)}"
    print(printable(textwrap.fill(f"To {state.job}: {words}", 80, break_on_hyphens=False)))
    # A job that can be done needs no rows of its tools.
    for name, about in state.rows if words != "ready" else ():
        print(printable(f"  {name:<{_NAME_WIDTH}} {about}"))


def _print_ports(ports: Iterable[Port]) -> None:
    ports = list(ports)
    usable = sum(not port.problem for port in ports)
    words = f"{usable} of {len(ports)} usable" if ports else "no line found; is it plugged in?"
    print(f"To measure a board on a serial line: {words}")
    for port in ports:
        row = f"  {port.path:<{_NAME_WIDTH}} {port.problem or 'ready'}"
        indent = " " * (_NAME_WIDTH + 3)
        print(printable(textwrap.fill(row, 80, subsequent_indent=indent, break_on_hyphens=False)))
