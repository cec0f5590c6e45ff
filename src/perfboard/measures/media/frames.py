# SPDX-License-Identifier: Apache-2.0
"""media.*: frames are written and read as a recorder does, paced or as fast as it goes (study A).

The target's own file system is used. A virtual board's disk gets one of its own.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from perfboard.bench.job import PLACES, NotMeasurable, Work
from perfboard.measures.base import Figure, Parameter, whole
from perfboard.model.profile import Value
from perfboard.model.run import Metric

_MOST_BYTES = 16 << 20
_MOST_STREAMS = 8
# The file systems have blocks of this size, and direct writes want whole ones.
_BLOCK = 4096
_WRITES = ("buffered", "sync", "direct")
_WRITEBACK = re.compile(r"@writeback (\d{1,15}) (\d{1,15}) (\d{1,15})")
# Microseconds of each frame: its own, and since it was due.
_Rows = list[tuple[int, int]]
_ROW = re.compile(r"(\d{1,15}) (\d{1,15})")


def _parameters() -> dict[str, Parameter]:
    return {
        "bitrate": Parameter(6_000_000, "bit/s of each stream"),
        "fps": Parameter(30, "frames a second"),
        "seconds": Parameter(5, "of each stream"),
        "write": Parameter("buffered", "buffered, sync (each frame is on the medium), direct"),
        "reserve": Parameter(False, "true: the file has its blocks before its frames"),
        "filesystem": Parameter("own", "own (ext4 on a virtual board), xfs (blocks of 4096 bytes)"),
    }


@dataclass(frozen=True)
class Media:
    """Streams at once, each of its own file. The probe moves them (native/probe/run/media.c)."""

    name: str
    title: str
    parameters: Mapping[str, Parameter] = field(default_factory=_parameters)

    @property
    def metrics(self) -> Mapping[str, Figure]:
        """See `Workload`."""
        return {
            f"{self.name}.rate": Figure("1/s", "frames a second as fast as it goes: label stream"),
            f"{self.name}.frame": Figure("s", "the time of each frame, paced: label stream"),
            f"{self.name}.time": Figure("s", "the longest time of a frame, paced: label stream"),
            f"{self.name}.late": Figure(
                "1", "frames that are a frame's time late, of all, paced: label stream"
            ),
            f"{self.name}.dirty": Figure(
                "B", "the most that waited to be written by the system, paced"
            ),
            f"{self.name}.writeback": Figure(
                "B", "the most that was being written by the system, paced"
            ),
            f"{self.name}.written": Figure("B", "what the system wrote from its page cache, paced"),
        }

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        """See `Workload`."""
        return ()

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """See `Workload`."""
        frame, frames, fps = self._frames(parameters)
        records, plays = self._streams(parameters)
        how, reserve = parameters["write"], int(bool(parameters["reserve"]))
        if how not in _WRITES:
            raise NotMeasurable(f"write is {how!r}; wants one of {', '.join(_WRITES)}")
        if (system := parameters["filesystem"]) not in PLACES:
            raise NotMeasurable(f"filesystem is {system!r}; wants one of {', '.join(PLACES)}")
        place = PLACES[str(system)]
        script = place.script
        for _ in range(repeats):
            for rate in (0, fps):
                script += f'echo "@rate {rate}"\n'
                words = f"{records} {plays} $place {frame} {frames} {rate} {how} {reserve}"
                script += f'"$PROBE" media {words} || exit 1\n'
        return Work(
            script,
            packages=place.packages,
            features=place.features,
            data=(records + plays) * frame * frames,
            limit_s=60 + 20 * repeats * whole(parameters, "seconds"),
        )

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """See `Workload`."""
        frames, fps = self._frames(parameters)[1:]
        records, plays = self._streams(parameters)
        found: dict[tuple[int, str], list[_Rows]] = {}
        cache: dict[int, list[tuple[int, ...]]] = {}
        rows: _Rows | None = None
        rate = 0
        for line in output.splitlines():
            if match := re.fullmatch(r"@rate (\d{1,7})", line):
                rate, rows = int(match[1]), None
            elif match := re.fullmatch(r"@media (record|play)", line):
                rows = []
                found.setdefault((rate, match[1]), []).append(rows)
            elif match := _WRITEBACK.fullmatch(line):
                cache.setdefault(rate, []).append(tuple(map(int, match.groups())))
            elif rows is not None and (row := _ROW.fullmatch(line)):
                rows.append((int(row[1]), int(row[2])))
        metrics: list[Metric] = []
        for stream, count in (("record", records), ("play", plays)):
            free, paced = found.get((0, stream), []), found.get((fps, stream), [])
            if len(free) != repeats * count or len(paced) != repeats * count:
                raise NotMeasurable(f"the probe has not moved all frames of {stream}")
            if any(len(one) != frames for one in (*free, *paced)):
                raise NotMeasurable(f"some frames of {stream} are missing")
            if count:
                runs = (_by_run(free, count), _by_run(paced, count))
                metrics += _figures(self.name, stream, *runs, 1e6 / fps)
        for number, what in enumerate(("dirty", "writeback", "written")):
            samples = tuple(float(looks[number]) for looks in cache.get(fps, []))
            if samples:
                metrics.append(Metric(name=f"{self.name}.{what}", unit="B", samples=samples))
        return tuple(metrics)

    def _streams(self, parameters: Mapping[str, Value]) -> tuple[int, int]:
        """How many are recorded, and how many played."""
        if self.name != "media.both":
            return int(self.name == "media.record"), int(self.name == "media.play")
        records, plays = whole(parameters, "records"), whole(parameters, "plays")
        if max(records, plays) > _MOST_STREAMS:
            raise NotMeasurable(f"wants at most {_MOST_STREAMS} streams each way")
        return records, plays

    def _frames(self, parameters: Mapping[str, Value]) -> tuple[int, int, int]:
        """Bytes of a frame, how many there are, and how many a second."""
        fps = whole(parameters, "fps")
        frame = whole(parameters, "bitrate") // (8 * fps)
        if parameters["write"] == "direct":
            frame = -(-frame // _BLOCK) * _BLOCK
        frames = fps * whole(parameters, "seconds")
        if not 0 < frame <= _MOST_BYTES or fps > 1000 or frames > 100_000:
            raise NotMeasurable("wants up to 1000 frames a second, 16 MiB each, 100,000 in all")
        return frame, frames, fps


def _by_run(streams: Sequence[_Rows], count: int) -> list[list[_Rows]]:
    """The streams of each run, `count` of them."""
    return [list(streams[at : at + count]) for at in range(0, len(streams), count)]


def _figures(
    name: str,
    stream: str,
    free: Sequence[Sequence[_Rows]],
    paced: Sequence[Sequence[_Rows]],
    period_us: float,
) -> list[Metric]:
    """The metrics of one way, a sample a run: of several streams the rate is the slowest one's."""
    labels = {"stream": stream}
    rates = tuple(
        min(len(rows) / (max(1, sum(took for took, _ in rows)) / 1e6) for rows in run)
        for run in free
    )
    of_run = [[row for rows in run for row in rows] for run in paced]
    worst = tuple(max(took for took, _ in rows) / 1e6 for rows in of_run)
    late = tuple(sum(since > period_us for _, since in rows) / len(rows) for rows in of_run)
    each = tuple(took / 1e6 for rows in of_run for took, _ in rows)
    return [
        Metric(name=f"{name}.frame", unit="s", labels=labels, samples=each),
        Metric(name=f"{name}.rate", unit="1/s", labels=labels, better="higher", samples=rates),
        Metric(name=f"{name}.time", unit="s", labels=labels, samples=worst),
        Metric(name=f"{name}.late", unit="1", labels=labels, samples=late),
    ]


_COUNTS = {
    "records": Parameter(1, "files that are recorded at once"),
    "plays": Parameter(1, "files that are played at once"),
}
WORKLOADS = (
    Media("media.record", "Recording of a stream"),
    Media("media.play", "Playing of a stream"),
    Media("media.both", "Recording streams and playing others", _parameters() | _COUNTS),
)
