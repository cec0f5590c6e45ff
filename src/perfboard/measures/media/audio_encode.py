# SPDX-License-Identifier: Apache-2.0
"""audio.encode: a track is encoded to MP3 by LAME (image converter study, 2001)."""

import math
import random
import struct
from functools import cache

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Parameter, Quantity, Setting
from perfboard.measures.reading import ended_runs, example_time, time_metrics, timed

_RATE = 44_100
_SEED = 1999
_BITRATES = (32, 64, 128)


@cache
def track(seconds: int) -> bytes:
    """A WAV file of two channels of 16 bits: chords that change, in noise; the same everywhere.

    A record has noise on both channels, and each its own.
    """
    chance, samples = random.Random(_SEED), bytearray()  # noqa: S311 - the same noise each time
    for at in range(_RATE * seconds):
        noise = chance.getrandbits(24)
        tone = 220 * 2 ** ((at // (_RATE // 4)) % 12 / 12)
        phase = 2 * math.pi * at / _RATE
        left = (
            9000 * math.sin(tone * phase)
            + 5000 * math.sin(1.5 * tone * phase)
            + (noise >> 12)
            - 2048
        )
        right = 9000 * math.sin(2 * tone * phase) + (noise & 0xFFF) - 2048
        samples += struct.pack("<hh", int(left), int(right))
    head = b"fmt " + struct.pack("<IHHIIHH", 16, 1, 2, _RATE, _RATE * 4, 4, 16)
    body = b"WAVE" + head + b"data" + struct.pack("<I", len(samples)) + bytes(samples)
    return b"RIFF" + struct.pack("<I", len(body)) + body


class AudioEncode(Measure):
    """Times LAME on a short track: a longer one takes as long a second."""

    name = "audio.encode"
    title = "Encoding of sound to MP3"
    parameters = (
        Parameter("seconds", 1, "length of the track, 1 to 60 s"),
        Parameter("bitrate", 128, "kbit/s: 32, 64 or 128"),
    )
    metrics = (
        Quantity("audio.encode.time", "s", "time to encode one second of sound"),
        Quantity("audio.encode.busy", "1", "the processor's share of that time"),
    )
    examples = (
        Example(
            example_time("encode", 2 * 10**9, 10**6),
            {"audio.encode.time": 2, "audio.encode.busy": 0.5},
        ),
    )

    def job(self, setting: Setting) -> Job:
        seconds, bitrate = setting.whole("seconds"), setting.whole("bitrate")
        if seconds > 60 or bitrate not in _BITRATES:
            raise NotMeasurable("needs seconds up to 60, and a bitrate of 32, 64 or 128")
        command = ["lame", "--quiet", "-b", str(bitrate), "track.wav", "track.mp3"]
        wav = track(seconds)
        return Job(
            timed("encode", setting.repeats, command),
            {"track.wav": wav},
            packages=("lame",),
            codecs={"lame": "lame"},
            programs=("lame",),
            disk=2 * len(wav),
            limit_s=7200,
        )

    def read(self, output: str, setting: Setting) -> Finding:
        runs = ended_runs(output, "encode", "lame")
        return Finding(tuple(time_metrics(self.name, runs, units=setting.whole("seconds"))))


MEASURES = (AudioEncode(),)
