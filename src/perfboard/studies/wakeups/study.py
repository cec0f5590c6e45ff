# SPDX-License-Identifier: Apache-2.0
"""How often an audio writer has to wake, what waking less often saves, and what it risks."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from perfboard.analysis.wakeups.advice import PUBLISHED, advise, by_mode
from perfboard.analysis.wakeups.reading import read_playbacks
from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.options import option, parse_count
from perfboard.model.progress import Step
from perfboard.model.results.wakeups import Playback, WakeupsResult
from perfboard.model.run import Metric, Run, Unit
from perfboard.store.recording import Found, Recording
from perfboard.studies.base import Request
from perfboard.studies.lab import Lab
from perfboard.studies.profile.bench import Bench, LiveBench, VirtualBench
from perfboard.studies.profile.workloads.base import NotMeasurable, Work

_LOADS = ("idle", "copy", "burst12", "burst25")
_WAYS = ("sink", "alsa", "timer", "slack")
_FEATURE = "wake"
# As in study F: 44.1 kHz, 16 bits, two channels.
_RATE = 44_100 * 4
# On a virtual board the adaptive level has to have risen; a live target is not to be kept busy.
_VIRTUAL_PERIODS, _LIVE_PERIODS = 3000, 500
# On a virtual board the others take minutes, and say what these do.
_VIRTUAL_WAYS = ("sink", "alsa")
_LIVE_ROUNDS = 3


def _parse_levels(words: Sequence[str]) -> tuple[int, ...]:
    number = parse_count("buffers", 0, 62)
    return tuple(sorted({number(word) for word in words}))


def _parse_among(known: Sequence[str], what: str, words: Sequence[str]) -> tuple[str, ...]:
    for word in words:
        if word not in known:
            raise ValueError(f'"{word}" is no {what}: they are {", ".join(known)}')
    return tuple(dict.fromkeys(words))


@dataclass(frozen=True)
class WakeupsOptions:
    """The options of `perfboard study wakeups`."""

    level: tuple[int, ...] = option(
        (0, 3, 6),
        "measure this trigger level: the writer sleeps until one more buffer than it has been "
        "played; repeatable (default: 0, 3 and 6)",
        parse=_parse_levels,
        metavar="L",
        repeated=True,
    )
    load: tuple[str, ...] = option(
        _LOADS,
        "measure under this load: idle, copy, burst12, burst25; repeatable (default: all)",
        parse=lambda words: _parse_among(_LOADS, "load", words),
        metavar="LOAD",
        repeated=True,
    )
    way: tuple[str, ...] = option(
        (),
        "play this way: sink (Perfboard's driver), alsa, timer, slack; repeatable (default: all; "
        "on a virtual board sink and alsa)",
        parse=lambda words: _parse_among(_WAYS, "way", words),
        metavar="WAY",
        repeated=True,
    )
    periods: int = option(
        0,
        "buffers that are played each time (default: 3000 on a virtual board, 500 elsewhere)",
        parse=parse_count("buffers", 100, 10_000_000),
        metavar="N",
    )
    buffers: int = option(
        8, "the number of buffers (default: 8)", parse=parse_count("buffers", 2, 64), metavar="N"
    )
    buffer_bytes: int = option(
        1024,
        "the size of a buffer of 44.1 kHz, 16 bits, two channels (default: 1024)",
        parse=parse_count("bytes", 64, 65536),
        metavar="BYTES",
    )


@dataclass(frozen=True)
class WakeupsStudy:
    """Plays in all ways, at all levels and under all loads that are asked for."""

    name: str = "wakeups"
    title: str = "Waking less often"
    question: str = "How often has an audio writer to wake?"
    options: type[WakeupsOptions] = WakeupsOptions
    targets: tuple[str, ...] = ()
    default_target: str = "local"
    headline: str = "wakeups.switches"
    factors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def run(self, request: Request, options: WakeupsOptions, lab: Lab) -> Run:
        """See `studies.base.Study`."""
        for level in options.level:
            if level > options.buffers - 2:
                raise UsageError(
                    f"--level {level}: {options.buffers} buffers have levels from 0 to "
                    f"{options.buffers - 2}; give less, or more --buffers"
                )
        playbacks: list[Playback] = []
        with (
            lab.record(self.name, request.place, request.command, self.headline) as record,
            _bench(request, lab, record) as (bench, rounds),
        ):
            virtual = request.target.startswith("virtual:")
            plan = _Plan(
                options,
                options.way or (_VIRTUAL_WAYS if virtual else _WAYS),
                options.periods or (_VIRTUAL_PERIODS if virtual else _LIVE_PERIODS),
            )
            with record.begin(lambda: _found(plan, playbacks, bench)):
                _measure(plan, rounds, bench, playbacks, lab)
        return record.run


@dataclass(frozen=True)
class _Plan:
    """The playbacks of one load: ways and length."""

    options: WakeupsOptions
    ways: tuple[str, ...]
    periods: int

    @property
    def period_ns(self) -> int:
        """How long a buffer plays."""
        return self.options.buffer_bytes * 10**9 // _RATE

    @property
    def playback_s(self) -> float:
        """The time of one playback."""
        return self.periods * self.period_ns / 1e9

    def modes(self) -> list[tuple[str, str]]:
        """The ways, each with its levels."""
        modes = [("none", "0")]
        for way in self.ways:
            modes += [(way, str(level)) for level in self.options.level]
            if way == "sink":
                modes.append((way, "adaptive"))
        return modes

    def work(self, load: str) -> Work:
        """All of them once, under a load."""
        shape = f"{self.options.buffers} {self.options.buffer_bytes} {self.period_ns}"
        lines = (
            f'"$PROBE" wakeups {way} {level} {self.periods} {load} {shape} || exit 1\n'
            for way, level in self.modes()
        )
        limit = 60 + 3 * self.playback_s * len(self.modes())
        return Work("".join(lines), features=(_FEATURE,), data=1 << 19, limit_s=limit)


@contextmanager
def _bench(request: Request, lab: Lab, record: Recording) -> Iterator[tuple[Bench, int]]:
    """The target, and how often each thing is measured there."""
    artifacts = record.folder.artifact_path("console.log").parent
    if request.target.startswith("virtual:"):
        variant = choose(load_board(request.target.partition(":")[2]), request.factors)
        yield VirtualBench(variant, lab, artifacts, (_FEATURE,)), 1
        return
    with lab.open(request.target, lab.progress, artifacts, request.factors) as target:
        yield LiveBench(target, request.subject_of(target), lab), _LIVE_ROUNDS


def _measure(plan: _Plan, rounds: int, bench: Bench, playbacks: list[Playback], lab: Lab) -> None:
    loads = [(number, load) for number in range(rounds) for load in plan.options.load]
    each_s = plan.playback_s * len(plan.modes())
    with lab.progress.step("playing", each_s * len(loads)) as step:
        for done, (number, load) in enumerate(loads):
            played = _play(plan, f"{load}-{number}", load, bench, done * each_s, step)
            playbacks += played


def _play(
    plan: _Plan, name: str, load: str, bench: Bench, before_s: float, step: Step
) -> list[Playback]:
    step.update(before_s, load)

    def notify(now_s: float) -> None:
        # The first moments give no rate.
        if now_s > 1:
            step.update(before_s + now_s, load)

    try:
        output = bench.run(name, plan.work(load), notify)
    except NotMeasurable as error:
        raise TargetError("wakeups", f"Under the load {load}: {error}") from error
    return read_playbacks(output)


def _found(plan: _Plan, playbacks: Sequence[Playback], bench: Bench) -> Found:
    options = plan.options
    way, level, because = advise(playbacks, options.buffers, plan.period_ns)
    result = WakeupsResult(
        buffers=options.buffers,
        buffer_bytes=options.buffer_bytes,
        period_ns=plan.period_ns,
        periods=plan.periods,
        playbacks=tuple(playbacks),
        advised_way=way,
        advised=level,
        because=because,
        published=PUBLISHED,
    )
    return Found(
        bench.subject(),
        metrics=tuple(_metrics(playbacks)),
        results=(result,),
        notes=bench.notes,
    )


def _metrics(playbacks: Sequence[Playback]) -> Iterator[Metric]:
    """A sample of each figure for each time that a thing was played."""
    for (load, way, level), played in by_mode(playbacks).items():
        rows = [each for each in played if not each.refused]
        if not rows:
            continue
        labels = {"way": way, "level": level, "load": load}

        def metric(
            name: str,
            unit: Unit,
            values: Sequence[float | None],
            labels: Mapping[str, str] = labels,
            better: Literal["lower", "higher"] = "lower",
        ) -> Iterator[Metric]:
            known = tuple(value for value in values if value is not None)
            if known:
                yield Metric(
                    name=f"wakeups.{name}",
                    unit=unit,
                    labels=dict(labels),
                    better=better,
                    samples=known,
                )

        yield from metric("switches", "1/s", [each.switches / each.elapsed_s for each in rows])
        yield from metric(
            "idle", "1", [each.idle_s / each.elapsed_s for each in rows], better="higher"
        )
        if load == "copy":
            copies = [each.copies / each.elapsed_s for each in rows]
            yield from metric("copies", "1/s", copies, better="higher")
        if way == "none":
            continue
        yield from metric(
            "switches.writer", "1/s", [each.writer_switches / each.elapsed_s for each in rows]
        )
        yield from metric("wakes", "1/s", [each.wakes / each.elapsed_s for each in rows])
        yield from metric("missed", "1", [each.missed for each in rows])
        for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0)):
            yield from metric(f"latency.{name}", "s", [each.latency_at(share) for each in rows])


STUDY = WakeupsStudy()
