# SPDX-License-Identifier: Apache-2.0
"""stream.*: a command's output is written at a disc's pace, which must not be missed (study D).

The probe is the drive (native/probe/run/stream.c).
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from perfboard.analysis.statistics.extremes import FEWEST_MAXIMA, enough
from perfboard.bench.job import PLACE, NotMeasurable, Work
from perfboard.measures.base import Figure, Parameter, packages, text, whole
from perfboard.model.profile import Value
from perfboard.model.run import Metric

# 31 sectors of a data disc.
_CHUNK = 63_488
_MOST_STARTS = 200
# native/probe/run/stream.c
_MOST_WORD_NS = 1_000_000
# After this many times the buffer, one that was full at first no longer matters.
_STEADY = 10
_ROW = re.compile(r"@stream" + r" (\d{1,18})" * 10)
_ROOM = re.compile(r"@rate (\d{1,12}) (\d{1,12})")
_READY = """\
cold() { sync; if [ -w /proc/sys/vm/drop_caches ]; then echo 3 > /proc/sys/vm/drop_caches; fi; }
"""


def _parameters() -> dict[str, Parameter]:
    return {
        "command": Parameter("", "a shell command that writes the disc's content to its output"),
        "prepare": Parameter("", "one that makes its files first, in the folder of both"),
        "packages": Parameter("", "Debian packages that a virtual board has them from"),
        "rate": Parameter(150_000, "B/s of the drive"),
        "buffer": Parameter(524_288, "bytes"),
        "chunk": Parameter(_CHUNK, "bytes that the drive takes at once"),
        "begin": Parameter(100, "% of the buffer that are full before the drive begins"),
        "word_ns": Parameter(
            0, "ns of the processor's for each word of 16 bits, by programmed transfer; 0 by DMA"
        ),
    }


@dataclass(frozen=True)
class _Writing:
    """One writing, as the probe prints it."""

    sent: int
    underruns: int
    need: int
    lowest: int
    usual_late_s: float
    busy: float
    most: float


@dataclass(frozen=True)
class _Stream:
    """Common to the three workloads."""

    name: str
    title: str
    metrics: Mapping[str, Figure]
    parameters: Mapping[str, Parameter] = field(default_factory=_parameters)

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        """See `Workload`."""
        return [str(parameters[name]) for name in ("prepare", "command") if parameters[name]]

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """See `Workload`."""
        command, prepare = text(parameters, "command"), text(parameters, "prepare")
        if not command:
            raise NotMeasurable("wants a command")
        buffer, chunk = whole(parameters, "buffer"), whole(parameters, "chunk")
        if not chunk <= buffer <= 1 << 30 or whole(parameters, "rate") < 1000:
            raise NotMeasurable("wants a rate of 1000 B/s or more, a buffer of a chunk to 1 GiB")
        begin = buffer * min(whole(parameters, "begin"), 100) // 100
        before = f"sh -c {shlex.quote(prepare)} || exit 1\n" if prepare else ""
        word_ns = whole(parameters, "word_ns", 0)
        if word_ns > _MOST_WORD_NS:
            raise NotMeasurable(f"wants a word_ns of up to {_MOST_WORD_NS}")
        figures = f'"$rate" {buffer} {chunk} {begin} {word_ns}'
        # $rate is the drive's; $start counts the writings.
        one = f'cold; "$PROBE" stream {figures} {shlex.quote(command)}'
        return Work(
            f"{PLACE.script}case $PROBE in /*) ;; *) PROBE=$(pwd)/$PROBE;; esac\n"
            f'export PROBE; cd "$place" || exit 1\n{_READY}{before}'
            f"rate={whole(parameters, 'rate')}; start=0; export start\n"
            f"{self._script(one, parameters, repeats)}",
            packages=(*PLACE.packages, *packages(parameters)),
            features=PLACE.features,
            limit_s=7200,
        )

    def _script(self, one: str, parameters: Mapping[str, Value], repeats: int) -> str:
        return f"while [ $start -lt {repeats} ]; do start=$((start + 1)); {one} || exit 1; done\n"

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """See `Workload`."""
        found = _writings(output)
        if len(found) != repeats:
            raise NotMeasurable(f"{len(found)} of {repeats} writings have ended")
        _check_steady(found, parameters)
        buffer = whole(parameters, "buffer")
        figures: dict[str, tuple[str, str, list[float]]] = {
            "underruns": ("1", "lower", [float(one.underruns) for one in found]),
            "busy": ("1", "lower", [one.busy for one in found]),
            "most": ("1", "lower", [one.most for one in found]),
            "fill": ("1", "higher", [one.lowest / buffer for one in found]),
            "need": ("B", "lower", [float(one.need) for one in found]),
            "late": ("s", "lower", [one.usual_late_s for one in found]),
        }
        return tuple(
            Metric(
                name=f"{self.name}.{name}",
                unit=unit,
                better="higher" if better == "higher" else "lower",
                samples=tuple(samples),
            )
            for name, (unit, better, samples) in figures.items()
        )


@dataclass(frozen=True)
class _Buffer(_Stream):
    """Many writings, and what the most that each needed says of the next."""

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """See `Workload`."""
        starts, safe = whole(parameters, "starts"), whole(parameters, "safe")
        if not FEWEST_MAXIMA <= starts <= _MOST_STARTS or safe > 99:
            raise NotMeasurable(
                f"wants {FEWEST_MAXIMA} to {_MOST_STARTS} starts, and up to 99 for safe"
            )
        return super().plan(parameters, starts)

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """See `Workload`."""
        found, starts = _writings(output), whole(parameters, "starts")
        if len(found) != starts:
            raise NotMeasurable(f"{len(found)} of {starts} writings have ended")
        _check_steady(found, parameters)
        extreme = enough([one.need for one in found], whole(parameters, "safe") / 100)
        chunk = whole(parameters, "chunk")
        # A drive takes whole chunks.
        least, likely, most = (
            float(-(-size // chunk) * chunk) for size in (extreme.low, extreme.value, extreme.high)
        )
        needs = tuple(float(one.need) for one in found)
        return (
            Metric(name=f"{self.name}.need", unit="B", samples=needs),
            *_bounded(f"{self.name}.size", "B", "lower", least, likely, most),
        )


@dataclass(frozen=True)
class _Rate(_Stream):
    """Halves the rates between one that fails and one that does not."""

    def _script(self, one: str, parameters: Mapping[str, Value], repeats: int) -> str:
        return (
            f"low=0; high={2 * whole(parameters, 'rate')}; tries=0\n"
            f"while [ $tries -lt {whole(parameters, 'tries')} ]; do\n"
            "    tries=$((tries + 1)); rate=$(((low + high) / 2))\n"
            f"    {one} > writing || exit 1\n"
            "    cat writing; read -r word sent underruns rest < writing\n"
            '    if [ "$underruns" = 0 ]; then low=$rate; else high=$rate; fi\n'
            "done\necho @rate $low $high\n"
        )

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """See `Workload`."""
        _check_steady(_writings(output), parameters)
        match = next(filter(None, map(_ROOM.fullmatch, output.splitlines())), None)
        if match is None:
            raise NotMeasurable("the rates were not tried to the end")
        if not int(match[1]):
            raise NotMeasurable(f"no rate was safe, down to {int(match[2])} B/s")
        low, high = float(match[1]), float(match[2])
        return tuple(_bounded(f"{self.name}.safe", "B/s", "higher", low, low, high))


def _bounded(
    name: str, unit: str, better: Literal["higher", "lower"], *bounds: float
) -> Iterator[Metric]:
    """A figure that is known to lie between two others: least, likely and most."""
    for bound, value in zip(("least", "likely", "most"), bounds, strict=True):
        yield Metric(name=name, unit=unit, better=better, labels={"bound": bound}, samples=(value,))


def _writings(output: str) -> list[_Writing]:
    rows = (_ROW.fullmatch(line) for line in output.splitlines())
    return [
        _Writing(
            sent=figures[0],
            underruns=figures[1],
            need=figures[3],
            lowest=figures[4],
            usual_late_s=figures[6] / 1e6,
            busy=figures[7] / 1000,
            most=figures[8] / 1000,
        )
        for figures in (list(map(int, row.groups())) for row in rows if row)
    ]


def _check_steady(found: Sequence[_Writing], parameters: Mapping[str, Value]) -> None:
    """Raises NotMeasurable where the full buffer at the start may have made up for the rest."""
    buffer = whole(parameters, "buffer")
    least = min((one.sent for one in found), default=0)
    if whole(parameters, "begin") >= 100 and least < _STEADY * buffer:
        raise NotMeasurable(
            f"the command wrote {least:,} bytes; the steady state wants {_STEADY} times the "
            f"buffer, {_STEADY * buffer:,}: write more, or begin with less than a full one"
        )


WORKLOADS = (
    _Stream(
        "stream.write",
        "Writing of a disc",
        {
            "stream.write.underruns": Figure(
                "1", "chunks that were not there, or were taken, in time"
            ),
            "stream.write.busy": Figure("1", "the processor's share of the time"),
            "stream.write.most": Figure("1", "its highest share in a second"),
            "stream.write.fill": Figure("1", "the lowest fill of the buffer, as a share"),
            "stream.write.need": Figure("B", "the buffer that would have been enough"),
            "stream.write.late": Figure(
                "s", "what the drive was late in all but a thousandth of the chunks"
            ),
        },
    ),
    _Buffer(
        "stream.buffer",
        "The smallest safe buffer for the writing of discs",
        {
            "stream.buffer.need": Figure(
                "B", "the buffer that would have been enough, for each writing"
            ),
            "stream.buffer.size": Figure(
                "B",
                "what is enough in `safe` % of writings, in whole chunks: label bound (likely, and "
                "its interval at 95 %, least and most)",
            ),
        },
        {
            **_parameters(),
            "starts": Parameter(20, "writings; $start has the number of each"),
            "safe": Parameter(95, "% of writings that it is to be enough for"),
        },
    ),
    _Rate(
        "stream.rate",
        "The highest rate at which discs are written safely",
        {
            "stream.rate.safe": Figure(
                "B/s",
                "the highest rate without an underrun, up to twice `rate`: label bound (least and "
                "likely, the highest that was safe, and most, the lowest that was not)",
            ),
        },
        {**_parameters(), "tries": Parameter(6, "rates that are tried, each in the middle")},
    ),
)
