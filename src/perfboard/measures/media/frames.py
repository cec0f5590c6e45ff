# SPDX-License-Identifier: Apache-2.0
"""media.*: frames are written and read as a recorder does, paced or as fast as it goes.

The target's own file system is used. A virtual board's disk gets one of its own.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeVar

from perfboard.bench.job import FOLDERS, Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Parameter, Quantity, Setting
from perfboard.measures.reading import absences
from perfboard.model.rows import Count, Positive, Row, read_rows, row_line
from perfboard.model.run import Metric
from perfboard.model.units import format_value

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
    Parameter(
        "most",
        4000,
        "MB of all streams that a run as fast as it goes moves at most, on a target that does not "
        "repeat exactly",
        labels=False,
    ),
    Parameter("filesystem", "own", "own (ext4 on a virtual board), xfs (blocks of 4096 bytes)"),
)
_COUNTS = (
    Parameter("records", 1, "files that are recorded at once"),
    Parameter("plays", 1, "files that are played at once"),
)
_METRICS = (
    Quantity(
        "rate",
        "1/s",
        "frames a second as fast as it goes, to the end of fsync: label stream",
        "higher",
    ),
    Quantity("frame", "s", "the time of each frame, paced: label stream"),
    Quantity("time", "s", "the longest time of a frame, paced: label stream"),
    Quantity("late", "1", "frames that are a frame's time late, of all, paced: label stream"),
    Quantity("dirty", "B", "the most that waited to be written by the system, paced"),
    Quantity("writeback", "B", "the most that was being written by the system, paced"),
    Quantity("written", "B", "what the system wrote from its page cache, paced"),
)
# The first are of each way, the rest of the system.
_OF_STREAMS = 4
_BUFFERED = Quantity(
    "buffered",
    "1/s",
    "frames a second that the page cache took, to the end of the last write: label stream",
    "higher",
)
# A shorter run may have the rate of a disk's own memory.
_LEAST_S = 10.0
# The first run that looks for it moves this much, at least.
_FIRST_BYTES = 4_000_000
# Sets $frames to as many as take _LEAST_S, or are the most. Each try moves half as much again as
# the one before, or more, and so all before the last no more than twice its bytes.
_LONG_ENOUGH = """\
    while :; do
        flow > flow || exit 1
        least=
        for us in $(sed -n 's/.*"done_us":\\([0-9]*\\).*/\\1/p' flow); do
            [ "${least:-$us}" -lt "$us" ] || least=$us
        done
        [ "${least:-0}" -lt %d ] && [ "$frames" -lt %d ] || break
        tenths=$((150000 / (least / 1000 + 1)))
        [ $tenths -le 160 ] || tenths=160
        frames=$((frames * tenths / 10))
        [ $frames -le %d ] || frames=%d
    done
    cat flow
"""
_FLOW = "    flow || exit 1\n"
_MOST_FRAMES = 1_000_000
# A run as fast as it goes ends by then.
_LIMIT_S = 300
# A tmpfs has a rate, but it is no disk's.
_NO_DISK = "its files are on no disk; set TMPDIR to a folder on one"


class FramesRow(Row):
    """The frames of one file, paced: what each took, and its end since it was due."""

    row: Literal["frames"]
    rate: Count
    stream: Literal["record", "play"]
    took_us: tuple[Count, ...]
    since_due_us: tuple[Count, ...]


class FlowRow(Row):
    """The frames of one file, as fast as it goes: the end of the last call, and of fsync()."""

    row: Literal["flow"]
    stream: Literal["record", "play"]
    frames: Positive
    called_us: Positive
    done_us: Positive


_File = TypeVar("_File", FramesRow, FlowRow)


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
        values = (1, 900e-6, 900e-6, 1, 9000, 4096, 40960)
        figures = {each.name: value for each, value in zip(self.metrics, values, strict=True)}
        if "record" in streams:
            self._buffered = replace(_BUFFERED, name=f"{name}.{_BUFFERED.name}")
            self.metrics += (self._buffered,)
            figures[self._buffered.name] = 4
        output = "".join(
            row_line("frames", rate=1, stream=stream, took_us=[900], since_due_us=[1_100_000])
            + row_line("flow", stream=stream, frames=1, called_us=250_000, done_us=1_000_000)
            for stream in streams
        ) + row_line("writeback", rate=1, dirty_bytes=9000, under_way_bytes=4096, wrote_bytes=40960)
        self.examples = (Example(output, figures, {"fps": 1, "seconds": 1}),)

    def job(self, setting: Setting) -> Job:
        frame, frames, fps = self._frames(setting)
        records, plays = self._streams(setting)
        how, reserve = setting.parameters["write"], int(bool(setting.parameters["reserve"]))
        if how not in _WRITES:
            raise NotMeasurable(f"write is {how!r}; needs one of {', '.join(_WRITES)}")
        if (system := setting.parameters["filesystem"]) not in FOLDERS:
            raise NotMeasurable(f"filesystem is {system!r}; needs one of {', '.join(FOLDERS)}")
        place = FOLDERS[str(system)]
        words = f'"$PROBE" media {records} {plays} "$place" {frame}'
        paced = f"{words} {frames} {fps} {how} {reserve} || exit 1\n" * setting.repeats
        flow = f"flow() {{ {words} $frames 0 {how} {reserve}; }}\n"
        all_frames = (records + plays) * frame
        size, repeats, enough, writes = all_frames * frames, setting.repeats, "", 0
        if not setting.facts.exact:
            most = max(1, min(setting.whole("most") * 10**6 // all_frames, _MOST_FRAMES))
            frames = min(max(frames, -(-_FIRST_BYTES // all_frames)), most)
            enough = _LONG_ENOUGH % (_LEAST_S * 1e6, most, most, most)
            repeats, writes = repeats - 1, size * repeats + all_frames * most * (repeats + 2)
        script = (
            f"{place.script}{flow}frames={frames}\n"
            'if "$PROBE" disk-place "$place" > /dev/null; then\n'
            f"{enough}{_FLOW * repeats}else\n"
            f'    "$PROBE" say absent metric={self.name}.rate why="{_NO_DISK}"\n'
            f"{_FLOW * setting.repeats}fi\n"
            # After them the file system is no longer new, whose first frames are late.
            f"{paced}"
        )
        return Job(
            script,
            packages=place.packages,
            features=place.features,
            disk=size,
            writes=writes,
            limit_s=60 + setting.repeats * (20 * setting.whole("seconds") + _LIMIT_S),
        )

    def read(self, output: str, setting: Setting) -> Finding:
        frame, frames, fps = self._frames(setting)
        records, plays = self._streams(setting)
        moved, flows = read_rows(output, FramesRow), read_rows(output, FlowRow)
        on_disk = not absences(output, [f"{self.name}.rate"])
        metrics: list[Metric] = []
        for stream, count in (("record", records), ("play", plays)):
            free = [row for row in flows if row.stream == stream]
            paced = [row for row in moved if (row.rate, row.stream) == (fps, stream)]
            if not len(free) == len(paced) == setting.repeats * count:
                raise NotMeasurable(f"the probe has not moved all frames of {stream}")
            if {len(us) for one in paced for us in (one.took_us, one.since_due_us)} - {frames}:
                raise NotMeasurable(f"some frames of {stream} are missing")
            if not count:
                continue
            labels, runs = {"stream": stream}, _by_run(free, count)
            metrics += paced_figures(self.metrics, stream, _by_run(paced, count), 1e6 / fps)
            if on_disk:
                rates = [min(one.frames * 1e6 / one.done_us for one in run) for run in runs]
                metrics.append(self.metrics[0].metric(rates, labels))
            if stream == "record" and setting.parameters["write"] == "buffered":
                rates = [min(one.frames * 1e6 / one.called_us for one in run) for run in runs]
                metrics.append(self._buffered.metric(rates, labels))
        looks = [row for row in read_rows(output, WritebackRow) if row.rate == fps]
        if looks:
            dirty, writeback, written = self.metrics[_OF_STREAMS : len(_METRICS)]
            metrics += [
                dirty.metric(float(look.dirty_bytes) for look in looks),
                writeback.metric(float(look.under_way_bytes) for look in looks),
                written.metric(float(look.wrote_bytes) for look in looks),
            ]
        long = setting.facts.exact or not on_disk
        notes = () if long else (self._extent(flows, frame),)
        return Finding(tuple(metrics), notes=notes)

    def _extent(self, flows: Sequence[FlowRow], frame: int) -> str:
        """The note on how much was moved as fast as it goes, and how long that took."""
        least = min(flow.done_us for flow in flows) / 1e6
        size = format_value(flows[0].frames * frame, "B")
        short = (
            f", less than {_LEAST_S:.0f} s: the rate may be that of the disk's own memory; "
            "a larger `most` moves more"
            if least < _LEAST_S
            else ""
        )
        return (
            f"{self.name}: {size} of each stream went as fast as it goes, to the end of fsync, "
            f"in {format_value(least, 's')} or more{short}."
        )

    def _streams(self, setting: Setting) -> tuple[int, int]:
        """How many are recorded, and how many played."""
        if self.name != "media.both":
            return int(self.name == "media.record"), int(self.name == "media.play")
        records, plays = setting.whole("records"), setting.whole("plays")
        if max(records, plays) > _MOST_STREAMS:
            raise NotMeasurable(f"needs at most {_MOST_STREAMS} streams each way")
        return records, plays

    def _frames(self, setting: Setting) -> tuple[int, int, int]:
        """Bytes of a frame, how many there are, and how many a second."""
        fps = setting.whole("fps")
        frame = setting.whole("bitrate") // (8 * fps)
        if setting.parameters["write"] == "direct":
            frame = -(-frame // _BLOCK) * _BLOCK
        frames = fps * setting.whole("seconds")
        if not 0 < frame <= _MOST_BYTES or fps > 1000 or frames > 100_000:
            raise NotMeasurable("needs up to 1000 frames a second, 16 MiB each, 100,000 in all")
        return frame, frames, fps


def _by_run(streams: Sequence[_File], count: int) -> list[Sequence[_File]]:
    """The streams of each run, `count` of them."""
    return [streams[at : at + count] for at in range(0, len(streams), count)]


def paced_figures(
    quantities: Sequence[Quantity],
    stream: str,
    paced: Sequence[Sequence[FramesRow]],
    period_us: float,
) -> list[Metric]:
    """The metrics of one way that is paced, a sample a run."""
    labels = {"stream": stream}
    took = [[us for one in run for us in one.took_us] for run in paced]
    since = [[us for one in run for us in one.since_due_us] for run in paced]
    worst = tuple(max(run) / 1e6 for run in took)
    late = tuple(sum(us > period_us for us in run) / len(run) for run in since)
    each = tuple(us / 1e6 for run in took for us in run)
    frame, longest, tardy = quantities[1:_OF_STREAMS]
    return [
        frame.metric(each, labels),
        longest.metric(worst, labels),
        tardy.metric(late, labels),
    ]


MEASURES = (
    Media("media.record", "Recording of a stream", "record"),
    Media("media.play", "Playing of a stream", "play"),
    Media("media.both", "Recording streams and playing others", "record", "play", counts=_COUNTS),
)
