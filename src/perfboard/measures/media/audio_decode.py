# SPDX-License-Identifier: Apache-2.0
"""audio.decode: the share of one processor that the playing of a track's sound takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

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
from perfboard.measures.media.audio_encode import track
from perfboard.measures.reading import ended_runs, example_time, printed, say, timed
from perfboard.model.rows import row_line

# A second of the track's sound, of two channels of 16 bits.
_SECOND = 44_100 * 4
# A decoder may leave out the frames that its encoder had put around the track.
_LEAST = 0.9
# Debian's programs for i386 have such instructions, and the oldest parts do not.
_OF_I686 = "cmov"


@dataclass(frozen=True)
class _Format:
    """How a track is encoded, and how {tracks} are decoded to the standard output."""

    encode: str
    decode: str
    packages: tuple[str, ...]
    programs: tuple[str, ...]
    # Packages that its programs would play with.
    without: tuple[str, ...] = ()
    # By package, the source that is built for older parts (images/program/codecs.py).
    codecs: Mapping[str, str] = field(default_factory=dict)


_FORMATS: Mapping[str, _Format] = {
    "mp3": _Format(
        "lame --quiet -b 128 track.wav track.mp3",
        # Debian's script that links mpg123 to it does not run on a virtual board.
        "mpg123.bin -q -s {tracks}",
        ("lame", "mpg123"),
        ("lame", "mpg123.bin"),
        ("libasound2*", "libaudio2", "libjack*", "libopenal*", "libportaudio2", "libpulse0"),
    ),
    # Its decoder takes one file, or what follows each other in its input.
    "ogg": _Format(
        "oggenc -Q -q 4 -o track.ogg track.wav",
        "cat {tracks} | oggdec -Q -R -o - -",
        ("vorbis-tools",),
        ("oggenc", "oggdec"),
        ("libao4", "libao-common", "libcurl3-gnutls"),
    ),
    "flac": _Format(
        "flac -s -o track.flac track.wav",
        "flac -s -d -c {tracks}",
        ("flac",),
        ("flac",),
        codecs={"flac": "flac"},
    ),
}


class AudioDecode(Measure):
    """Times a decoder on a second of sound again and again, so that its start counts little."""

    name = "audio.decode"
    title = "Decoding of sound"
    parameters = (
        Parameter("format", "mp3", f"one of {', '.join(_FORMATS)}"),
        Parameter("seconds", 10, "length of what is decoded, 1 to 600 s"),
    )
    metrics = (
        Quantity(
            "audio.decode.share",
            "1",
            "of one processor, to decode sound as fast as it is played",
        ),
        Quantity("audio.decode.time", "s", "time to decode one second of sound"),
    )
    examples = (
        Example(
            row_line("said", name="bytes", text=str(_SECOND))
            + example_time("decode", 2 * 10**9, 10**6),
            {"audio.decode.share": 0.1, "audio.decode.time": 0.2},
        ),
    )

    def job(self, setting: Setting) -> Job:
        name, seconds = setting.text("format"), setting.whole("seconds")
        if name not in _FORMATS or seconds > 600:
            raise NotMeasurable(
                f"there are the formats {', '.join(_FORMATS)}, of up to 600 s of sound"
            )
        form, wav = _FORMATS[name], track(1)
        if _OF_I686 in setting.facts.lacks and not form.codecs:
            raise NotMeasurable(
                f"the part lacks CMOV, and Debian's {form.programs[-1]} is built for i686, which "
                "has it; format=flac is built for the part"
            )
        once, again = (
            form.decode.format(tracks=" ".join([f"track.{name}"] * count)) for count in (1, seconds)
        )
        # To look at a second of it first also has the decoder in memory before it is timed.
        look = say("bytes", f"$({once} | wc -c)")
        decode = timed("decode", setting.repeats, ["sh", "-c", again])
        return Job(
            f"{form.encode} || exit 1\n{look}{decode}",
            {"track.wav": wav},
            packages=form.packages,
            codecs=form.codecs,
            without=form.without,
            programs=form.programs,
            disk=2 * len(wav),
            limit_s=7200,
        )

    def read(self, output: str, setting: Setting) -> Finding:
        name, seconds = setting.text("format"), setting.whole("seconds")
        runs = ended_runs(output, "decode", f"the decoder of {name}")
        found = printed(output, "bytes")
        if not found.isdecimal() or not _LEAST <= int(found) / _SECOND <= 2 - _LEAST:
            raise NotMeasurable(
                f"the decoder of {name} made {found or 'no'} bytes of a second of sound, which has "
                f"{_SECOND}"
            )
        share, time = self.metrics
        of_one = share.metric(run.busy_s / seconds for run in runs)
        each = time.metric(run.real_s / seconds for run in runs)
        return Finding((of_one, each), (ShownMetric(f"{name}, of one processor", of_one),))


MEASURES = (AudioDecode(),)
