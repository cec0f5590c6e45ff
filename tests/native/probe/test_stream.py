# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe stream`: a drive that takes its chunks in time, or an underrun."""

import subprocess
from pathlib import Path

import pytest

from .compiler import HERE, compile_sources

CHUNK = 10_000
# What a pipe holds beside the buffer.
PIPE = 65_536


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("stream") / "stream"
    needed = ("run/stream.c", "run/pace.c", "measure/child.c", "measure/number.c")
    return str(compile_sources(path, HERE / "stream_harness.c", *needed))


def write(
    probe: str, rate: int, buffer: int, begin: int, command: str, word_ns: int = 0
) -> list[int]:
    """The figures of a writing."""
    words = [probe, str(rate), str(buffer), str(CHUNK), str(begin), str(word_ns), command]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    head, *figures = done.stdout.split()
    assert head == "@stream"
    return [int(word) for word in figures]


def test_a_source_that_does_not_wait_is_written_at_the_drives_pace(probe: str) -> None:
    figures = write(probe, 1_000_000, 100_000, 100_000, "head -c 1000000 /dev/zero")
    sent, _, _, need, lowest, _, _, busy, most, took_us = figures
    assert sent == 1_000_000 and took_us >= 990_000
    # The second drains what a busy machine held back.
    assert need >= CHUNK and lowest <= 100_000 and 0 <= busy <= most <= 1000


@pytest.mark.parametrize("buffer", [1_500_000, 500_000])
def test_a_stall_needs_as_much_as_the_drive_takes_meanwhile(probe: str, buffer: int) -> None:
    # The drive takes 1 MB in the second of the stall.
    part = f"head -c {buffer + PIPE} /dev/zero"
    figures = write(probe, 1_000_000, buffer, buffer, f"{part}; sleep 1; {part}")
    _, underruns, waited_us, need, lowest, *_ = figures
    exact = 1_000_000 - PIPE + CHUNK
    assert need == pytest.approx(exact, rel=0.1)
    if buffer > exact:
        assert lowest == pytest.approx(buffer + CHUNK - exact, abs=0.1 * exact)
    else:
        assert underruns >= 1 and waited_us > 300_000 and lowest < CHUNK


def test_a_drive_that_begins_at_once_has_nothing_to_live_on(probe: str) -> None:
    figures = write(probe, 1_000_000, 100_000, 0, "sleep 0.3; head -c 100000 /dev/zero")
    assert figures[1] >= 1 and figures[2] >= 200_000


def test_words_of_programmed_transfer_take_the_processor(tmp_path: Path) -> None:
    sources = ("run/stream.c", "measure/child.c", "measure/number.c")
    timed = str(compile_sources(tmp_path / "stream", HERE / "stream_clock.c", *sources))
    found = {}
    for word_ns in (0, 4000):
        words = [timed, "1000000", "100000", str(CHUNK), "100000", str(word_ns)]
        command = [*words, "head -c 500000 /dev/zero"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        stream, looks = done.stdout.splitlines()
        _, underruns, *_, took_us = map(int, stream.split()[1:])
        found[word_ns] = (underruns, took_us, int(looks.split()[1]))
    # 250,000 words of 4 us: a second of looks, each of a microsecond, where the drive would sleep
    # and take half of one.
    underruns, took_us, looks_us = found[4000]
    assert underruns >= 1 and took_us > 900_000 and looks_us >= 1_000_000
    _, took_us, looks_us = found[0]
    assert took_us < 600_000 and looks_us < 100_000


def test_a_command_that_fails_is_told(probe: str) -> None:
    words = [probe, "1000000", "100000", "10000", "0", "0", "echo x; exit 7"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 1 and "the command ended with 7" in done.stderr and not done.stdout


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["1000", "10", "10", "10", "0"],
        ["999", "10", "10", "10", "0", "true"],
        ["1000", "9", "10", "0", "0", "true"],
        ["1000", "10", "10", "11", "0", "true"],
        ["1000", "10", "x", "10", "0", "true"],
        ["1000", "10", "10", "10", "1000001", "true"],
    ],
)
def test_wrong_words_are_told(probe: str, words: list[str]) -> None:
    done = subprocess.run([probe, *words], capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr
