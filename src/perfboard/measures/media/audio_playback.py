# SPDX-License-Identifier: Apache-2.0
"""audio.playback: the processor's share while sound is played by the board's card, by rate."""

from statistics import mean

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
from perfboard.measures.reading import example_time, refusals, timed, times_of

# In Hz, as makers publish them.
_RATES = (8000, 16000, 44100, 48000, 96000)
_SECONDS = 4
_HAS_CARD = """\
grep -q '^ *[0-9]' /proc/asound/cards 2> /dev/null || {
    "$PROBE" say refused what=card why="the board has no sound card that its kernel drives"
    exit 0; }
"""


class AudioPlayback(Measure):
    """`aplay` plays silence of 16 bits, in stereo; its own time and that of its calls count."""

    name = "audio.playback"
    title = "Playing of sound by the card"
    needs = ("a sound card",)
    parameters = (
        Parameter(
            "device", "plughw:0", "ALSA's name of the card, which converts what it lacks", False
        ),
    )
    metrics = (
        Quantity("audio.playback.busy", "1", "the processor's share of the time: label rate"),
    )
    examples = (Example(example_time("48000", 4 * 10**9, 40_000), {"audio.playback.busy": 0.01}),)

    def job(self, setting: Setting) -> Job:
        device = setting.text("device")
        words = ("-q", "-D", device, "-d", str(_SECONDS), "-f", "S16_LE", "-c", "2")
        runs = "".join(
            timed(str(rate), setting.repeats, ("aplay", *words, "-r", str(rate), "/dev/zero"))
            for rate in _RATES
        )
        # A card that stands still plays for ever.
        limit_s = 60.0 + 3 * _SECONDS * len(_RATES) * setting.repeats
        return Job(
            f"{_HAS_CARD}{runs}", programs=("aplay",), packages=("alsa-utils",), limit_s=limit_s
        )

    def read(self, output: str, setting: Setting) -> Finding:
        found = []
        times = times_of(output)
        for rate in map(str, _RATES):
            shares = [
                min(1.0, run.busy_s / run.real_s) for run in times.get(rate, ()) if not run.status
            ]
            if shares:
                found.append(self.metrics[0].metric(shares, {"rate": rate}))
        if not found:
            refused = refusals(output).get("card")
            raise NotMeasurable(refused or "aplay played at none of the rates")
        shown = tuple(ShownMetric(f"at {each.labels['rate']} Hz", each) for each in found)
        last = found[-1]
        short = f"{mean(last.samples):.1%} of the processor at {last.labels['rate']} Hz"
        return Finding(tuple(found), shown, short)


MEASURES = (AudioPlayback(),)
