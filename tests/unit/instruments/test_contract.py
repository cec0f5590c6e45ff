# SPDX-License-Identifier: Apache-2.0
"""What holds for every instrument, whatever it sees and however the boot ends."""

import os
import select
from collections.abc import Callable
from pathlib import Path

import pytest

from perfboard.instruments.base import (
    InEmulator,
    Instrument,
    InstrumentFindings,
    InstrumentSighting,
    notes_of,
)
from perfboard.instruments.emulator_console import ConsoleRecorder
from perfboard.instruments.scope import Scope
from perfboard.instruments.serial_console import SerialConsole
from perfboard.model.errors import TargetError
from perfboard.targets.serial.line import SerialLine
from tests.support.replay import Replay

LINE = b"U-Boot 2023\n"
MARK = b'{"mark":"init.exec","ns":7}\n'
# An instrument, and what gives the board's end of what it reads, once it is prepared.
Maker = Callable[[], tuple[Instrument, Callable[[], int]]]


def emulated(instrument: InEmulator) -> tuple[Instrument, Callable[[], int]]:
    def inherit() -> int:
        (descriptor,) = instrument.attachment().descriptors
        return os.dup(descriptor)

    return instrument, inherit


def serial() -> tuple[Instrument, Callable[[], int]]:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    return SerialConsole(SerialLine(reader, "the line")), lambda: writer


@pytest.fixture(
    params=[
        serial,
        lambda: emulated(ConsoleRecorder()),
        lambda: emulated(Scope(Path("scope.so"), (), 0)),
        lambda: (Replay(LINE), lambda: os.open(os.devnull, os.O_WRONLY)),
    ],
    ids=["serial", "emulator", "scope", "replay"],
)
def make(request: pytest.FixtureRequest) -> Maker:
    maker: Maker = request.param
    return maker


def read(instrument: Instrument) -> list[InstrumentSighting] | None:
    """What it saw next; None where its stream has ended, or the line is lost."""
    assert select.select([instrument.fileno()], [], [], 20)[0]
    try:
        return instrument.read()
    except TargetError as error:
        assert error.kind == "lost"
        return None


def test_one_that_was_never_prepared_is_stopped_and_has_found_nothing(make: Maker) -> None:
    instrument, _ = make()
    instrument.stop()
    instrument.stop()
    assert not instrument.findings().marks
    assert instrument.name and (not instrument.effect or instrument.effect.endswith("."))


def test_what_the_board_prints_is_seen_until_it_is_gone(make: Maker, tmp_path: Path) -> None:
    instrument, board_end = make()
    instrument.prepare(tmp_path)
    end = board_end()
    instrument.start()
    os.write(end, MARK if isinstance(instrument, Scope) else LINE)
    sightings = read(instrument)
    assert sightings is not None
    assert [(s.kind, s.name or s.text) for s in sightings] in (
        [("mark", "init.exec")],
        [("line", "U-Boot 2023")],
    )
    os.close(end)
    assert read(instrument) is None
    instrument.stop()
    instrument.stop()
    found = instrument.findings()
    console = found.console.read_bytes() if found.console else b""
    assert len(found.stamps) == len(console) and console in (b"", LINE)
    effects = [instrument.effect] if instrument.effect else []
    assert list(notes_of([instrument])) == [*effects, *found.notes]


def test_one_that_is_stopped_early_leaves_its_file(make: Maker, tmp_path: Path) -> None:
    instrument, board_end = make()
    instrument.prepare(tmp_path)
    end = board_end()
    instrument.start()
    instrument.stop()
    os.close(end)
    assert list(tmp_path.iterdir())
    assert not instrument.findings().marks


def test_files_of_another_boot_are_not_overwritten(make: Maker, tmp_path: Path) -> None:
    for name in ("console.log", "scope.jsonl", "replayed"):
        (tmp_path / name).write_text("before")
    instrument, _ = make()
    with pytest.raises(FileExistsError):
        instrument.prepare(tmp_path)
    instrument.stop()
    assert {path.read_text() for path in tmp_path.glob("*[gld]")} == {"before"}


def test_the_serial_console_stamps_each_portion_from_its_start(tmp_path: Path) -> None:
    instrument, line = serial()
    instrument.prepare(tmp_path)
    instrument.start()
    for portion in (b"U-Boot", b" 2023\n"):
        os.write(line(), portion)
        read(instrument)
    instrument.stop()
    found = instrument.findings()
    first, last = found.stamps.ns
    assert found == InstrumentFindings(
        "host", console=tmp_path / "console.log", stamps=found.stamps
    )
    assert (tmp_path / "console.log").read_bytes() == LINE
    assert list(found.stamps.ends or ()) == [6, 12] and 0 < first < last < 20 * 10**9
    assert (tmp_path / "stamps.txt").read_text() == f"{first} 6\n{last} 6\n"


@pytest.mark.parametrize(
    ("instrument", "words"),
    [
        (ConsoleRecorder(1000), "more than 1000 B on its console"),
        (Scope(Path("scope.so"), (), 0, most_bytes=1000), "larger than 1000 B"),
    ],
)
def test_what_comes_without_end_is_not_stored(
    instrument: InEmulator, words: str, tmp_path: Path
) -> None:
    instrument.prepare(tmp_path)
    (end,) = instrument.attachment().descriptors
    line = b'{"mark":"fork","ns":1}\n'
    os.write(end, line * 40)
    assert len(instrument.read() or ()) == 40
    os.write(end, line * 4)
    with pytest.raises(TargetError, match=words) as caught:
        instrument.read()
    instrument.stop()
    assert caught.value.kind == "flood"
    (kept,) = (path for path in tmp_path.iterdir() if path.name != "marks.txt")
    assert kept.stat().st_size == 40 * len(line)
