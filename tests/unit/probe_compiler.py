# SPDX-License-Identifier: Apache-2.0
"""Compiles the probe's core for this machine, with sanitizers, and with a file of the tests."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROBE = ROOT / "native" / "probe"
# What all applets stand on, and no applet.
_CORE = (
    *("answer", "batch", "child", "clock", "crc32", "disturbance", "frame", "frequency"),
    *("json", "main", "memory", "number", "outbox", "place", "reading", "serve"),
)


def compile_probe(
    program: Path, source: str, *, without: Sequence[str] = (), fake_clock: bool = False
) -> None:
    """`source` is a file of tests/native; `fake_clock`: it has a clock_gettime() of its own."""
    wrap = ("-Wl,--wrap=clock_gettime",) if fake_clock else ()
    core = [PROBE / f"{name}.c" for name in _CORE if name not in without]
    _compile(program, *wrap, ROOT / "tests" / "native" / source, *core)


def compile_applets(program: Path, *patterns: str) -> None:
    """The probe with no other applets than those in files that match one of `patterns`."""
    core = [PROBE / f"{name}.c" for name in _CORE]
    _compile(program, *core, *(path for pattern in patterns for path in PROBE.glob(pattern)))


def _compile(program: Path, *words: str | Path) -> None:
    command = [
        *("gcc", "-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-Wall", "-Wextra", "-Werror"),
        # It fears for text that is cut on purpose.
        "-Wno-format-truncation",
        *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
        *("-I", PROBE, "-o", program, *words),
    ]
    subprocess.run(command, check=True)
