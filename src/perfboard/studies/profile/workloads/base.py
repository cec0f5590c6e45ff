# SPDX-License-Identifier: Apache-2.0
"""The protocol of a workload, and the words that a target's script prints for it."""

import importlib
import pkgutil
import re
import shlex
import signal
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Protocol

import perfboard.studies.profile.workloads
from perfboard.model.profile import Value
from perfboard.model.run import Metric
from perfboard.model.text import printable, signal_name

# A virtual board's disk.
DISK = "/dev/pbd"
_EXT4 = "mke2fs -q -t ext4 -E lazy_itable_init=0,lazy_journal_init=0"
_XFS = "mkfs.xfs -q -f -b size=4096"


@dataclass(frozen=True)
class Place:
    """The lines of a script that set $place, and what they want of a virtual board."""

    script: str
    packages: tuple[str, ...]
    features: tuple[str, ...]


def _new_system(make: str, kind: str, elsewhere: str = "") -> str:
    """The lines for a new file system on a virtual board's disk; `elsewhere` is for other targets.

    All of it is on the medium then, or the kernel would still write it while a workload is timed.
    """
    return f"""\
place=.
if [ -b {DISK} ]; then
    {make} {DISK} && mkdir disk && mount -t {kind} {DISK} disk && sync || exit 1
    place=disk
{elsewhere}fi
"""


# On other targets $place is the folder that the script starts in.
PLACE = Place(_new_system(_EXT4, "ext4"), ("e2fsprogs",), ("ext4",))
# That may be on any file system.
_LIVE_XFS = """\
elif [ "$(stat -f -c %T .)" != xfs ]; then
    echo "its folder is not on an XFS; set TMPDIR to one that is" >&2
    exit 1
"""
PLACES = {"own": PLACE, "xfs": Place(_new_system(_XFS, "xfs", _LIVE_XFS), ("xfsprogs",), ("xfs",))}
# An archive that the script unpacks in the folder `home`, unless that is there.
HOME = "home.tar"
# The certificate of the authority that vouches for pages.
AUTHORITY = "ca.crt"


class NotMeasurable(Exception):
    """The target does not have what the workload wants; the message says what."""


class WorkFailed(NotMeasurable):
    """The target has what it wants, and broke down under it; the message says how."""


@dataclass(frozen=True)
class Parameter:
    """A setting of a workload: its default, and its meaning with its unit."""

    default: Value
    help: str


@dataclass(frozen=True)
class Figure:
    """A metric of a workload: its unit, and its meaning."""

    unit: str
    help: str


@dataclass(frozen=True)
class Work:
    """The script of one workload, and its needs.

    `script` is for a POSIX shell, in a folder of its own that has `files`. It finds the probe as
    "$PROBE", and prints what `Workload.read` reads, and "@absent METRIC REASON" where the target
    does not let it measure one. `packages` and `features` are what a virtual
    board is given, less what fits the patterns of `without`; any other target has the `programs`,
    or the workload is not measurable there. `data` is how many bytes it writes. `display` puts the
    watcher of native/display beside the files, as "perfboard-display". `from_disk` puts
    the packages on a virtual board's disk. `screen` is the size of the display's screen: on a
    virtual board $SCOPE is "scope" then, and the output is what `shown.completed` makes of it.
    `pages` are files that the far end of a virtual board's network serves (images/network.py). If
    they are `secure`, over TLS, a live target gets them from this machine, at port $PORT of
    127.0.0.1, and the authority's certificate as AUTHORITY, which OpenSSL calls $CA.
    `toolkit` puts the program of one of `toolkits.TOOLKITS` beside the files, as `PROGRAM`.
    """

    script: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    codecs: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    data: int = 0
    limit_s: float = 600.0
    display: bool = False
    from_disk: bool = False
    screen: tuple[int, int] | None = None
    pages: Mapping[str, bytes] = field(default_factory=dict)
    secure: bool = False
    toolkit: str = ""


class Workload(Protocol):
    """Answers a key issue. A module of this folder or of a room has one or more, as WORKLOADS."""

    @property
    def name(self) -> str:
        """Its name in profiles."""

    @property
    def title(self) -> str:
        """The measured thing, in a few words."""

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Its settings, each with its default."""

    @property
    def metrics(self) -> Mapping[str, Figure]:
        """Its metrics by their names."""

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        """The user's own commands among the parameters, which run on the target."""

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """The work. It times each thing `repeats` times: once on a board that repeats."""

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """The metrics that the script's output gives. Raises NotMeasurable."""


@cache
def all_workloads() -> dict[str, Workload]:
    """The workloads by name: each module of this folder and its rooms has WORKLOADS."""
    folder = perfboard.studies.profile.workloads
    modules = (
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(folder.__path__, f"{folder.__name__}.")
    )
    found = [getattr(module, "WORKLOADS", ()) for module in modules]
    return {workload.name: workload for several in found for workload in several}


# The status of a shell for what a signal ended is this and the signal.
_SIGNAL = 128


@dataclass(frozen=True)
class Timed:
    """One run of a command, as native/probe/run/time.c prints it."""

    real_s: float
    busy_s: float
    resident_bytes: int
    status: int


_TIMED = re.compile(r"(\d{1,19}) (\d{1,19}) (\d{1,19}) (\d{1,19}) (\d{1,3}) \d{1,19}")
# Debian Policy, section 5.6.1.
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]{1,99}")
_REASON = 200
_HEAD = re.compile(r"@([a-z]+) (\S+)(?: (.*))?")


def timed(label: str, count: int, command: Sequence[str], output: str = "/dev/null") -> str:
    """A line of a script that times a command `count` times under that label."""
    words = shlex.join(command)
    return (
        f'rm -f times; "$PROBE" time times {count} {words} > {output}; '
        f"echo @time {shlex.quote(label)}; cat times\n"
    )


def check_ended(program: str, status: int, output: str = "") -> None:
    """Raises NotMeasurable for a program that failed, and WorkFailed if a signal ended it.

    `status` is as a shell has it, and `output` is its last lines.
    """
    words = f": {output}" if output else ""
    if status > _SIGNAL:
        killed = status - _SIGNAL == signal.SIGKILL
        why = ", as a kernel does when memory ends" if killed else ""
        raise WorkFailed(f"{signal_name(status - _SIGNAL)} ended {program}{why}{words}")
    if status:
        raise NotMeasurable(f"{program} ended with {status}{words}")


def ended_runs(output: str, label: str, program: str) -> list[Timed]:
    """The runs of a script's command. Raises NotMeasurable if there are none, or one failed."""
    runs = times_of(output).get(label, [])
    if not runs:
        raise NotMeasurable(f"{program} has not run")
    for run in runs:
        check_ended(program, run.status)
    return runs


def times_of(output: str) -> dict[str, list[Timed]]:
    """The times of a script's commands, by their labels."""
    found: dict[str, list[Timed]] = {}
    label = None
    for line in output.splitlines():
        if match := _HEAD.fullmatch(line):
            label = match[2] if match[1] == "time" else None
            if label is not None:
                found.setdefault(label, [])
        elif label is not None and (row := _TIMED.fullmatch(line)):
            real, user, system, resident, status = map(int, row.groups())
            found[label].append(Timed(real / 1e9, (user + system) / 1e6, resident * 1024, status))
    return found


def time_metrics(
    name: str,
    runs: Sequence[Timed],
    labels: Mapping[str, str] = MappingProxyType({}),
    units: int = 1,
) -> list[Metric]:
    """NAME.time of a command's runs, each for one of its `units`, and NAME.busy beside it."""
    times = tuple(run.real_s / units for run in runs)
    busy = tuple(min(1.0, run.busy_s / run.real_s) for run in runs)
    return [
        Metric(name=f"{name}.time", unit="s", labels=dict(labels), samples=times),
        Metric(name=f"{name}.busy", unit="1", labels=dict(labels), samples=busy),
    ]


def printed(output: str, name: str) -> str:
    """The text that the script printed as "@say NAME TEXT", or ""."""
    for line in output.splitlines():
        match = _HEAD.fullmatch(line)
        if match and match[1] == "say" and match[2] == name:
            return match[3] or ""
    return ""


def absences(output: str, names: Collection[str]) -> dict[str, str]:
    """The metrics among `names` that the script printed as "@absent NAME REASON", and why."""
    heads = (match for line in output.splitlines() if (match := _HEAD.fullmatch(line)))
    return {
        head[2]: printable((head[3] or "")[:_REASON])
        for head in heads
        if head[1] == "absent" and head[2] in names
    }


def text(parameters: Mapping[str, Value], name: str) -> str:
    """A parameter that is text. Raises NotMeasurable."""
    value = parameters[name]
    if not isinstance(value, str) or "\0" in value:
        raise NotMeasurable(f"{name} is {value!r}; wants text")
    return value


def packages(parameters: Mapping[str, Value]) -> tuple[str, ...]:
    """The Debian packages that the parameter `packages` names. Raises NotMeasurable."""
    names = text(parameters, "packages").split()
    for name in names:
        if not _PACKAGE.fullmatch(name):
            raise NotMeasurable(f"packages: {name!r} is no name of a Debian package")
    return tuple(names)


def whole(parameters: Mapping[str, Value], name: str, least: int = 1) -> int:
    """A parameter that is a whole number. Raises NotMeasurable."""
    value = parameters[name]
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise NotMeasurable(f"{name} is {value!r}; wants a whole number of at least {least}")
    return value
