# SPDX-License-Identifier: Apache-2.0
"""The serial lines of this machine, and what keeps this user from each."""

import getpass
import grp
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from perfboard.targets.serial.holders import holders

_CLASS = Path("/sys/class/tty")
_DEVICES = Path("/dev")
# Source: Linux, include/uapi/linux/serial_core.h: PORT_UNKNOWN, a place without a UART.
_ABSENT = "0"


@dataclass(frozen=True)
class Port:
    """A serial line, by its path, and what keeps this user from it: empty if nothing does."""

    path: str
    problem: str


def serial_ports(
    known: Path = _CLASS,
    devices: Path = _DEVICES,
    allowed: Callable[[Path, int], bool] = os.access,
) -> list[Port]:
    """The lines that lead to a device, by name; `known` is as /sys/class/tty."""
    found = []
    for line in sorted(known.glob("*/device")):
        path = devices / line.parent.name
        if path.exists() and _text(line.parent / "type") != _ABSENT:
            found.append(Port(str(path), _problem(path, allowed)))
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _problem(path: Path, allowed: Callable[[Path, int], bool]) -> str:
    if not allowed(path, os.R_OK | os.W_OK):
        about = path.stat()
        group = _group(about.st_gid)
        if about.st_gid and about.st_mode & stat.S_IRGRP and about.st_mode & stat.S_IWGRP:
            return f"not yours to use: sudo adduser {getpass.getuser()} {group}, and log in again"
        return "not yours to use: its owner and root may"
    if others := holders(str(path)):
        return f"open in {' and '.join(others)}: end that first"
    return ""


def _group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
