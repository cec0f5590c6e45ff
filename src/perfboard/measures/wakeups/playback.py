# SPDX-License-Identifier: Apache-2.0
"""wakeups: how often a writer of audio has to wake, and how idle the board is then."""

from statistics import median

from perfboard.analysis.wakeups.reading import read_playbacks
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
from perfboard.measures.wakeups.metrics import metrics
from perfboard.model.rows import row_line
from perfboard.model.units import format_value

# The driver of ours, and the device of its sound card.
_DRIVER = "wake"
_WAYS = {"timer": (), "slack": (), "sink": (_DRIVER,), "alsa": (_DRIVER,)}
_LOADS = ("idle", "copy", "burst12", "burst25", "turns12", "turns25")
# 44.1 kHz, 16 bits, two channels.
RATE = 44_100 * 4
_LATENCIES = {"p50": "half of the wakes", "p99": "99 % of them", "max": "all"}


class AudioWakeups(Measure):
    """Plays for some seconds, one way at one trigger under one load."""

    name = "wakeups"
    needs = ("root, for the loads burst12, burst25, turns12 and turns25",)
    title = "Wake-ups of a writer of audio"
    parameters = (
        Parameter("way", "timer", f"how it is woken: {', '.join(_WAYS)}"),
        Parameter("level", 0, "the trigger: it sleeps until one more buffer has been played"),
        Parameter("load", "idle", f"meanwhile: {', '.join(_LOADS)}"),
        Parameter("periods", 500, "buffers that are played, 100 or more", labels=False),
        Parameter("buffers", 8, "how many there are, 2 to 64"),
        Parameter("buffer_bytes", 1024, "size of one, 64 to 65536, of 44.1 kHz, 16 bits, stereo"),
    )
    metrics = (
        Quantity("wakeups.wakes", "1/s", "wakes of the writer"),
        Quantity("wakeups.switches", "1/s", "context switches of the whole board"),
        Quantity("wakeups.switches.writer", "1/s", "those of the writer"),
        Quantity("wakeups.idle", "1", "the time that the processor has nothing to do", "higher"),
        Quantity("wakeups.missed", "1", "buffers that were played empty"),
        Quantity("wakeups.copies", "1/s", "files of 256 KiB that the load copies", "higher"),
        Quantity("wakeups.state", "1", "the time in an idle state: label state", "higher"),
        *(
            Quantity(f"wakeups.latency.{name}", "s", f"how late {of} are at most")
            for name, of in _LATENCIES.items()
        ),
    )
    examples = (
        Example(
            row_line("state", name="WFI", us=500_000)
            + row_line(
                "playback",
                way="timer",
                level="0",
                load="copy",
                elapsed_ns=2_000_000_000,
                idle_ticks=100,
                switches=800,
                writer_switches=350,
                chunks=128,
                wakes=344,
                missed=0,
                latency_max_ns=90_000,
                latency=[0, 344],
            ),
            {
                "wakeups.wakes": 172,
                "wakeups.switches": 400,
                "wakeups.switches.writer": 175,
                "wakeups.idle": 0.5,
                "wakeups.missed": 0,
                "wakeups.copies": 1,
                "wakeups.state": 0.25,
                **dict.fromkeys((f"wakeups.latency.{name}" for name in _LATENCIES), 90e-6),
            },
            {"load": "copy"},
        ),
    )

    def job(self, setting: Setting) -> Job:
        way, load = setting.text("way"), setting.text("load")
        if way not in _WAYS or load not in _LOADS:
            known = f"{', '.join(_WAYS)}, under {', '.join(_LOADS)}"
            raise NotMeasurable(f"there is no way {way} under the load {load}: there are {known}")
        periods, size = setting.whole("periods", 100), setting.whole("buffer_bytes", 64)
        buffers, level = setting.whole("buffers", 2), setting.whole("level", 0)
        if level > buffers - 2 or buffers > 64 or size > 65536:
            raise NotMeasurable("give 2 to 64 buffers of 64 to 65536 bytes, and a trigger below")
        period_ns = size * 10**9 // RATE
        shape = f"{buffers} {size} {period_ns}"
        line = f'"$PROBE" wakeups {way} {level} {periods} {load} {shape} || exit 1\n'
        limit_s = 60 + 3 * periods * period_ns / 1e9 * setting.repeats
        return Job(line * setting.repeats, features=_WAYS[way], disk=1 << 19, limit_s=limit_s)

    def read(self, output: str, setting: Setting) -> Finding:
        playbacks = read_playbacks(output)
        found = tuple(metrics(playbacks, None))
        wakes = next((metric for metric in found if metric.name == "wakeups.wakes"), None)
        if wakes is None:
            refused = {each.refused: None for each in playbacks if each.refused}
            raise NotMeasurable("; ".join(refused) or "nothing was played")
        title = f"wakes by {wakes.labels['way']}"
        short = f"wakes {format_value(median(wakes.samples), '1/s')}"
        return Finding(found, (ShownMetric(title, wakes),), short)


MEASURES = (AudioWakeups(),)
