# SPDX-License-Identifier: Apache-2.0
"""Lines of service managers and initramfs: systemd, OpenRC, procd, busybox, Debian, Yocto."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from perfboard.model.results.boot import Mark, Span

STEP = "step:"
"""The prefix of a mark at which a step begins, which is named after it."""
REACHED = "reached:"
"""The prefix of a mark with which a step ends."""

_MOST = 2000
_LONGEST_NAME = 60
# Each line below has one of these.
_HINTS = ("[", "...", "systemd[1]: ", " - ", "starting pid ", "DEBUG: Running ")
_BEGIN = r"(?:Starting|Mounting|Activating swap|Setting up automount)"
_END = r"(?:Started|Finished|Mounted|Activated swap|Set up automount|Failed to start)"
_TARGET = r"Reached target"
_STATUS = re.compile(
    rf"\A\[ {{0,3}}[A-Z]{{2,8}} {{0,3}}\] (?:(?P<target>{_TARGET})|{_END}) (?P<name>.{{1,200}})"
)
_STARTING = re.compile(rf"\A {{6,12}}{_BEGIN} (?P<name>.{{1,200}}?)\.\.\.\s*\Z")
_KMSG = re.compile(
    rf"\Asystemd\[1\]: (?:(?P<begin>{_BEGIN})|(?P<target>{_TARGET})|{_END}) (?P<name>.{{1,200}})"
)
_OPENRC = re.compile(r"\A ?\* (?P<name>\S[^.]{0,80}?) ?\.\.\.(?:\s|\Z)")
_PROCD = re.compile(r"\A(?:procd|init): - (?P<name>[a-z][a-z ]{0,30}) -")
# busybox's init, the scripts of Debian's initramfs, and the modules of Yocto's (with `debug`).
_BUSYBOX = re.compile(
    r"\A(?:init: )?starting pid [0-9]{1,7}, tty '[^']{0,40}': '(?P<name>[^']{1,80})'"
)
_INITRAMFS = re.compile(
    r"\A(?:(?P<first>Loading, please wait)\.\.\.|Begin: (?P<name>\S[^.]{0,60}?) ?\.\.\.)"
)
_YOCTO = re.compile(r"\ADEBUG: Running (?P<name>\w{1,40}?)_run\s*\Z")
_SWITCHING = re.compile(
    r"\A(?:(?:systemd\[1\]: )?Switching root\.|Switching root to '[^']{1,80}'\.)"
)
_SWITCHED = "initramfs"
_SYSTEMD = re.compile(r"\Asystemd\[1\]: systemd \S{1,40} running in system mode")
_BEGAN, _INITIAL = "systemd", f"{STEP}initramfs "
# Targets that follow each other in any boot; others come in any order.
_TARGETS = {
    "sysinit.target": "sysinit",
    "System Initialization": "sysinit",
    "basic.target": "basic",
    "Basic System": "basic",
    "multi-user.target": "multi-user",
    "Multi-User System": "multi-user",
    "graphical.target": "graphical",
    "Graphical Interface": "graphical",
}


class Service(NamedTuple):
    """A line's meaning: a `step` begins, a target is reached, a service begins or ends."""

    kind: Literal["step", "reached", "begin", "end"]
    name: str


def service_of(text: str) -> Service | None:
    """The meaning of a program's line, or of a record's message, as a person reads it."""
    if not any(hint in text for hint in _HINTS):
        return None
    if match := _PROCD.match(text):
        return Service("step", f"procd {match['name'].strip()}")
    if match := _OPENRC.match(text):
        return Service("step", match["name"].strip()[:_LONGEST_NAME])
    if match := _BUSYBOX.match(text):
        return Service("step", f"init {match['name'].strip().rpartition('/')[2] or 'line'}")
    if match := _INITRAMFS.match(text):
        return Service("step", f"initramfs {match['name'] or 'start'}")
    if match := _YOCTO.match(text):
        return Service("step", f"initramfs {match['name']}")
    if _SYSTEMD.match(text):
        return Service("step", _BEGAN)
    if _SWITCHING.match(text):
        return Service("reached", _SWITCHED)
    if match := _STARTING.match(text):
        return Service("begin", _unit(match["name"]))
    match = _STATUS.match(text) or _KMSG.match(text)
    if match is None:
        return None
    name = _unit(match["name"])
    if match["target"]:
        return Service("reached", _TARGETS[name]) if name in _TARGETS else None
    return Service("begin" if match.groupdict().get("begin") else "end", name)


def _unit(words: str) -> str:
    """A unit's name, or its description if systemd does not print that."""
    return words.partition(" - ")[0].strip().rstrip(".")[:_LONGEST_NAME]


class Sightings:
    """The services of a log, each with its mark: the first few thousand."""

    def __init__(self) -> None:
        self.found: list[tuple[Service, Mark]] = []

    def add(self, service: Service, mark: Mark) -> None:
        """The next one."""
        if len(self.found) < _MOST:
            self.found.append((service, mark))


def step_marks(services: Iterable[tuple[Service, Mark]]) -> Iterator[Mark]:
    """The marks of steps, each name once: a log may have a line in a record too.

    systemd in an initramfs reaches targets of the same names before it switches to the root: these
    are part of the initramfs.
    """
    found = [*services]
    switched = [i for i, (service, _) in enumerate(found) if service == ("reached", _SWITCHED)]
    names: set[str] = set()
    for place, (service, mark) in enumerate(found):
        if switched and place < switched[-1] and service.kind == "reached":
            continue
        # Without an initramfs before it, systemd's start is that of user space.
        if service == ("step", _BEGAN) and not any(name.startswith(_INITIAL) for name in names):
            continue
        prefix = {"step": STEP, "reached": REACHED}.get(service.kind)
        if prefix and (name := prefix + service.name) not in names:
            names.add(name)
            yield mark.model_copy(update={"name": name})


def service_spans(services: Iterable[tuple[Service, Mark]], last_ns: int) -> tuple[Span, ...]:
    """Services that ended by `last_ns`, from the line that they start to the line that they did.

    systemd starts many at once, so these overlap. A service whose lines are only bounded lasted at
    most from the earliest start to the latest end; one without a latest end is left out.
    """
    begun: dict[str, Mark] = {}
    spans: dict[str, Span] = {}
    for service, mark in services:
        if service.kind == "begin":
            begun.setdefault(service.name, mark)
        elif service.kind == "end" and service.name in begun and service.name not in spans:
            start, end_ns = begun[service.name], mark.latest_ns
            if not start.t_ns <= mark.t_ns <= last_ns or end_ns is None or start.latest_ns is None:
                continue
            bounded = start.bounded or mark.bounded
            least_ns = mark.t_ns - start.t_ns
            if bounded:
                least_ns = max(0, mark.earliest_ns - start.latest_ns)
            spans[service.name] = Span(
                kind="service",
                name=service.name,
                start_ns=start.t_ns,
                duration_ns=least_ns,
                returned=0,
                **({"most_ns": end_ns - start.earliest_ns} if bounded else {}),
            )
    return tuple(spans.values())
