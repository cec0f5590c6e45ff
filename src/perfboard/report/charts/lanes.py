# SPDX-License-Identifier: Apache-2.0
"""The waterfall of a boot: its lanes, their rows, and the bars on them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from perfboard.analysis.boot.phase_time import PhaseTime
from perfboard.analysis.boot.phases import cut_boot
from perfboard.model.results.boot import Boot, Span
from perfboard.model.units import format_between, format_value

OWN_ROWS = 10
"""How many of the longest initcalls and driver probes get a row each; the others share one."""


@dataclass(frozen=True)
class LaneBar:
    """A named stretch of time, in nanoseconds from reset.

    `kind` is phase, step (inside a phase), initcall or probe of a driver; `longest` says that
    no other of its kind takes longer.
    """

    name: str
    start_ns: int
    end_ns: int
    kind: str
    longest: bool = False

    @property
    def duration(self) -> str:
        """How long it takes, with its unit."""
        return format_value((self.end_ns - self.start_ns) / 1e9, "s")


@dataclass(frozen=True)
class Strip:
    """Bars on one line of the chart, labelled by a name and, where it is one bar, its duration."""

    name: str
    duration: str
    bars: tuple[LaneBar, ...]


@dataclass(frozen=True)
class Lane:
    """Rows that belong together: bootloader, kernel, user space."""

    title: str
    rows: tuple[Strip, ...]


def lanes(boot: Boot) -> tuple[Lane, ...]:
    """The lanes of a boot's chart: its phases, the steps inside them, and the recorded spans.

    Spans without a start, or outside of the phases, are absent; those that reach
    beyond the last phase end with it.
    """
    rows = cut_boot(boot)
    if not rows:
        return ()
    longest = {
        depth: max((row.duration_ns for row in rows if row.depth == depth), default=0)
        for depth in (0, 1)
    }
    grouped: dict[str, list[Strip]] = {"bootloader": [], "kernel": [], "user space": []}
    for row in rows:
        bar = LaneBar(
            name=step_name(row) if row.depth else f"{row.number} {row.title}".strip(),
            start_ns=min(row.start.t_ns, row.end.t_ns),
            end_ns=max(row.start.t_ns, row.end.t_ns),
            kind="step" if row.depth else "phase",
            longest=row.duration_ns == longest[row.depth],
        )
        took = bar.duration
        if row.between_ns is not None:
            least_ns, most_ns = row.between_ns
            took = format_between(least_ns / 1e9, most_ns / 1e9, "s")
        grouped[_lane_of(row)].append(Strip(bar.name, took, (bar,)))
    found = [Lane(title, tuple(rows)) for title, rows in grouped.items() if rows]
    bars = [bar for lane in found for row in lane.rows for bar in row.bars]
    start_ns, end_ns = min(bar.start_ns for bar in bars), max(bar.end_ns for bar in bars)
    kernels = [span for span in boot.spans if span.kind != "service"]
    if spans := _span_lane("initcalls, driver probes", kernels, start_ns, end_ns):
        after = sum(lane.title != "user space" for lane in found)
        found.insert(after, spans)
    services = [span for span in boot.spans if span.kind == "service"]
    if spans := _span_lane("services", services, start_ns, end_ns):
        found.append(spans)
    return (*found, *_core_lanes(boot, start_ns, end_ns))


def _core_lanes(boot: Boot, start_ns: int, end_ns: int) -> Iterator[Lane]:
    """A lane a core, with what it worked for."""
    for core in boot.cores:
        bars = tuple(
            LaneBar(
                f"core {core.core}: {stretch.process}",
                stretch.start_ns,
                min(stretch.start_ns + stretch.duration_ns, end_ns),
                "step",
            )
            for stretch in core.stretches
            if start_ns <= stretch.start_ns < end_ns
        )
        if bars:
            share = core.busy_ns / (end_ns - start_ns)
            yield Lane(f"core {core.core}: {share:.0%}", (Strip("", "", bars),))


def step_name(step: PhaseTime) -> str:
    """A step's name: an init script's is that of its file in /etc/init.d."""
    mark = step.start.name
    return mark.removeprefix("exec:") if mark.startswith("exec:") else step.title


def _lane_of(phase: PhaseTime) -> str:
    if phase.name.startswith(("boot.earlier", "boot.bootloader", "boot.delay", "boot.firmware")):
        return "bootloader"
    return "user space" if phase.name.startswith("boot.userspace") else "kernel"


def _span_lane(title: str, spans: Iterable[Span], start_ns: int, end_ns: int) -> Lane | None:
    bars = [
        LaneBar(
            span.name if span.most_ns is None else f"{span.name}, at most",
            span.start_ns,
            min(span.start_ns + (span.most_ns or span.duration_ns), end_ns),
            "step" if span.kind == "service" else span.kind,
        )
        for span in spans
        if span.start_ns is not None
        and start_ns <= span.start_ns < end_ns
        and span.duration_ns >= 0
    ]
    bars.sort(key=lambda bar: bar.start_ns - bar.end_ns)
    own = sorted(bars[:OWN_ROWS], key=lambda bar: bar.start_ns)
    rows = [Strip(bar.name, bar.duration, (bar,)) for bar in own]
    others = tuple(bars[OWN_ROWS:])
    if others:
        rows.append(Strip(f"{len(others):,} shorter ones", "", others))
    return Lane(title, tuple(rows)) if rows else None
