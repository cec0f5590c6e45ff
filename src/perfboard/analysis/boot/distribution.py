# SPDX-License-Identifier: Apache-2.0
"""A distribution's boot in the parts that each has: kernel, root, udev, services, prompt.

They follow each other without a gap. systemd starts programs side by side: there, a part lasts from
its first unit's start to its last one's end. Others run meanwhile.
"""

from itertools import pairwise

from perfboard.analysis.boot.phases import cut_phases
from perfboard.analysis.boot.reading.services import REACHED, STEP
from perfboard.model.results.boot import Boot

_UDEV = "udev"
# Each is reached when the services are up: the system's own, or else the last script's start.
_UP = (f"{REACHED}multi-user", f"{REACHED}graphical")
_NAMES = {
    "boot.bootloader": "bootloader",
    "boot.delay": "bootloader",
    "boot.kernel.load": "kernel",
    "boot.kernel.init": "kernel",
    "boot.root.mount": "root device",
}


def distribution_parts(boot: Boot) -> dict[str, int]:
    """The nanoseconds of each part by its name, in their order; {} for a boot without its end."""
    parts: dict[str, int] = {}

    def add(name: str, ns: int) -> None:
        if ns > 0:
            parts[name] = parts.get(name, 0) + ns

    started, usable = boot.mark("init.exec"), boot.mark("usable")
    if started is None or usable is None:
        return {}
    for phase in cut_phases(boot):
        if phase.end.t_ns <= started.t_ns:
            first = phase.parts[0].name if phase.parts else phase.name
            add(_NAMES.get(first, phase.title), phase.duration_ns)
    at = started.t_ns
    if found := _udev(boot):
        add("until udev starts", found[0] - at)
        add("udev", found[1] - max(found[0], at))
        at = found[1]
    up = max((m.t_ns for m in boot.marks if m.name in _UP), default=_last_step(boot) or at)
    up = min(max(up, at), usable.t_ns)
    add("services", up - at)
    add("prompt", usable.t_ns - up)
    return parts


def _udev(boot: Boot) -> tuple[int, int] | None:
    """When udev begins and ends."""
    spans = [s for s in boot.spans if s.kind == "service" and _UDEV in s.name]
    known = [(s.start_ns, s.start_ns + s.duration_ns) for s in spans if s.start_ns is not None]
    if known:
        return min(start for start, _ in known), max(end for _, end in known)
    steps = _steps(boot)
    for (name, start), (_, end) in pairwise(steps):
        if name == f"{STEP}{_UDEV}":
            return start, end
    return None


def _steps(boot: Boot) -> list[tuple[str, int]]:
    return [(mark.name, mark.t_ns) for mark in boot.marks if mark.name.startswith(STEP)]


def _last_step(boot: Boot) -> int | None:
    return max((t_ns for _, t_ns in _steps(boot)), default=None)
