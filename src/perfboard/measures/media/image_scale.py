# SPDX-License-Identifier: Apache-2.0
"""image.scale: a JPEG picture is scaled to an eighth (image converter study, 2001)."""

import random
from functools import cache

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Parameter, Quantity, Setting
from perfboard.measures.reading import ended_runs, example_time, time_metrics, timed

_MOST = 4096
# A small board's memory has room for these rows, and not for all of a picture.
_ROWS = 64
_SEED = 2001
# The sum of two numbers of up to this is added to each colour of each pixel. With it a picture of
# 3 megapixels has 1.6 MB at a quality of 90, as one of a camera has 1.2 to 1.8 MB.
_NOISE = (63, 15)


@cache
def strip(width: int) -> bytes:
    """The pixels of `_ROWS` rows: gradients, edges and a camera's noise; the same everywhere."""
    chance = random.Random(_SEED)  # noqa: S311 - the same noise each time
    size, steps = 3 * width, width + _ROWS
    gradient = bytes(
        colour
        for at in range(steps)
        for colour in (20 + 100 * at // steps, 130 - 80 * at // steps, 20 + 60 * at // steps)
    )
    edges = bytes(40 if (x // 32) % 2 else 0 for x in range(width + 32) for _ in range(3))

    def numbers(pixels: bytes) -> int:
        return int.from_bytes(pixels, "big")

    rows = []
    for y in range(_ROWS):
        shift = 3 * (y // 32 * 32)
        # No sum is above 255, so that none carries into the next colour.
        row = numbers(gradient[3 * y : 3 * y + size]) + numbers(edges[shift : shift + size])
        for most in _NOISE:
            row += numbers(chance.randbytes(size)) & numbers(bytes((most,)) * size)
        rows.append(row.to_bytes(size, "big"))
    return b"".join(rows)


def picture_line(width: int, height: int, target: str) -> str:
    """The line of a script that makes the picture, of the file `strip`, by cjpeg.

    The strip is there again and again, as far as it goes, so that no more of it is in memory.
    """
    return (
        f"{{ printf 'P6\\n{width} {height}\\n255\\n'; row=0; while [ $row -lt {height} ]; do "
        f"cat strip; row=$((row + {_ROWS})); done; }} | cjpeg -quality 90 > {target} || exit 1\n"
    )


class ImageScale(Measure):
    """Times libjpeg's djpeg and cjpeg; the picture itself is made by cjpeg, which is not timed."""

    name = "image.scale"
    title = "Scaling of a JPEG picture to an eighth"
    parameters = (
        Parameter("width", 2048, "pixels, 64 to 4096"),
        Parameter("height", 1536, "pixels, 64 to 4096"),
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
            raise NotMeasurable(f"needs a width and a height of 64 to {_MOST} pixels")
        pixels = strip(width)
        command = "djpeg -scale 1/8 large.jpg | cjpeg > small.jpg"
        script = picture_line(width, height, "large.jpg")
        script += timed("scale", setting.repeats, ["sh", "-c", command])
        return Job(
            script,
            {"strip": pixels},
            packages=("libjpeg-turbo-progs",),
            codecs={"libjpeg-turbo-progs": "libjpeg-turbo"},
            programs=("djpeg", "cjpeg"),
            disk=len(pixels) + 3 * width * height // 4,
            limit_s=3600,
        )

    def read(self, output: str, setting: Setting) -> Finding:
        runs = ended_runs(output, "scale", "djpeg or cjpeg")
        return Finding(tuple(time_metrics(self.name, runs)))


MEASURES = (ImageScale(),)
