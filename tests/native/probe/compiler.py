# SPDX-License-Identifier: Apache-2.0
"""Compiles the probe's core for this machine, with sanitizers, and with a file of the tests."""

from collections.abc import Sequence
from pathlib import Path

from ..sanitized import PROBE, compile_sanitized

HERE = Path(__file__).parent
# What all probes stand on, and no probe.
_CORE = (
    "main.c",
    "probes.c",
    *(
        path.relative_to(PROBE).as_posix()
        for folder in ("commands", "run", "talk")
        for path in sorted((PROBE / folder).rglob("*.c"))
    ),
    *(
        f"measure/{name}.c"
        for name in ("batch", "child", "clock", "disturbance", "frequency", "memory", "number")
    ),
    *("measure/loopback.c", "measure/place.c", "measure/reading.c", "measure/reason.c"),
)


# What commands stand on.
_OF_COMMANDS = ("child", "clock", "memory", "number", "place", "reading", "reason")


def compile_probe(
    program: Path, source: str, *, without: Sequence[str] = (), fake_clock: bool = False
) -> None:
    """`source` is a file beside this one; `fake_clock`: it has a clock_gettime() of its own."""
    wrap = ("-Wl,--wrap=clock_gettime",) if fake_clock else ()
    core = [name for name in _CORE if name not in without]
    compile_sources(program, *wrap, HERE / source, *core)


def compile_probes(program: Path, *patterns: str, words: Sequence[str | Path] = ()) -> None:
    """The probe with no other probes than those in files that match one of `patterns`.

    `words`: sources of the tests, and more options.
    """
    probes = [path for pattern in patterns for path in PROBE.glob(pattern)]
    compile_sources(program, *_CORE, *probes, *words)


def probe_sources(without: tuple[str, ...]) -> list[str]:
    """All but those whose names within the probe's folder begin so."""
    names = sorted(path.relative_to(PROBE).as_posix() for path in PROBE.rglob("*.c"))
    return [name for name in names if not name.startswith(without)]


def compile_commands(program: Path, *sources: str | Path) -> str:
    """A program that has those of the probe's commands that are in `sources`, and no probe."""
    core = ("commands/command.c", *(f"measure/{name}.c" for name in _OF_COMMANDS))
    return str(compile_sources(program, HERE / "command_harness.c", *core, *sources))


def compile_sources(program: Path, *words: str | Path) -> Path:
    """`program`, made of sources of the probe and of the tests."""
    # The warning fears for text that is cut on purpose.
    flags = ("-D_GNU_SOURCE", "-Wno-format-truncation", "-I..", "../rows/row.c")
    return compile_sanitized(program, PROBE, *flags, *words)
