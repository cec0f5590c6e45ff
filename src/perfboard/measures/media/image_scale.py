# SPDX-License-Identifier: Apache-2.0
"""image.scale: a JPEG picture is scaled to an eighth (study D, image converter)."""

from functools import cache

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Parameter, Quantity, Setting
from perfboard.measures.reading import ended_runs, example_time, time_metrics, timed

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


class ImageScale(Measure):
    """Times libjpeg's djpeg and cjpeg; the picture itself is made by cjpeg, which is not timed."""

    name = "image.scale"
    title = "Scaling of a JPEG picture to an eighth"
    parameters = (
        Parameter("width", 640, "pixels, 64 to 4096"),
        Parameter("height", 480, "pixels, 64 to 4096"),
    )
    metrics = (
        Quantity(
            "image.scale.time", "s", "a picture read, scaled to an eighth each way, and written"
        ),
        Quantity("image.scale.busy", "1", "the processor's share of that time"),
    )
    examples = (
        Example(
            example_time("scale", 2 * 10**9, 10**6),
            {"image.scale.time": 2, "image.scale.busy": 0.5},
        ),
    )

    def job(self, setting: Setting) -> Job:
        width, height = setting.whole("width"), setting.whole("height")
        if not (64 <= width <= _MOST and 64 <= height <= _MOST):
            raise NotMeasurable(f"wants a width and a height of 64 to {_MOST} pixels")
        pixels = picture(width, height)
        command = "djpeg -scale 1/8 large.jpg | cjpeg > small.jpg"
        script = "cjpeg -quality 90 picture.ppm > large.jpg\n"
        script += timed("scale", setting.repeats, ["sh", "-c", command])
        return Job(
            script,
            {"picture.ppm": pixels},
            packages=("libjpeg-turbo-progs",),
            codecs={"libjpeg-turbo-progs": "libjpeg-turbo"},
            programs=("djpeg", "cjpeg"),
            disk=2 * len(pixels),
            limit_s=3600,
        )

    def read(self, output: str, setting: Setting) -> Finding:
        runs = ended_runs(output, "scale", "djpeg or cjpeg")
        return Finding(tuple(time_metrics(self.name, runs)))


MEASURES = (ImageScale(),)
