# SPDX-License-Identifier: Apache-2.0
"""media.*: frames are written and read as a recorder does, paced or as fast as it goes (study A).

The target's own file system is used. A virtual board's disk gets one of its own.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from perfboard.bench.job import FOLDERS, Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Parameter, Quantity, Setting
from perfboard.model.rows import Count, Row, read_rows, row_line
from perfboard.model.run import Metric

_MOST_BYTES = 16 << 20
_MOST_STREAMS = 8
# The file systems have blocks of this size, and direct writes want whole ones.
_BLOCK = 4096
_WRITES = ("buffered", "sync", "direct")
_PARAMETERS = (
    Parameter("bitrate", 6_000_000, "bit/s of each stream"),
    Parameter("fps", 30, "frames a second"),
    Parameter("seconds", 5, "of each stream"),
    Parameter("write", "buffered", "buffered, sync (each frame is on the medium), direct"),
    Parameter("reserve", False, "true: the file has its blocks before its frames"),
    Parameter("filesystem", "own", "own (ext4 on a virtual board), xfs (blocks of 4096 bytes)"),
)
_COUNTS = (
    Parameter("records", 1, "files that are recorded at once"),
    Parameter("plays", 1, "files that are played at once"),
)
_METRICS = (
    Quantity("rate", "1/s", "frames a second as fast as it goes: label stream", "higher"),
    Quantity("frame", "s", "the time of each frame, paced: label stream"),
    Quantity("time", "s", "the longest time of a frame, paced: label stream"),
    Quantity("late", "1", "frames that are a frame's time late, of all, paced: label stream"),
    Quantity("dirty", "B", "the most that waited to be written by the system, paced"),
    Quantity("writeback", "B", "the most that was being written by the system, paced"),
    Quantity("written", "B", "what the system wrote from its page cache, paced"),
)
# The first are of each way, the rest of the system.
_OF_STREAMS = 4


class FramesRow(Row):
    """The frames of one file: what each took, and its end since it was due, 0 without a rate."""

    row: Literal["frames"]
    rate: Count
    stream: Literal["record", "play"]
    took_us: tuple[Count, ...]
    since_due_us: tuple[Count, ...]


class WritebackRow(Row):
    """The system's page cache meanwhile."""

    row: Literal["writeback"]
    rate: Count
    dirty_bytes: Count
    under_way_bytes: Count
    wrote_bytes: Count


class Media(Measure):
    """Streams at once, each of its own file, paced and as fast as it goes."""

    def __init__(
        self, name: str, title: str, *streams: str, counts: tuple[Parameter, ...] = ()
    ) -> None:
        """As many of the `streams`, record and play, as the `counts` say, or one."""
        self.name, self.title = name, title
        self.labels = {"stream": streams}
        self.parameters = (*_PARAMETERS, *counts)
        self.metrics = tuple(replace(each, name=f"{name}.{each.name}") for each in _METRICS)
        values = (1 / 900e-6, 900e-6, 900e-6, 1, 9000, 4096, 40960)
        figures = {each.name: value for each, value in zip(self.metrics, values, strict=True)}
        output = "".join(
            row_line("frames", rate=rate, stream=stream, took_us=[900], since_due_us=[1_100_000])
            for rate in (0, 1)
            for stream in streams
        ) + row_line("writeback", rate=1, dirty_bytes=9000, under_way_bytes=4096, wrote_bytes=40960)
        self.examples = (Example(output, figures, {"fps": 1, "seconds": 1}),)

    def job(self, setting: Setting) -> Job:
        frame, frames, fps = self._frames(setting)
        records, plays = self._streams(setting)
        how, reserve = setting.parameters["write"], int(bool(setting.parameters["reserve"]))
        if how not in _WRITES:
            raise NotMeasurable(f"write is {how!r}; wants one of {', '.join(_WRITES)}")
        if (system := setting.parameters["filesystem"]) not in FOLDERS:
            raise NotMeasurable(f"filesystem is {system!r}; wants one of {', '.join(FOLDERS)}")
        place = FOLDERS[str(system)]
        script = place.script
        for _ in range(setting.repeats):
            for rate in (0, fps):
                words = f"{records} {plays} $place {frame} {frames} {rate} {how} {reserve}"
                script += f'"$PROBE" media {words} || exit 1\n'
        return Job(
            script,
            packages=place.packages,
            features=place.features,
            disk=(records + plays) * frame * frames,
            limit_s=60 + 20 * setting.repeats * setting.whole("seconds"),
        )

    def read(self, output: str, setting: Setting) -> Finding:
        frames, fps = self._frames(setting)[1:]
        records, plays = self._streams(setting)
        moved = read_rows(output, FramesRow)
        metrics: list[Metric] = []
        for stream, count in (("record", records), ("play", plays)):
            free, paced = (
                [row for row in moved if (row.rate, row.stream) == (rate, stream)]
                for rate in (0, fps)
            )
            if not len(free) == len(paced) == setting.repeats * count:
                raise NotMeasurable(f"the probe has not moved all frames of {stream}")
            lengths = {len(us) for one in (*free, *paced) for us in (one.took_us, one.since_due_us)}
            if lengths - {frames}:
                raise NotMeasurable(f"some frames of {stream} are missing")
            if count:
                runs = (_by_run(free, count), _by_run(paced, count))
                metrics += _figures(self.metrics, stream, *runs, 1e6 / fps)
        looks = [row for row in read_rows(output, WritebackRow) if row.rate == fps]
        if looks:
            dirty, writeback, written = self.metrics[_OF_STREAMS:]
            metrics += [
                dirty.metric(float(look.dirty_bytes) for look in looks),
                writeback.metric(float(look.under_way_bytes) for look in looks),
                written.metric(float(look.wrote_bytes) for look in looks),
            ]
        return Finding(tuple(metrics))

    def _streams(self, setting: Setting) -> tuple[int, int]:
        """How many are recorded, and how many played."""
        if self.name != "media.both":
            return int(self.name == "media.record"), int(self.name == "media.play")
        records, plays = setting.whole("records"), setting.whole("plays")
        if max(records, plays) > _MOST_STREAMS:
            raise NotMeasurable(f"wants at most {_MOST_STREAMS} streams each way")
        return records, plays

    def _frames(self, setting: Setting) -> tuple[int, int, int]:
        """Bytes of a frame, how many there are, and how many a second."""
        fps = setting.whole("fps")
        frame = setting.whole("bitrate") // (8 * fps)
        if setting.parameters["write"] == "direct":
            frame = -(-frame // _BLOCK) * _BLOCK
        frames = fps * setting.whole("seconds")
        if not 0 < frame <= _MOST_BYTES or fps > 1000 or frames > 100_000:
            raise NotMeasurable("wants up to 1000 frames a second, 16 MiB each, 100,000 in all")
        return frame, frames, fps


def _by_run(streams: Sequence[FramesRow], count: int) -> list[Sequence[FramesRow]]:
    """The streams of each run, `count` of them."""
    return [streams[at : at + count] for at in range(0, len(streams), count)]


def _figures(
    quantities: Sequence[Quantity],
    stream: str,
    free: Sequence[Sequence[FramesRow]],
    paced: Sequence[Sequence[FramesRow]],
    period_us: float,
) -> list[Metric]:
    """The metrics of one way, a sample a run: of several streams the rate is the slowest one's."""
    labels = {"stream": stream}
    rates = tuple(
        min(len(one.took_us) / (max(1, sum(one.took_us)) / 1e6) for one in run) for run in free
    )
    took = [[us for one in run for us in one.took_us] for run in paced]
    since = [[us for one in run for us in one.since_due_us] for run in paced]
    worst = tuple(max(run) / 1e6 for run in took)
    late = tuple(sum(us > period_us for us in run) / len(run) for run in since)
    each = tuple(us / 1e6 for run in took for us in run)
    rate, frame, longest, tardy = quantities[:_OF_STREAMS]
    return [
        frame.metric(each, labels),
        rate.metric(rates, labels),
        longest.metric(worst, labels),
        tardy.metric(late, labels),
    ]


MEASURES = (
    Media("media.record", "Recording of a stream", "record"),
    Media("media.play", "Playing of a stream", "play"),
    Media("media.both", "Recording streams and playing others", "record", "play", counts=_COUNTS),
)
