# SPDX-License-Identifier: Apache-2.0
"""media.network: a film comes from the network while another is written to the disk."""

from dataclasses import replace
from types import MappingProxyType

from perfboard.bench.base import Bench
from perfboard.bench.job import OWN_FOLDER, Job, NotMeasurable
from perfboard.measures.base import (
    Finding,
    Measure,
    Parameter,
    Quantity,
    Setting,
    ShownMetric,
    Turn,
)
from perfboard.measures.media.frames import FramesRow, WritebackRow, paced_figures
from perfboard.measures.reading import refusals
from perfboard.model.rows import read_rows
from perfboard.model.units import format_value

_MOST_FRAMES = 36_000
_MOST_BYTES = 16 << 20
_PACED = (
    Quantity("frame", "s", "the time of each frame: label stream"),
    Quantity("time", "s", "the longest time of a frame: label stream"),
    Quantity("late", "1", "frames that are a frame's time late, of all: label stream"),
)
_TITLES = {"play": "the film from the network", "record": "the film to the disk"}


class MediaNetwork(Measure):
    """The probe reads each frame from a TCP connection when it is due, and writes one likewise."""

    name = "media.network"
    title = "A film from the network while another is written"
    labels = MappingProxyType({"stream": tuple(_TITLES)})
    parameters = (
        Parameter("bitrate", 6_000_000, "bit/s of each film"),
        Parameter("fps", 30, "frames a second"),
        Parameter("seconds", 5, "of each film"),
    )
    metrics = (
        *(replace(each, name=f"media.network.{each.name}") for each in _PACED),
        Quantity("media.network.dirty", "B", "the most that waited to be written by the system"),
    )

    def job(self, setting: Setting) -> Job:
        frame, frames, _ = self._frames(setting)
        return Job(
            "",
            packages=OWN_FOLDER.packages,
            features=OWN_FOLDER.features,
            disk=frame * frames,
            writes=frame * frames * setting.repeats,
            network=True,
        )

    def measure(self, name: str, bench: Bench, setting: Setting, turn: Turn) -> Finding:
        frame, frames, fps = self._frames(setting)
        seconds = float(setting.whole("seconds"))
        with turn.running() as notify, bench.talk(lambda job: bench.run(name, job, notify)) as talk:
            outputs = [
                talk.film(f"{frame} {frames} {fps}", seconds) for _ in range(setting.repeats)
            ]
            in_memory = talk.in_memory
        output = "\n".join(outputs)
        if why := refusals(output).get("place"):
            raise NotMeasurable(why)
        rows, looks = read_rows(output, FramesRow), read_rows(output, WritebackRow)
        metrics = []
        for stream in _TITLES:
            paced = [[row] for row in rows if (row.rate, row.stream) == (fps, stream)]
            if len(paced) != setting.repeats or any(
                {len(row.took_us), len(row.since_due_us)} != {frames} for (row,) in paced
            ):
                raise NotMeasurable(f"some frames of {_TITLES[stream]} are missing")
            # Its first place is a rate's, which this measure does not have.
            metrics += paced_figures((self.metrics[0], *self.metrics), stream, paced, 1e6 / fps)
        if len(looks) == setting.repeats:
            metrics.append(self.metrics[-1].metric(float(look.dirty_bytes) for look in looks))
        late = [metric for metric in metrics if metric.name == "media.network.late"]
        figures = tuple(
            ShownMetric(f"late frames of {_TITLES[metric.labels['stream']]}", metric)
            for metric in late
        )
        longest = max(max(m.samples) for m in metrics if m.name == "media.network.time")
        return Finding(
            tuple(metrics),
            figures,
            f"a frame took {format_value(longest, 's')} at most",
            "memory, not a wire: both ends are on this machine" if in_memory else "",
        )

    def _frames(self, setting: Setting) -> tuple[int, int, int]:
        """Bytes of a frame, how many there are, and how many a second."""
        fps = setting.whole("fps")
        frame, frames = setting.whole("bitrate") // (8 * fps), fps * setting.whole("seconds")
        if not 0 < frame <= _MOST_BYTES or fps > 1000 or frames > _MOST_FRAMES:
            raise NotMeasurable("needs up to 1000 frames a second, 16 MiB each, 36,000 in all")
        return frame, frames, fps


MEASURES = (MediaNetwork(),)
