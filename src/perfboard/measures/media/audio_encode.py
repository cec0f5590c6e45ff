# SPDX-License-Identifier: Apache-2.0
"""audio.encode: a track is encoded to MP3 by LAME (study D, image converter)."""

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from perfboard.bench.job import NotMeasurable, Work
from perfboard.measures.base import Figure, Parameter, whole
from perfboard.measures.reading import ended_runs, time_metrics, timed
from perfboard.model.profile import Value
from perfboard.model.run import Metric

_RATE = 44_100
_BITRATES = (32, 64, 128)


@cache
def track(seconds: int) -> bytes:
    """A WAV file of two channels of 16 bits: chords that change, and noise; the same everywhere."""
    noise, samples = 1, bytearray()
    for at in range(_RATE * seconds):
        noise = (noise * 1103515245 + 12345) & 0x7FFFFFFF
        tone = 220 * 2 ** ((at // (_RATE // 4)) % 12 / 12)
        phase = 2 * math.pi * at / _RATE
        left = 9000 * math.sin(tone * phase) + 5000 * math.sin(1.5 * tone * phase)
        right = 9000 * math.sin(2 * tone * phase) + (noise >> 19)
        samples += struct.pack("<hh", int(left), int(right))
    head = b"fmt " + struct.pack("<IHHIIHH", 16, 1, 2, _RATE, _RATE * 4, 4, 16)
    body = b"WAVE" + head + b"data" + struct.pack("<I", len(samples)) + bytes(samples)
    return b"RIFF" + struct.pack("<I", len(body)) + body


@dataclass(frozen=True)
class AudioEncode:
    """Times LAME on a short track: a longer one takes as long a second."""

    name: str = "audio.encode"
    title: str = "Encoding of sound to MP3"
    parameters: Mapping[str, Parameter] = field(
        default_factory=lambda: {
            "seconds": Parameter(1, "length of the track, 1 to 60 s"),
            "bitrate": Parameter(128, "kbit/s: 32, 64 or 128"),
        }
    )
    metrics: Mapping[str, Figure] = field(
        default_factory=lambda: {
            "audio.encode.time": Figure("s", "time to encode one second of sound"),
            "audio.encode.busy": Figure("1", "the processor's share of that time"),
        }
    )

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        """See `Workload`."""
        return ()

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """See `Workload`."""
        seconds, bitrate = whole(parameters, "seconds"), whole(parameters, "bitrate")
        if seconds > 60 or bitrate not in _BITRATES:
            raise NotMeasurable("wants seconds up to 60, and a bitrate of 32, 64 or 128")
        command = ["lame", "--quiet", "-b", str(bitrate), "track.wav", "track.mp3"]
        wav = track(seconds)
        return Work(
            timed("encode", repeats, command),
            {"track.wav": wav},
            packages=("lame",),
            codecs={"lame": "lame"},
            programs=("lame",),
            data=2 * len(wav),
            limit_s=7200,
        )

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """See `Workload`."""
        runs = ended_runs(output, "encode", "lame")
        return tuple(time_metrics(self.name, runs, units=whole(parameters, "seconds")))


WORKLOADS = (AudioEncode(),)
