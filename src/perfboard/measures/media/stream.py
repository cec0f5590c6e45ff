# SPDX-License-Identifier: Apache-2.0
"""stream.*: a command's output is written at a disc's pace, which must not be missed.

The probe is the drive (native/probe/commands/stream.c).
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from perfboard.analysis.statistics.extremes import FEWEST_MAXIMA, enough
from perfboard.bench.job import OWN_FOLDER, Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Parameter, Quantity, Setting
from perfboard.model.profile import Value
from perfboard.model.rows import Count, Row, read_rows, row_line
from perfboard.model.run import Metric

# 31 sectors of a data disc.
_CHUNK = 63_488
_MOST_STARTS = 200
# native/probe/commands/stream.c
_MOST_WORD_NS = 1_000_000
# After this many times the buffer, one that was full at first no longer matters.
_STEADY = 10
_READY = """\
cold() { sync; if [ -w /proc/sys/vm/drop_caches ]; then echo 3 > /proc/sys/vm/drop_caches; fi; }
"""
_PARAMETERS = (
    Parameter("command", "", "a shell command that writes the disc's content to its output"),
    Parameter("prepare", "", "one that makes its files first, in the folder of both"),
    Parameter("packages", "", "Debian packages that a virtual board has them from"),
    Parameter("rate", 150_000, "B/s of the drive"),
    Parameter("buffer", 524_288, "bytes"),
    Parameter("chunk", _CHUNK, "bytes that the drive takes at once"),
    Parameter("begin", 100, "% of the buffer that are full before the drive begins"),
    Parameter(
        "word_ns",
        0,
        "ns of the processor's for each word of 16 bits, by programmed transfer; 0 by DMA",
    ),
)
_OF_EXAMPLE: Mapping[str, Value] = MappingProxyType({"command": "cat disc", "buffer": 100_000})


class WritingRow(Row):
    """One writing of a disc."""

    row: Literal["stream"]
    bytes: Count
    underruns: Count
    need_bytes: Count
    lowest_bytes: Count
    usual_late_us: Count
    busy_permille: Count
    most_permille: Count


class _SafeRow(Row):
    """The highest rate that was safe, 0 where none was, and the lowest that was not."""

    row: Literal["rates"]
    safe: Count
    unsafe: Count


def example_writing(need_bytes: int) -> str:
    """An output of the probe for one writing of 1 MB."""
    figures = {"bytes": 1_000_000, "underruns": 0, "need_bytes": need_bytes, "lowest_bytes": 90_000}
    shares = {"busy_permille": 500, "most_permille": 600}
    return row_line("stream", **figures, usual_late_us=100, **shares)


_BOUNDED = MappingProxyType({"bound": ("least", "likely", "most")})


class _DiscMeasure(Measure):
    """Common to the three."""

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        return [str(parameters[name]) for name in ("prepare", "command") if parameters[name]]

    def job(self, setting: Setting) -> Job:
        command, prepare = setting.text("command"), setting.text("prepare")
        if not command:
            raise NotMeasurable("needs a command")
        buffer, chunk = setting.whole("buffer"), setting.whole("chunk")
        if not chunk <= buffer <= 1 << 30 or setting.whole("rate") < 1000:
            raise NotMeasurable("needs a rate of 1000 B/s or more, a buffer of a chunk to 1 GiB")
        begin = buffer * min(setting.whole("begin"), 100) // 100
        before = f"sh -c {shlex.quote(prepare)} || exit 1\n" if prepare else ""
        word_ns = setting.whole("word_ns", 0)
        if word_ns > _MOST_WORD_NS:
            raise NotMeasurable(f"needs a word_ns of up to {_MOST_WORD_NS}")
        figures = f'"$rate" {buffer} {chunk} {begin} {word_ns}'
        # $rate is the drive's; $start counts the writings.
        one = f'cold; "$PROBE" stream {figures} {shlex.quote(command)}'
        return Job(
            f"{OWN_FOLDER.script}case $PROBE in /*) ;; *) PROBE=$(pwd)/$PROBE;; esac\n"
            f'export PROBE; cd "$place" || exit 1\n{_READY}{before}'
            f"rate={setting.whole('rate')}; start=0; export start\n"
            f"{self._script(one, setting)}",
            packages=(*OWN_FOLDER.packages, *setting.packages()),
            features=OWN_FOLDER.features,
            limit_s=7200,
        )

    def _script(self, one: str, setting: Setting) -> str:
        starts = self._starts(setting)
        return f"while [ $start -lt {starts} ]; do start=$((start + 1)); {one} || exit 1; done\n"

    def _starts(self, setting: Setting) -> int:
        """How many writings there are."""
        return setting.repeats

    def _found(self, output: str, setting: Setting) -> Sequence[WritingRow]:
        """All writings. Raises NotMeasurable where some are missing, or too short."""
        found, starts = read_rows(output, WritingRow), self._starts(setting)
        if len(found) != starts:
            raise NotMeasurable(f"{len(found)} of {starts} writings have ended")
        _check_steady(found, setting)
        return found


class StreamWrite(_DiscMeasure):
    """One writing after the other, each on its own."""

    name = "stream.write"
    title = "Writing of a disc"
    parameters = _PARAMETERS
    metrics = (
        Quantity(
            "stream.write.underruns", "1", "chunks that were not there, or were taken, in time"
        ),
        Quantity(
            "stream.write.busy", "1", "the share of the time of all cores that they were busy"
        ),
        Quantity("stream.write.most", "1", "the highest such share in a second"),
        Quantity(
            "stream.write.fill", "1", "the lowest fill of the buffer, as a share", better="higher"
        ),
        Quantity("stream.write.need", "B", "the buffer that would have been enough"),
        Quantity(
            "stream.write.late",
            "s",
            "what the drive was late in all but a thousandth of the chunks",
        ),
    )
    examples = (
        Example(
            example_writing(70_000),
            {
                "stream.write.underruns": 0,
                "stream.write.busy": 0.5,
                "stream.write.most": 0.6,
                "stream.write.fill": 0.9,
                "stream.write.need": 70_000,
                "stream.write.late": 100e-6,
            },
            _OF_EXAMPLE,
        ),
    )

    def read(self, output: str, setting: Setting) -> Finding:
        found, buffer = self._found(output, setting), setting.whole("buffer")
        samples = (
            [float(one.underruns) for one in found],
            [one.busy_permille / 1000 for one in found],
            [one.most_permille / 1000 for one in found],
            [one.lowest_bytes / buffer for one in found],
            [float(one.need_bytes) for one in found],
            [one.usual_late_us / 1e6 for one in found],
        )
        return Finding(tuple(map(Quantity.metric, self.metrics, samples)))


class StreamBuffer(_DiscMeasure):
    """Many writings, and what the most that each needed says of the next."""

    name = "stream.buffer"
    labels = _BOUNDED
    title = "The smallest safe buffer for the writing of discs"
    parameters = (
        *_PARAMETERS,
        Parameter("starts", 20, "writings; $start has the number of each"),
        Parameter("safe", 95, "% of writings that it is to be enough for"),
    )
    metrics = (
        Quantity(
            "stream.buffer.need", "B", "the buffer that would have been enough, for each writing"
        ),
        Quantity(
            "stream.buffer.size",
            "B",
            "what is enough in `safe` % of writings, in whole chunks: label bound (likely, and "
            "its interval at 95 %, least and most)",
        ),
    )
    examples = (
        Example(
            example_writing(70_000) * 5,
            {"stream.buffer.need": 70_000, "stream.buffer.size": 2 * _CHUNK},
            {**_OF_EXAMPLE, "starts": 5},
        ),
    )

    def _starts(self, setting: Setting) -> int:
        return setting.whole("starts")

    def job(self, setting: Setting) -> Job:
        if not FEWEST_MAXIMA <= self._starts(setting) <= _MOST_STARTS or setting.whole("safe") > 99:
            raise NotMeasurable(
                f"needs {FEWEST_MAXIMA} to {_MOST_STARTS} starts, and up to 99 for safe"
            )
        return super().job(setting)

    def read(self, output: str, setting: Setting) -> Finding:
        needs = [one.need_bytes for one in self._found(output, setting)]
        extreme, chunk = enough(needs, setting.whole("safe") / 100), setting.whole("chunk")
        # A drive takes whole chunks.
        least, likely, most = (
            float(-(-size // chunk) * chunk) for size in (extreme.low, extreme.value, extreme.high)
        )
        need, size = self.metrics
        words = (
            f"stream.buffer: the likely size is enough in {setting.whole('safe')} % of writings; "
            "the true one lies between least and most at 95 %."
        )
        metrics = (need.metric(map(float, needs)), *_bounded(size, least, likely, most))
        return Finding(metrics, notes=(words,))


class StreamRate(_DiscMeasure):
    """Halves the rates between one that fails and one that does not."""

    name = "stream.rate"
    labels = _BOUNDED
    title = "The highest rate at which discs are written safely"
    parameters = (
        *_PARAMETERS,
        Parameter("tries", 6, "rates that are tried, each in the middle"),
    )
    metrics = (
        Quantity(
            "stream.rate.safe",
            "B/s",
            "the highest rate without an underrun, up to twice `rate`: label bound (least and "
            "likely, the highest that was safe, and most, the lowest that was not)",
            better="higher",
        ),
    )
    examples = (
        Example(
            example_writing(70_000) + row_line("rates", safe="150000", unsafe="160000"),
            {"stream.rate.safe": 150_000},
            _OF_EXAMPLE,
        ),
    )

    def _script(self, one: str, setting: Setting) -> str:
        return (
            f"low=0; high={2 * setting.whole('rate')}; tries=0\n"
            f"while [ $tries -lt {setting.whole('tries')} ]; do\n"
            "    tries=$((tries + 1)); rate=$(((low + high) / 2))\n"
            f"    {one} > writing || exit 1\n"
            "    cat writing\n"
            """    if grep -q '"underruns":0,' writing; then low=$rate; else high=$rate; fi\n"""
            'done\n"$PROBE" say rates safe=$low unsafe=$high\n'
        )

    def read(self, output: str, setting: Setting) -> Finding:
        _check_steady(read_rows(output, WritingRow), setting)
        rates = next(iter(read_rows(output, _SafeRow)), None)
        if rates is None:
            raise NotMeasurable("the rates were not tried to the end")
        if not rates.safe:
            raise NotMeasurable(f"no rate was safe, down to {rates.unsafe} B/s")
        low, high = float(rates.safe), float(rates.unsafe)
        return Finding(tuple(_bounded(self.metrics[0], low, low, high)))


def _bounded(what: Quantity, *bounds: float) -> Iterator[Metric]:
    """A figure that is known to lie between two others: least, likely and most."""
    for bound, value in zip(_BOUNDED["bound"], bounds, strict=True):
        yield what.metric([value], {"bound": bound})


def _check_steady(found: Sequence[WritingRow], setting: Setting) -> None:
    """Raises NotMeasurable where the full buffer at the start may have made up for the rest."""
    buffer = setting.whole("buffer")
    least = min((one.bytes for one in found), default=0)
    if setting.whole("begin") >= 100 and least < _STEADY * buffer:
        raise NotMeasurable(
            f"the command wrote {least:,} bytes; the steady state needs {_STEADY} times the "
            f"buffer, {_STEADY * buffer:,}: write more, or begin with less than a full one"
        )


MEASURES = (StreamWrite(), StreamBuffer(), StreamRate())
