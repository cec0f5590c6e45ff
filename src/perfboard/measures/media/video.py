# SPDX-License-Identifier: Apache-2.0
"""media.video: the frames of video that are encoded a second."""

import random
from functools import cache
from statistics import median

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import (
    Example,
    Finding,
    Measure,
    Parameter,
    Quantity,
    Setting,
    ShownMetric,
)
from perfboard.measures.media.image_scale import strip
from perfboard.measures.reading import CommandTime, ended_runs, example_time, timed
from perfboard.model.units import format_value

_CODECS = ("mjpeg", "h264")
_LEAST, _MOST = 64, 1920
_MOST_FRAMES = 10_000
_FRAMES, _EXACT_FRAMES = 300, 30
# H.264's pictures, again and again: each is a step further than the one before.
_DISTINCT, _STEP = 10, 4
_RAMP = 192
_SEED = 2013
# Each pixel has noise of up to this, as a camera's have.
_NOISE = 15
# Debian's ffmpeg is a program of such instructions.
_OF_FFMPEG = ("thumb", "float", "cmov")
_MJPEG = """\
#!/bin/sh
frame=0
while [ $frame -lt $1 ]; do
    cjpeg -quality 75 frame.ppm > frame.jpg || exit 1
    frame=$((frame + 1))
done
"""
_H264 = """\
#!/bin/sh
frame=0
while [ $frame -lt $1 ]; do
    cat frames || exit
    frame=$((frame + {distinct}))
done | ffmpeg -loglevel error -nostdin -f rawvideo -pix_fmt yuv420p -s {width}x{height} -r 30 \\
    -i - -frames:v $1 -c:v libx264 -preset ultrafast -f null -
"""


@cache
def moving_pictures(width: int, height: int) -> bytes:
    """Frames of yuv420p: stripes that move, with noise; the same everywhere."""
    chance = random.Random(_SEED)  # noqa: S311 - the same noise each time
    ramp = bytes(16 + abs(at % (2 * _RAMP) - _RAMP) for at in range(width + 2 * _RAMP))
    mask = int.from_bytes(bytes((_NOISE,)) * width)
    colours = bytes(128 + at * 32 // width for at in range(width // 2))
    frames = []
    for frame in range(_DISTINCT):
        for y in range(height):
            at = (2 * y + _STEP * frame) % (2 * _RAMP)
            # No sum is above 255, so that none carries into the next pixel.
            row = int.from_bytes(ramp[at : at + width])
            noise = int.from_bytes(chance.randbytes(width)) & mask
            frames.append((row + noise).to_bytes(width))
        frames.append(colours * height)
    return b"".join(frames)


class MediaVideo(Measure):
    """Times cjpeg frame by frame, or ffmpeg's libx264 less what its start takes."""

    name = "media.video"
    title = "Encoding of video"
    parameters = (
        Parameter(
            "codec", "mjpeg", "mjpeg (a JPEG a frame, by cjpeg), h264 (by ffmpeg, ultrafast)"
        ),
        Parameter("width", 320, f"pixels, {_LEAST} to {_MOST}, an even number"),
        Parameter("height", 240, f"pixels, {_LEAST} to {_MOST}, an even number"),
        Parameter(
            "frames",
            0,
            f"that are encoded, up to {_MOST_FRAMES}; 0: {_FRAMES}, on a virtual board "
            f"{_EXACT_FRAMES}",
            labels=False,
        ),
    )
    metrics = (
        Quantity("media.video.rate", "1/s", "frames a second", "higher"),
        Quantity("media.video.busy", "1", "processors that it kept busy meanwhile"),
    )
    examples = (
        Example(
            example_time("frames", 2 * 10**9, 10**6),
            {"media.video.rate": 15, "media.video.busy": 0.5},
        ),
        Example(
            example_time("start", 10**9, 10**6) + example_time("frames", 3 * 10**9, 4 * 10**6),
            {"media.video.rate": 15, "media.video.busy": 1.5},
            {"codec": "h264"},
        ),
    )

    def job(self, setting: Setting) -> Job:
        width, height = setting.whole("width"), setting.whole("height")
        frames, codec = self._frames(setting), setting.text("codec")
        if any(side % 2 or not _LEAST <= side <= _MOST for side in (width, height)):
            raise NotMeasurable(f"needs an even width and height of {_LEAST} to {_MOST} pixels")
        if codec not in _CODECS or frames > _MOST_FRAMES:
            raise NotMeasurable(f"needs up to {_MOST_FRAMES} frames, and of {', '.join(_CODECS)}")
        encode = timed("frames", setting.repeats, ["sh", "encode.sh", str(frames)])
        if codec == "mjpeg":
            pixels = strip(width)
            strips = -(-height // (len(pixels) // (3 * width)))
            head = f"printf 'P6\\n{width} {height}\\n255\\n'"
            rows = f"for row in $(seq {strips}); do cat strip; done"
            return Job(
                f"{{ {head}; {rows}; }} > frame.ppm || exit 1\n{encode}",
                {"strip": pixels, "encode.sh": _MJPEG.encode()},
                packages=("libjpeg-turbo-progs",),
                codecs={"libjpeg-turbo-progs": "libjpeg-turbo"},
                programs=("cjpeg",),
                disk=6 * width * height,
                limit_s=3600,
            )
        if lacks := sorted(set(_OF_FFMPEG) & setting.facts.lacks):
            raise NotMeasurable(
                f"Debian's ffmpeg has instructions that the part lacks ({', '.join(lacks)}): it "
                "needs ARMv7, or i686, at the least"
            )
        script = _H264.format(width=width, height=height, distinct=_DISTINCT)
        start, more = (
            timed(name, setting.repeats, ["sh", "encode.sh", str(count)])
            for name, count in (("start", 1), ("frames", frames + 1))
        )
        pictures = moving_pictures(width, height)
        return Job(
            # Says why, where it cannot; and the program is in memory then.
            f"sh encode.sh 1 || exit 1\n{start}{more}",
            {"frames": pictures, "encode.sh": script.encode()},
            packages=("ffmpeg",),
            programs=("ffmpeg",),
            disk=len(pictures),
            from_disk=True,
            limit_s=3600,
        )

    def read(self, output: str, setting: Setting) -> Finding:
        frames, codec = self._frames(setting), setting.text("codec")
        program = "cjpeg" if codec == "mjpeg" else "ffmpeg"
        runs = ended_runs(output, "frames", program)
        taken = [(run.real_s, run.busy_s) for run in runs]
        if codec == "h264":
            starts = ended_runs(output, "start", program)
            taken = [_less(run, start) for run, start in zip(runs, starts, strict=False)]
        if any(real_s <= 0 for real_s, _ in taken):
            raise NotMeasurable(
                f"{frames} frames took no longer than the start of ffmpeg; give more frames"
            )
        rate = self.metrics[0].metric(frames / real_s for real_s, _ in taken)
        busy = self.metrics[1].metric(max(busy_s, 0) / real_s for real_s, busy_s in taken)
        short = f"{codec} {format_value(median(rate.samples), '1/s')} frames"
        return Finding((rate, busy), (ShownMetric(f"frames a second, {codec}", rate),), short)

    def _frames(self, setting: Setting) -> int:
        return setting.whole("frames", 0) or (_EXACT_FRAMES if setting.facts.exact else _FRAMES)


def _less(run: CommandTime, start: CommandTime) -> tuple[float, float]:
    """The real and the processor's time of a run beyond that of another."""
    return run.real_s - start.real_s, run.busy_s - start.busy_s


MEASURES = (MediaVideo(),)
