# SPDX-License-Identifier: Apache-2.0
"""image.scale: a JPEG picture is scaled to an eighth (study D, image converter)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from perfboard.bench.job import NotMeasurable, Work
from perfboard.measures.base import Figure, Parameter, whole
from perfboard.measures.reading import ended_runs, time_metrics, timed
from perfboard.model.profile import Value
from perfboard.model.run import Metric

_MOST = 4096


@cache
def picture(width: int, height: int) -> bytes:
    """A PPM picture: gradients, an edge each 64 pixels and grain; the same everywhere."""
    grain, rows = 1, bytearray()
    for y in range(height):
        for x in range(width):
            grain = (grain * 1103515245 + 12345) & 0x7FFFFFFF
            edge = 60 if (x // 64 + y // 64) % 2 else 0
            base = 150 * (x + y) // (width + height) + edge + (grain >> 27)
            rows += bytes((base, 255 - base, (base + x) & 0xFF))
    return b"P6\n%d %d\n255\n" % (width, height) + bytes(rows)


@dataclass(frozen=True)
class ImageScale:
    """Times libjpeg's djpeg and cjpeg; the picture itself is made by cjpeg, which is not timed."""

    name: str = "image.scale"
    title: str = "Scaling of a JPEG picture to an eighth"
    parameters: Mapping[str, Parameter] = field(
        default_factory=lambda: {
            "width": Parameter(640, "pixels, 64 to 4096"),
            "height": Parameter(480, "pixels, 64 to 4096"),
        }
    )
    metrics: Mapping[str, Figure] = field(
        default_factory=lambda: {
            "image.scale.time": Figure(
                "s", "a picture read, scaled to an eighth each way, and written"
            ),
            "image.scale.busy": Figure("1", "the processor's share of that time"),
        }
    )

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        """See `Workload`."""
        return ()

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """See `Workload`."""
        width, height = whole(parameters, "width"), whole(parameters, "height")
        if not (64 <= width <= _MOST and 64 <= height <= _MOST):
            raise NotMeasurable(f"wants a width and a height of 64 to {_MOST} pixels")
        pixels = picture(width, height)
        command = "djpeg -scale 1/8 large.jpg | cjpeg > small.jpg"
        script = "cjpeg -quality 90 picture.ppm > large.jpg\n"
        script += timed("scale", repeats, ["sh", "-c", command])
        return Work(
            script,
            {"picture.ppm": pixels},
            packages=("libjpeg-turbo-progs",),
            codecs={"libjpeg-turbo-progs": "libjpeg-turbo"},
            programs=("djpeg", "cjpeg"),
            data=2 * len(pixels),
            limit_s=3600,
        )

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """See `Workload`."""
        runs = ended_runs(output, "scale", "djpeg or cjpeg")
        return tuple(time_metrics(self.name, runs))


WORKLOADS = (ImageScale(),)
