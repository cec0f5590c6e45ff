# SPDX-License-Identifier: Apache-2.0
"""A session on a private display: the lines that the watcher obeys, and what it prints.

The watcher is native/display, whose plan.c has the words.
"""

import io
import re
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from perfboard.bench.display.home import ALIKE
from perfboard.bench.job import HOME, Job, NotMeasurable
from perfboard.measures.base import Measure, Parameter, Quantity, Setting
from perfboard.measures.display.applications.base import Application
from perfboard.measures.display.films import pictures_of
from perfboard.measures.memory.figures import memory_figures, memory_metric
from perfboard.model.blocks import Block, FilmBlock
from perfboard.model.run import Metric
from perfboard.model.text import printable

WIDTH, HEIGHT = 1024, 768
QUIET = Parameter(
    "quiet_ms", 700, "ms without a pixel that differs, at a task's end; calibrations wait longer"
)
# A calibration is quiet for 5 s where a task is for 700 ms.
_CALIBRATION = 50 / 7
# The share of its samples that a figure wants.
ACCEPTED = 0.9
# As many as it tries before it gives that up.
CALIBRATIONS = 6
_NOT_ALIKE = "no three of its pictures in succession are alike"
_PACKAGES = ("xvfb", "matchbox-window-manager", "fonts-dejavu-core")
# The server draws without OpenGL (-extension GLX): Mesa and LLVM are half of what it would pull in.
_WITHOUT = ("libgl1-mesa-dri", "libglx-mesa0", "libllvm*", "libz3-4", "libdrm*")
_PROGRAMS = ("Xvfb", "matchbox-window-manager", "tar", "find")
# A caret that blinks never settles.
_HOME = {
    ".gtkrc-2.0": "gtk-cursor-blink = 0\n",
    ".config/gtk-3.0/settings.ini": "[Settings]\ngtk-cursor-blink=0\ngtk-enable-animations=0\n",
}
# Nothing of the user's own environment, and no home but this one. Mesa asks for the user's by
# /etc/passwd where no folder for caches is named.
_SCRIPT = """\
umask 077
if [ -z "$(find /usr/share/fonts /usr/local/share/fonts -name DejaVuSans.ttf 2> /dev/null)" ]; then
    echo "@trouble the target has no font DejaVu Sans; install fonts-dejavu-core there"
    exit 0
fi
mkdir temporary && {{ [ -d home ] || {{ mkdir home && tar -C home -xf home.tar; }}; }} || exit 1
{prepare}env -i PATH="$PATH" HOME="$PWD/home" XDG_CACHE_HOME="$PWD/home/.cache" \\
TMPDIR="$PWD/temporary" LC_ALL=C.UTF-8 TZ=UTC \\
NO_AT_BRIDGE=1 GSETTINGS_BACKEND=memory DBUS_SESSION_BUS_ADDRESS=disabled: \\
./perfboard-display {width} {height} ${{SCOPE:-{alone}}} < plan || tail -n 3 programs.log >&2
"""
_TASK = re.compile(
    r"@task (\S+) (ok|refused|calibration) began=\d{1,19} first=(\d{1,19}) final=(\d{1,19}) "
    r"stable=(\d{1,19}) look=(\d{1,19}) hash=(\w{1,16}) (.*)"
)
_EXIT = re.compile(r"@exit (\S+) (ok|refused) took=(\d{1,19}) (.*)")
_MEMORY = re.compile(r"@memory (\S+) (program|server|system) ((?:[a-z]+=\d{1,15} ?)+)")
_WATCHER = re.compile(r"@watcher busy=(\d{1,19}) of=([1-9]\d{0,18})")
_SIZES = {
    "resident": "rss",
    "proportional": "pss",
    "own": "uss",
    "virtual": "vsz",
    "free": "free",
}
_TROUBLE = re.compile(r"@trouble (.+)")
# The parameters that tell films apart.
_SHOWN = ("program", "other")
# Lines for examples: a task, `display_memory`, an exit.
TASK = "@task %s %s began=1 first=10000000 final=20000000 stable=30000000 look=400000 hash=00ff \n"
MEMORY = """\
@memory start program resident=100 virtual=400 proportional=80 own=60
@memory start system free=900
"""
EXIT = "@exit exit ok took=2000000 \n"


@dataclass(frozen=True)
class TaskTimes:
    """One task of a program; times in s since it began, `look` the longest look at the screen.

    `picture` is a hash of the screen at its end.
    """

    first: float
    final: float
    stable: float
    look: float
    picture: str


@dataclass(frozen=True)
class DisplaySession:
    """The watcher's findings, by the labels of the plan's tasks.

    `refused` has the reasons of samples that do not count; `memory` is in bytes, by the label
    and "program", "server" or "system". `tried` are the tasks that made a reference picture.
    `watcher` is the watcher's share of the processor; None where it did not come to its end.
    """

    seen: Mapping[str, Sequence[TaskTimes]]
    tried: Mapping[str, Sequence[TaskTimes]]
    exits: Mapping[str, Sequence[float]]
    memory: Mapping[tuple[str, str], Sequence[Mapping[str, float]]]
    refused: Mapping[str, Sequence[str]]
    watcher: float | None


def session(
    applications: Sequence[Application],
    plan: Iterable[str],
    files: Mapping[str, bytes] = MappingProxyType({}),
    prepare: str = "",
) -> Job:
    """The job of a plan with those programs, in a home of their own that also has `files`.

    `prepare` are lines of the script that are run before, where the folder `home` is.
    """
    texts = dict(_HOME)
    for application in applications:
        texts |= application.home
    home = _archive({**{name: text.encode() for name, text in texts.items()}, **files})
    masks = [f"mask {' '.join(map(str, mask))}" for one in applications for mask in one.masks]
    patience = max((one.patience_s for one in applications), default=60)
    prepare = "".join(f"{one.prepare}\n" for one in applications if one.prepare) + prepare
    lines = [*masks, f"limit {patience * 1000}", *plan]
    # The pages of another server than the watcher's come from outside.
    alone = "" if any(line.startswith("server ") for line in lines) else "alone"
    return Job(
        _SCRIPT.format(width=WIDTH, height=HEIGHT, prepare=prepare, alone=alone),
        {HOME: home, "plan": "".join(f"{line}\n" for line in lines).encode()},
        packages=(*_PACKAGES, *(name for one in applications for name in one.packages)),
        without=_WITHOUT,
        programs=(*_PROGRAMS, *(one.program for one in applications)),
        # The home, the server's screen, and what programs keep.
        disk=len(home) + (32 << 20),
        limit_s=15 * patience,
        display=True,
        from_disk=True,
        screen=(WIDTH, HEIGHT),
    )


def quiet(setting: Setting) -> str:
    """The line that sets the quiet times. Raises NotMeasurable."""
    quiet_ms = setting.whole("quiet_ms")
    return f"quiet {quiet_ms} {round(quiet_ms * _CALIBRATION)}"


def calibrated(reference: str, begin: str, pictures: int = ALIKE) -> list[str]:
    """The lines that make a reference picture of what `begin` starts, and that then want it.

    As many `pictures` in succession have to be alike.
    """
    count = "" if pictures == ALIKE else f" {pictures}"
    # A line with "?" is left out once the picture is known: its end never is.
    return [f"reference {reference}{count}", *(f"?{begin}", "end") * CALIBRATIONS]


def read_session(output: str) -> DisplaySession:
    """The watcher's findings. Raises NotMeasurable where it could not do its work."""
    seen: dict[str, list[TaskTimes]] = {}
    tried: dict[str, list[TaskTimes]] = {}
    exits: dict[str, list[float]] = {}
    memory: dict[tuple[str, str], list[Mapping[str, float]]] = {}
    refused: dict[str, list[str]] = {}
    watcher = None
    for line in output.splitlines():
        if match := _TROUBLE.fullmatch(line):
            raise NotMeasurable(f"the display: {printable(match[1][:200])}")
        if match := _TASK.fullmatch(line):
            first, final, stable, look = (int(match[n]) / 1e9 for n in range(3, 7))
            if match[2] == "refused":
                refused.setdefault(match[1], []).append(printable(match[8]))
            else:
                found = seen if match[2] == "ok" else tried
                found.setdefault(match[1], []).append(
                    TaskTimes(first, final, stable, look, match[7])
                )
        elif match := _WATCHER.fullmatch(line):
            watcher = int(match[1]) / int(match[2])
        elif match := _EXIT.fullmatch(line):
            if match[2] == "ok":
                exits.setdefault(match[1], []).append(int(match[3]) / 1e9)
            else:
                refused.setdefault(match[1], []).append(printable(match[4]))
        elif match := _MEMORY.fullmatch(line):
            sizes = (part.split("=") for part in match[3].split())
            row = {name: float(size) * 1024 for name, size in sizes}
            memory.setdefault((match[1], match[2]), []).append(row)
    return DisplaySession(seen, tried, exits, memory, refused, watcher)


def picture_hash(output: str, label: str) -> str:
    """The hash of the screen at the end of a task's first accepted sample; "" if there is none."""
    tasks = (match for line in output.splitlines() if (match := _TASK.fullmatch(line)))
    return next((task[7] for task in tasks if (task[1], task[2]) == (label, "ok")), "")


def accepted(found: DisplaySession, label: str, count: int) -> Sequence[TaskTimes]:
    """The samples of a task. Raises NotMeasurable where less than nine of ten were accepted."""
    samples, reasons = found.seen.get(label, ()), found.refused.get(label, ())
    if len(samples) < ACCEPTED * count or not samples:
        why = next((r for rs in (reasons, *found.refused.values()) for r in rs), "")
        if not samples and not reasons:
            raise NotMeasurable(f"there is no picture to compare with: {why or _NOT_ALIKE}")
        raise NotMeasurable(f"{len(samples)} of {count} samples were accepted: {why or _NOT_ALIKE}")
    return samples


def display_memory(name: str, when: str) -> tuple[Quantity, ...]:
    """The metrics of `memory_metrics`, which are taken `when`."""
    return memory_figures(name, f"{when}; but for free, label of (program, server)")


def memory_metrics(name: str, found: DisplaySession) -> list[Metric]:
    """NAME.rss, .pss, .uss and .vsz by the label `of`, and NAME.free of the whole system."""
    return [
        memory_metric(name, short, {} if of == "system" else {"of": of}, sizes)
        for (_, of), rows in found.memory.items()
        for key, short in _SIZES.items()
        if (sizes := tuple(row[key] for row in rows if key in row))
    ]


def example_memory(name: str) -> dict[str, float]:
    """The figures that `MEMORY` gives."""
    sizes = {"rss": 100, "pss": 80, "uss": 60, "vsz": 400, "free": 900}
    return {f"{name}.{short}": size * 1024 for short, size in sizes.items()}


class DisplayMeasure(Measure):
    """A measure by a session, whose watcher prints what the screen showed."""

    def blocks(self, output: str, setting: Setting) -> tuple[Block, ...]:
        shown = (str(setting.parameters[key]) for key in _SHOWN if key in setting.parameters)
        programs = "".join(f", {program}" for program in shown)
        return tuple(
            FilmBlock(
                title=f"{self.name}: {label}{programs}",
                pictures=pictures,
                hash=picture_hash(output, label),
            )
            for label, pictures in pictures_of(output).items()
        )


def _archive(files: Mapping[str, bytes]) -> bytes:
    """A tar archive, the same bytes everywhere."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as file:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o600
            file.addfile(entry, io.BytesIO(content))
    return data.getvalue()
