# SPDX-License-Identifier: Apache-2.0
"""media.*: frames are written and read as a recorder does, paced or as fast as it goes (study A).

The target's own file system is used. A virtual board's disk gets an ext4 of its own.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from perfboard.model.profile import Value
from perfboard.model.run import Metric
from perfboard.studies.profile.workloads.base import (
    PLACE,
    PLACE_FEATURES,
    PLACE_PACKAGES,
    NotMeasurable,
    Parameter,
    Work,
    whole,
)

_MOST_BYTES = 16 << 20
_ROW = re.compile(r"(\d{1,15}) (\d{1,15})")


def _parameters() -> dict[str, Parameter]:
    return {
        "bitrate": Parameter(6_000_000, "bit/s of each stream"),
        "fps": Parameter(30, "frames a second"),
        "seconds": Parameter(5, "of each stream"),
        "sync": Parameter(False, "true: each frame is on the medium before the next"),
    }


@dataclass(frozen=True)
class Media:
    """One stream, or both at once. The probe moves the frames (native/probe/run/media.c)."""

    name: str
    title: str
    what: str
    streams: tuple[str, ...]
    parameters: Mapping[str, Parameter] = field(default_factory=_parameters)

    @property
    def metrics(self) -> Mapping[str, str]:
        """See `Workload`."""
        return {
            f"{self.name}.rate": "frames a second as fast as it goes: label stream",
            f"{self.name}.frame": "the time of each frame, paced: label stream",
            f"{self.name}.time": "the longest time of a frame, paced: label stream",
            f"{self.name}.late": "frames that are a frame's time late, of all, paced: label stream",
        }

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        """See `Workload`."""
        return ()

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """See `Workload`."""
        frame, frames, fps = self._frames(parameters)
        sync = int(bool(parameters["sync"]))
        script = PLACE
        for _ in range(repeats):
            for rate in (0, fps):
                script += f'echo "@rate {rate}"\n'
                words = f"media {self.what} $place {frame} {frames} {rate} {sync}"
                script += f'"$PROBE" {words} || exit 1\n'
        return Work(
            script,
            packages=PLACE_PACKAGES,
            features=PLACE_FEATURES,
            data=2 * frame * frames,
            limit_s=60 + 20 * repeats * whole(parameters, "seconds"),
        )

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """See `Workload`."""
        frames, fps = self._frames(parameters)[1:]
        found: dict[tuple[int, str], list[list[tuple[int, int]]]] = {}
        rows: list[tuple[int, int]] | None = None
        rate = 0
        for line in output.splitlines():
            if match := re.fullmatch(r"@rate (\d{1,7})", line):
                rate, rows = int(match[1]), None
            elif match := re.fullmatch(r"@media (record|play)", line):
                rows = []
                found.setdefault((rate, match[1]), []).append(rows)
            elif rows is not None and (row := _ROW.fullmatch(line)):
                rows.append((int(row[1]), int(row[2])))
        metrics: list[Metric] = []
        for stream in self.streams:
            free, paced = found.get((0, stream), []), found.get((fps, stream), [])
            if len(free) != repeats or len(paced) != repeats:
                raise NotMeasurable(f"the probe has not moved all frames of {stream}")
            if any(len(one) != frames for one in (*free, *paced)):
                raise NotMeasurable(f"some frames of {stream} are missing")
            metrics += _figures(self.name, stream, free, paced, 1e6 / fps)
        return tuple(metrics)

    def _frames(self, parameters: Mapping[str, Value]) -> tuple[int, int, int]:
        """Bytes of a frame, how many there are, and how many a second."""
        fps = whole(parameters, "fps")
        frame = whole(parameters, "bitrate") // (8 * fps)
        frames = fps * whole(parameters, "seconds")
        if not 0 < frame <= _MOST_BYTES or fps > 1000 or frames > 100_000:
            raise NotMeasurable("wants up to 1000 frames a second, 16 MiB each, 100,000 in all")
        return frame, frames, fps


def _figures(
    name: str,
    stream: str,
    free: Sequence[Sequence[tuple[int, int]]],
    paced: Sequence[Sequence[tuple[int, int]]],
    period_us: float,
) -> list[Metric]:
    """The metrics of a stream. Each row has microseconds: the frame's own, and since it was due."""
    labels = {"stream": stream}
    rates = tuple(len(rows) / (max(1, sum(took for took, _ in rows)) / 1e6) for rows in free)
    worst = tuple(max(took for took, _ in rows) / 1e6 for rows in paced)
    late = tuple(sum(since > period_us for _, since in rows) / len(rows) for rows in paced)
    each = tuple(took / 1e6 for rows in paced for took, _ in rows)
    return [
        Metric(name=f"{name}.frame", unit="s", labels=labels, samples=each),
        Metric(name=f"{name}.rate", unit="1/s", labels=labels, better="higher", samples=rates),
        Metric(name=f"{name}.time", unit="s", labels=labels, samples=worst),
        Metric(name=f"{name}.late", unit="1", labels=labels, samples=late),
    ]


WORKLOADS = (
    Media("media.record", "Recording of a stream", "record", ("record",)),
    Media("media.play", "Playing of a stream", "play", ("play",)),
    Media("media.both", "Recording one stream and playing another", "both", ("record", "play")),
)
