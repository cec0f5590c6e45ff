# SPDX-License-Identifier: Apache-2.0
"""A session on a private display: the lines that the watcher obeys, and what it prints.

The watcher is native/display, whose plan.c has the words.
"""

import io
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Field

from perfboard.bench.display.home import ALIKE
from perfboard.bench.display.rows import ExitRow, TaskRow
from perfboard.bench.job import HOME, Job, NotMeasurable
from perfboard.measures.base import Measure, Parameter, Quantity, Setting
from perfboard.measures.display.applications.base import Application
from perfboard.measures.display.films import pictures_of
from perfboard.measures.memory.figures import memory_figures, memory_metric
from perfboard.model.blocks import Block, FilmBlock
from perfboard.model.rows import Count, RefusedRow, Row, Word, read_rows
from perfboard.model.run import Metric

WIDTH, HEIGHT = 1024, 768
QUIET = Parameter(
    "quiet_ms", 700, "ms without a pixel that differs, at a task's end; calibrations wait longer"
)
# A calibration is quiet for 5 s where a task is for 700 ms.
_CALIBRATION = 50 / 7
# The share of its samples that a figure needs.
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
_FONT = """\
if [ -z "$(find /usr/share/fonts /usr/local/share/fonts -name DejaVuSans.ttf 2> /dev/null)" ]; then
    "$PROBE" say refused what="the display" \\
        why="the target has no font DejaVu Sans; install fonts-dejavu-core there"
    exit 0
fi
"""
# Nothing of the user's own environment, and no home but this one. Mesa asks for the user's by
# /etc/passwd where no folder for caches is named.
_SCRIPT = """\
umask 077
{font}\
mkdir temporary && {{ [ -d home ] || {{ mkdir home && tar -C home -xf home.tar; }}; }} || exit 1
{prepare}env -i PATH="$PATH" HOME="$PWD/home" XDG_CACHE_HOME="$PWD/home/.cache" \\
TMPDIR="$PWD/temporary" LC_ALL=C.UTF-8 TZ=UTC \\
NO_AT_BRIDGE=1 GSETTINGS_BACKEND=memory DBUS_SESSION_BUS_ADDRESS=disabled: \\
./perfboard-display {width} {height} {how} < plan || {{
    status=$?
    tail -n 3 programs.log >&2
    [ $status -le 128 ] || "$PROBE" say refused what="the display" \\
        why="signal $((status - 128)) ended its watcher"; }}
"""
# The parameters that tell films apart.
_SHOWN = ("program", "other")
# Lines for examples: a task, `display_memory`, an exit.
TASK = (
    '{"row":"task","label":"%s","outcome":"%s","began_ns":1,"first_ns":10000000,'
    '"final_ns":20000000,"stable_ns":30000000,"look_ns":400000,"hash":"00ff","reason":""}\n'
)
MEMORY = """\
{"row":"memory","label":"start","of":"program","rss_kb":100,"vsz_kb":400,"pss_kb":80,\
"uss_kb":60}
{"row":"memory","label":"start","of":"system","free_kb":900}
"""
EXIT = '{"row":"exit","label":"exit","outcome":"ok","took_ns":2000000,"reason":""}\n'


class _SizesRow(Row):
    row: Literal["memory"]
    label: Word
    of: Literal["program", "server", "system"]
    rss_kb: Count | None = None
    # Old kernels tell neither of the next two.
    pss_kb: Count | None = None
    uss_kb: Count | None = None
    vsz_kb: Count | None = None
    free_kb: Count | None = None

    def in_bytes(self) -> dict[str, float]:
        sizes = self.model_dump(exclude={"row", "label", "of"}, exclude_none=True)
        return {name.removesuffix("_kb"): size * 1024.0 for name, size in sizes.items()}


class _WatcherRow(Row):
    row: Literal["watcher"]
    busy_ns: Count
    of_ns: Annotated[Count, Field(gt=0)]


@dataclass(frozen=True)
class DisplaySession:
    """The watcher's findings, by the labels of the plan's tasks.

    `refused` has the reasons of samples that do not count; `memory` is in bytes, by the label and
    "program", "server" or "system", and by the ends of its metrics' names. `tried` are the tasks
    that made a reference picture. `watcher` is the watcher's share of the processor;
    None where it did not come to its end.
    """

    seen: Mapping[str, Sequence[TaskRow]]
    tried: Mapping[str, Sequence[TaskRow]]
    exits: Mapping[str, Sequence[float]]
    memory: Mapping[tuple[str, str], Sequence[Mapping[str, float]]]
    refused: Mapping[str, Sequence[str]]
    watcher: float | None


def session(
    applications: Sequence[Application],
    plan: Iterable[str],
    files: Mapping[str, bytes] = MappingProxyType({}),
    prepare: str = "",
    framebuffer: tuple[int, int] | None = None,
) -> Job:
    """The job of a plan with those programs, in a home of their own that also has `files`.

    `prepare` are lines of the script that are run before, where the folder `home` is. The programs
    draw to X, or to a `framebuffer` of that size.
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
    how = "framebuffer" if framebuffer else f"${{SCOPE:-{alone}}}"
    width, height = screen = framebuffer or (WIDTH, HEIGHT)
    packages, programs, font = ((), (), "") if framebuffer else (_PACKAGES, _PROGRAMS, _FONT)
    # Without X nothing may pull in what is left out of it, and to omit that is an error then.
    without = () if framebuffer else _WITHOUT
    return Job(
        _SCRIPT.format(font=font, width=width, height=height, prepare=prepare, how=how),
        {HOME: home, "plan": "".join(f"{line}\n" for line in lines).encode()},
        packages=(*packages, *(name for one in applications for name in one.packages)),
        without=without,
        programs=(*programs, *(one.program for one in applications)),
        # The home, the server's screen, and what programs keep.
        disk=len(home) + (32 << 20),
        limit_s=15 * patience,
        display=True,
        from_disk=True,
        screen=screen,
        framebuffer=framebuffer is not None,
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
    seen: dict[str, list[TaskRow]] = {}
    tried: dict[str, list[TaskRow]] = {}
    exits: dict[str, list[float]] = {}
    memory: dict[tuple[str, str], list[Mapping[str, float]]] = {}
    refused: dict[str, list[str]] = {}
    watcher = None
    for row in read_rows(output, RefusedRow, TaskRow, ExitRow, _SizesRow, _WatcherRow):
        match row:
            case RefusedRow(what="the display"):
                raise NotMeasurable(f"{row.what}: {row.why[:200]}")
            case TaskRow(outcome="refused") | ExitRow(outcome="refused"):
                refused.setdefault(row.label, []).append(row.reason)
            case TaskRow():
                found = seen if row.outcome == "ok" else tried
                found.setdefault(row.label, []).append(row)
            case ExitRow():
                exits.setdefault(row.label, []).append(row.took_ns / 1e9)
            case _SizesRow():
                memory.setdefault((row.label, row.of), []).append(row.in_bytes())
            case _WatcherRow():
                watcher = row.busy_ns / row.of_ns
    return DisplaySession(seen, tried, exits, memory, refused, watcher)


def accepted(found: DisplaySession, label: str, count: int) -> Sequence[TaskRow]:
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
        memory_metric(
            name,
            short,
            {} if of == "system" else {"of": of},
            [row[short] for row in rows if short in row],
        )
        for (_, of), rows in found.memory.items()
        for short in dict.fromkeys(short for row in rows for short in row)
    ]


def example_memory(name: str) -> dict[str, float]:
    """The figures that `MEMORY` gives."""
    sizes = {"rss": 100, "pss": 80, "uss": 60, "vsz": 400, "free": 900}
    return {f"{name}.{short}": size * 1024 for short, size in sizes.items()}


class DisplayMeasure(Measure):
    """A measure by a session, whose watcher prints what the screen showed."""

    labels: Mapping[str, Sequence[str]] = MappingProxyType({"of": ("program", "server")})

    def blocks(self, output: str, setting: Setting) -> tuple[Block, ...]:
        given = {**setting.parameters}
        if command := given.get("command"):
            given["program"] = command
        shown = (str(given[key]) for key in _SHOWN if key in given)
        programs = "".join(f", {program}" for program in shown)
        # Each hash is of the screen at the end of a task's first accepted sample.
        hashes: dict[str, str] = {}
        for task in read_rows(output, TaskRow):
            if task.outcome == "ok":
                hashes.setdefault(task.label, task.hash)
        return tuple(
            FilmBlock(
                title=f"{self.name}: {label}{programs}",
                pictures=pictures,
                hash=hashes.get(label, ""),
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
