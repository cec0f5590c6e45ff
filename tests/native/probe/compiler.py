# SPDX-License-Identifier: Apache-2.0
"""Compiles the probe's core for this machine, with sanitizers, and with a file of the tests."""

from collections.abc import Sequence
from pathlib import Path

from ..sanitized import PROBE, compile_sanitized

HERE = Path(__file__).parent
# What all applets stand on, and no applet.
_CORE = (
    *("disk/busy.c", "disk/crypt.c", "disk/disk.c", "disk/files.c", "disk/move.c"),
    *("disk/place.c", "disk/points.c", "disk/random.c"),
    *("main.c", "applets.c", "run/media.c", "run/memory.c", "run/meter.c", "run/run.c"),
    "run/run_complain.c",
    *("run/echo.c", "run/packets.c", "run/queues.c", "run/pace.c", "run/run_nodes.c"),
    *("run/stream.c", "run/tcp.c", "run/tcp_serve.c", "run/time.c"),
    *("wakeups/alsa.c", "wakeups/clock.c", "wakeups/count.c", "wakeups/sink.c"),
    "wakeups/wakeups.c",
    *("run/run_root.c", "talk/answer.c", "talk/crc32.c", "talk/frame.c", "talk/json.c"),
    *("talk/outbox.c", "talk/serve.c", "measure/batch.c", "measure/child.c", "measure/clock.c"),
    *("measure/disturbance.c", "measure/frequency.c", "measure/memory.c", "measure/number.c"),
    *("measure/place.c", "measure/reading.c", "measure/reason.c"),
)


def compile_probe(
    program: Path, source: str, *, without: Sequence[str] = (), fake_clock: bool = False
) -> None:
    """`source` is a file beside this one; `fake_clock`: it has a clock_gettime() of its own."""
    wrap = ("-Wl,--wrap=clock_gettime",) if fake_clock else ()
    core = [name for name in _CORE if name not in without]
    compile_sources(program, *wrap, HERE / source, *core)


def compile_applets(program: Path, *patterns: str, words: Sequence[str | Path] = ()) -> None:
    """The probe with no other applets than those in files that match one of `patterns`.

    `words`: sources of the tests, and more options.
    """
    applets = [path for pattern in patterns for path in PROBE.glob(pattern)]
    compile_sources(program, *_CORE, *applets, *words)


def compile_sources(program: Path, *words: str | Path) -> Path:
    """`program`, made of sources of the probe and of the tests."""
    # The warning fears for text that is cut on purpose.
    return compile_sanitized(program, PROBE, "-D_GNU_SOURCE", "-Wno-format-truncation", *words)
