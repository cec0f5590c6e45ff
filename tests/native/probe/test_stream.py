# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe stream`: a drive that takes its chunks in time, or an underrun."""

import subprocess
from pathlib import Path
from typing import Literal

import pytest

from perfboard.measures.media.stream import WritingRow
from perfboard.model.rows import Count, Row, read_rows

from .compiler import HERE, compile_commands

CHUNK = 10_000
# What a pipe holds beside the buffer.
PIPE = 65_536


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("stream") / "stream"
    return compile_commands(path, "commands/stream.c", "commands/pace.c")


class _StreamRow(WritingRow):
    """With what no measure reads."""

    waited_us: Count
    took_us: Count


class _LooksRow(Row):
    row: Literal["looks"]
    count: Count


def write(probe: str, buffer: int, begin: int, command: str, word_ns: int = 0) -> _StreamRow:
    """A writing of 1 MB a second."""
    words = [probe, "stream", "1000000", *map(str, (buffer, CHUNK, begin, word_ns)), command]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    (row,) = read_rows(done.stdout, _StreamRow)
    return row


def test_a_source_that_does_not_wait_is_written_at_the_drives_pace(probe: str) -> None:
    row = write(probe, 100_000, 100_000, "head -c 1000000 /dev/zero")
    assert row.bytes == 1_000_000 and row.took_us >= 990_000
    # The second drains what a busy machine held back.
    assert row.need_bytes >= CHUNK and row.lowest_bytes <= 100_000
    assert 0 <= row.busy_permille <= row.most_permille <= 1000


@pytest.mark.parametrize("buffer", [1_500_000, 500_000])
def test_a_stall_needs_as_much_as_the_drive_takes_meanwhile(probe: str, buffer: int) -> None:
    # The drive takes 1 MB in the second of the stall.
    part = f"head -c {buffer + PIPE} /dev/zero"
    row = write(probe, buffer, buffer, f"{part}; sleep 1; {part}")
    exact = 1_000_000 - PIPE + CHUNK
    assert row.need_bytes == pytest.approx(exact, rel=0.1)
    if buffer > exact:
        assert row.lowest_bytes == pytest.approx(buffer + CHUNK - exact, abs=0.1 * exact)
    else:
        assert row.underruns >= 1 and row.waited_us > 300_000 and row.lowest_bytes < CHUNK


def test_a_drive_that_begins_at_once_has_nothing_to_live_on(probe: str) -> None:
    row = write(probe, 100_000, 0, "sleep 0.3; head -c 100000 /dev/zero")
    assert row.underruns >= 1 and row.waited_us >= 200_000


def test_words_of_programmed_transfer_take_the_processor(tmp_path: Path) -> None:
    timed = compile_commands(tmp_path / "stream", "commands/stream.c", HERE / "stream_clock.c")
    found = {}
    for word_ns in (0, 4000):
        command = "head -c 500000 /dev/zero"
        words = [timed, "stream", "1000000", "100000", str(CHUNK), "100000", str(word_ns), command]
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
        (row,), (looks,) = read_rows(done.stdout, _StreamRow), read_rows(done.stdout, _LooksRow)
        found[word_ns] = (row.underruns, row.took_us, looks.count)
    # 250,000 words of 4 us: a second of looks, each of a microsecond, where the drive would sleep
    # and take half of one.
    underruns, took_us, looks_us = found[4000]
    assert underruns >= 1 and took_us > 900_000 and looks_us >= 1_000_000
    _, took_us, looks_us = found[0]
    assert took_us < 600_000 and looks_us < 100_000


def test_a_command_that_fails_is_told(probe: str) -> None:
    words = [probe, "stream", "1000000", "100000", "10000", "0", "0", "echo x; exit 7"]
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
    done = subprocess.run([probe, "stream", *words], capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr
