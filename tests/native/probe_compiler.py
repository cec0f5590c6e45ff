# SPDX-License-Identifier: Apache-2.0
"""Compiles the probe's core for this machine, with sanitizers, and with a file of the tests."""

from collections.abc import Sequence
from pathlib import Path

from .sanitized import compile_sanitized

ROOT = Path(__file__).parents[2]
PROBE = ROOT / "native" / "probe"
# What all applets stand on, and no applet.
_CORE = (
    *("answer", "batch", "child", "clock", "crc32", "disturbance", "frame", "frequency"),
    *("json", "main", "memory", "number", "outbox", "place", "reading", "run", "run_nodes"),
    *("run_root", "serve"),
)


def compile_probe(
    program: Path, source: str, *, without: Sequence[str] = (), fake_clock: bool = False
) -> None:
    """`source` is a file of tests/native; `fake_clock`: it has a clock_gettime() of its own."""
    wrap = ("-Wl,--wrap=clock_gettime",) if fake_clock else ()
    core = [PROBE / f"{name}.c" for name in _CORE if name not in without]
    compile_sources(program, *wrap, ROOT / "tests" / "native" / source, *core)


def compile_applets(program: Path, *patterns: str, words: Sequence[str | Path] = ()) -> None:
    """The probe with no other applets than those in files that match one of `patterns`.

    `words`: sources of the tests, and more options.
    """
    core = [PROBE / f"{name}.c" for name in _CORE]
    applets = [path for pattern in patterns for path in PROBE.glob(pattern)]
    compile_sources(program, *core, *applets, *words)


def compile_sources(program: Path, *words: str | Path) -> Path:
    """`program`, made of sources of the probe and of the tests."""
    # The warning fears for text that is cut on purpose.
    return compile_sanitized(program, PROBE, "-D_GNU_SOURCE", "-Wno-format-truncation", *words)
