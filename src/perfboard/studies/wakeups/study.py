# SPDX-License-Identifier: Apache-2.0
"""How often an audio writer has to wake, what waking less often saves, and what it risks."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote

from perfboard.analysis.power.energy import slowest_s
from perfboard.analysis.power.find import FORMS, listing_script, meter_in, parse_wanted
from perfboard.analysis.power.meter import Meter
from perfboard.analysis.wakeups.advice import PUBLISHED, advise
from perfboard.analysis.wakeups.meter_file import clocked, is_file
from perfboard.analysis.wakeups.reading import MeterPlan, read_playbacks
from perfboard.bench.base import Bench
from perfboard.bench.job import Job, NotMeasurable
from perfboard.bench.lab import Lab
from perfboard.bench.opening import check_bench, open_record
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.measures.catalogue import get_measure
from perfboard.measures.wakeups.meter_file import MeterFile
from perfboard.measures.wakeups.metrics import metrics
from perfboard.measures.wakeups.playback import RATE
from perfboard.model.board.power import Power
from perfboard.model.budget import MetricLimit
from perfboard.model.channels import parse_volts
from perfboard.model.errors import EnvironmentLacksError, TargetError
from perfboard.model.options import option, parse_count
from perfboard.model.progress import Step
from perfboard.model.results.wakeups import Playback, PowerModel, WakeupsResult
from perfboard.model.run import Run
from perfboard.model.target import virtual_name
from perfboard.model.units import format_value
from perfboard.store.recording import Content, Recording
from perfboard.studies.budgets import budget_option, check_limits, held

_LOADS = ("idle", "copy", "burst12", "burst25")
_MORE_LOADS = ("turns12", "turns25")
_WAYS = ("sink", "alsa", "timer", "slack")
_FEATURE = "wake"
# On a virtual board the adaptive trigger has to have risen; a live target is not to be kept busy.
_VIRTUAL_PERIODS, _LIVE_PERIODS = 3000, 500
# On a virtual board the others take minutes, and say what these do.
_VIRTUAL_WAYS = ("sink", "alsa")
_LIVE_ROUNDS = 3
# A meter that counts energy by itself is read so seldom that this costs nothing, and often enough
# that no counter wraps twice: those of RAPL do so after 65 kJ at least.
_COUNTER_S = 60.0
_SAMPLES, _FASTEST_S = 100, 0.01


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

    trigger: tuple[int, ...] = option(
        (0, 3, 6),
        "measure this trigger: the writer sleeps until one more buffer than it has been "
        "played; repeatable (default: 0, 3 and 6)",
        parse=_parse_levels,
        metavar="L",
        repeated=True,
        formerly="level",
    )
    load: tuple[str, ...] = option(
        _LOADS,
        "measure under this load: idle, copy, burst12, burst25; repeatable (default: all). Also "
        "turns12 and turns25: 10 s idle and 10 s of bursts in turn. Bursts need root",
        parse=lambda words: _parse_among((*_LOADS, *_MORE_LOADS), "load", words),
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
    budget: tuple[MetricLimit, ...] = budget_option("wakeups.wakes <= 100 1/s")
    power: str = option(
        "",
        f"measure the energy of each playback by this meter of the target: {FORMS}; or by a CSV "
        "that a meter's program writes here meanwhile, such as ./meter.csv",
        parse=lambda word: word if is_file(word) else str(parse_wanted(word)),
        metavar="METER",
    )
    volts: float = option(
        0.0,
        "the supply's voltage, for a meter's file of currents alone",
        parse=parse_volts,
        metavar="V",
    )


@dataclass(frozen=True)
class WakeupsStudy:
    """Plays in all ways, at all triggers and under all loads that are asked for."""

    name: str = "wakeups"
    title: str = "Waking less often"
    question: str = "How often has an audio writer to wake?"
    options: type[WakeupsOptions] = WakeupsOptions
    targets: tuple[str, ...] = ()
    default_target: str = "local"
    headline: str = "wakeups.switches"
    factors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def check(self, request: Request, options: WakeupsOptions) -> list[str]:
        most = options.buffers - 2
        wrong = [
            f"--trigger {level}: {options.buffers} buffers have triggers from 0 to {most}; give "
            "less, or more --buffers"
            for level in options.trigger
            if level > most
        ]
        if options.power and virtual_name(request.target) is not None:
            wrong.append(
                f"--power {options.power}: a virtual board has no meter; if its file has [power], "
                "the report says what that makes of its idle time"
            )
        if options.volts and not is_file(options.power):
            wrong.append("--volts: is of a meter's file; give --power ./FILE too, or omit it")
        wrong += check_limits(options.budget, [get_measure("wakeups")])
        return [*wrong, *check_bench(request, BenchOptions())]

    def run(self, request: Request, options: WakeupsOptions, lab: Lab) -> Run:
        playbacks: list[Playback] = []
        with (
            open_record(self.name, self.headline, request, BenchOptions(), lab) as (record, bench),
            _place(request, options, record, bench) as place,
        ):
            virtual = bench.facts.exact
            plan = _PlaybackPlan(
                place,
                options,
                options.way or (_VIRTUAL_WAYS if virtual else _WAYS),
                options.periods or (_VIRTUAL_PERIODS if virtual else _LIVE_PERIODS),
            )
            with record.begin(lambda: _found(plan, playbacks)):
                _measure(plan, playbacks, lab)
        return record.run


@dataclass(frozen=True)
class _AudioBoard:
    """The target, how often each thing is measured there, and how its power is known."""

    bench: Bench
    rounds: int
    power: Power | None = None
    meter: Meter | None = None
    file: MeterFile | None = None


@dataclass(frozen=True)
class _PlaybackPlan:
    """The playbacks of one load: ways and length."""

    place: _AudioBoard
    options: WakeupsOptions
    ways: tuple[str, ...]
    periods: int

    @property
    def period_ns(self) -> int:
        """How long a buffer plays."""
        return self.options.buffer_bytes * 10**9 // RATE

    @property
    def playback_s(self) -> float:
        """The time of one playback."""
        return self.periods * self.period_ns / 1e9

    def modes(self) -> list[tuple[str, str]]:
        """The ways, each with its triggers."""
        modes = [("none", "0")]
        for way in self.ways:
            modes += [(way, str(level)) for level in self.options.trigger]
            if way == "sink":
                modes.append((way, "adaptive"))
        return modes

    @property
    def metered(self) -> MeterPlan | None:
        """The meter, and how often it is read: often enough for a playback."""
        meter = self.place.meter
        if meter is None:
            return None
        if meter.counts:
            return MeterPlan(meter, _COUNTER_S)
        period_s = max(meter.renewed_s or 0.0, self.playback_s / _SAMPLES, _FASTEST_S)
        return MeterPlan(meter, min(period_s, _COUNTER_S))

    def _under_meter(self) -> str:
        if (metered := self.metered) is None:
            return ""
        files = " ".join(quote(file) for file in metered.meter.files)
        return f'"$PROBE" meter {metered.period_s * 1000:.0f} {files} -- '

    def work(self, load: str) -> Job:
        """All of them once, under a load."""
        shape = f"{self.options.buffers} {self.options.buffer_bytes} {self.period_ns}"
        lines = [
            f'{self._under_meter()}"$PROBE" wakeups {way} {level} {self.periods} {load} {shape}'
            " || exit 1\n"
            for way, level in self.modes()
        ]
        script = clocked(lines) if self.place.file else "".join(lines)
        limit = 60 + 3 * self.playback_s * len(self.modes())
        return Job(script, features=(_FEATURE,), disk=1 << 19, limit_s=limit)


@contextmanager
def _place(
    request: Request, options: WakeupsOptions, record: Recording, bench: Bench
) -> Iterator[_AudioBoard]:
    bench.prepare([Job("", features=(_FEATURE,))])
    rounds = 1 if bench.facts.exact else _LIVE_ROUNDS
    if is_file(options.power):
        file = MeterFile(Path(options.power).expanduser(), options.volts or None)
        with file.running(record.folder.artifacts):
            yield _AudioBoard(bench, rounds, file=file)
        return
    meter = _find_meter(options.power, request, bench) if options.power else None
    yield _AudioBoard(bench, rounds, power=bench.facts.power, meter=meter)


def _find_meter(power: str, request: Request, bench: Bench) -> Meter:
    wanted = parse_wanted(power)
    with bench.shell() as shell:
        listing = shell.run(listing_script(wanted)).output
    try:
        return meter_in(wanted, listing)
    except ValueError as error:
        raise EnvironmentLacksError(f"--power {power} on {request.target}: {error}") from error


def _measure(plan: _PlaybackPlan, playbacks: list[Playback], lab: Lab) -> None:
    loads = [(number, load) for number in range(plan.place.rounds) for load in plan.options.load]
    each_s = plan.playback_s * len(plan.modes())
    with lab.progress.step("playing", each_s * len(loads)) as step:
        for done, (number, load) in enumerate(loads):
            playbacks += _play(plan, f"{load}-{number}", load, done * each_s, step)


def _play(plan: _PlaybackPlan, name: str, load: str, before_s: float, step: Step) -> list[Playback]:
    step.update(before_s, load)

    def notify(now_s: float) -> None:
        # The first moments give no rate.
        if now_s > 1:
            step.update(before_s + now_s, load)

    file = plan.place.file
    began_s = file.now_s() if file else 0.0
    try:
        output = plan.place.bench.run(name, plan.work(load), notify)
    except NotMeasurable as error:
        raise TargetError("wakeups", f"Under the load {load}: {error}") from error
    found = read_playbacks(output, plan.metered)
    if file is not None:
        file.note(began_s, output, len(found))
    return found


def _found(plan: _PlaybackPlan, playbacks: Sequence[Playback]) -> Content:
    options, place = plan.options, plan.place
    if place.file is not None:
        playbacks = place.file.with_energies(playbacks)
    model = PowerModel(**place.power.model_dump()) if place.power else None
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
        meter=options.power,
        power=model,
    )
    content = Content(
        place.bench.subject(),
        metrics=tuple(metrics(playbacks, model)),
        results=(result,),
        notes=(*place.bench.notes, *_meter_notes(plan, playbacks)),
    )
    return held(content, options.budget, place.bench)


def _meter_notes(plan: _PlaybackPlan, playbacks: Sequence[Playback]) -> Iterator[str]:
    reasons = dict.fromkeys(each.no_energy for each in playbacks if each.no_energy)
    if (metered := plan.metered) is None:
        yield from (f"No energy: {reason}." for reason in reasons)
        return
    each = f"{metered.meter.name} was read each {format_value(metered.period_s, 's')}"
    yield f"{each}; its own two context switches for each reading are taken off."
    periods = ""
    if (renewed_s := metered.meter.renewed_s) and renewed_s > slowest_s(plan.playback_s):
        wanted = math.ceil(renewed_s / slowest_s(1.0) / (plan.period_ns / 1e9) / 100 + 1) * 100
        periods = f" With --periods {wanted} it shows one."
    for reason in reasons:
        yield f"No energy: {reason}.{periods}"


STUDY = WakeupsStudy()
