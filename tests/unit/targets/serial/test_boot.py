# SPDX-License-Identifier: Apache-2.0
"""A board that is reset and says what a board said, on a line that is a double."""

import os
import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import psutil
import pytest

from perfboard.analysis.boot.phases import cut_boot, total
from perfboard.analysis.boot.reading.console import Stamps
from perfboard.bench.options import check_command
from perfboard.instruments.base import Instrument, notes_of
from perfboard.model.errors import (
    Cancelled,
    DefectError,
    EnvironmentLacksError,
    TargetError,
    exit_code_of,
)
from perfboard.model.options import parse_command
from perfboard.model.results.boot import Boot, Mark
from perfboard.targets.serial.boot import SerialBoard
from perfboard.targets.serial.line import open_line
from tests.support.consoles import shell_on_terminal
from tests.support.recorded import DATA
from tests.support.replay import Replay
from tests.support.serial_board import board_on_a_line

BOOT = (DATA / "verdex-initcall.log").read_bytes()
USABLE = "Run /sbin/init"


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@contextmanager
def board(
    folder: Path, printed: Sequence[bytes] = (), usable: str = USABLE, **limits: Any
) -> Iterator[SerialBoard]:
    reset = folder / "reset"
    with board_on_a_line(reset, printed) as target, open_line(target) as line:
        yield SerialBoard(line, usable, ["touch", str(reset)], **limits)


def boot(of: SerialBoard, folder: Path, *instruments: Instrument) -> Boot:
    seen: list[str] = []
    made = of.boot(instruments or [of.console()], folder, seen.append, Event())
    assert seen and all(text.isprintable() for text in seen)
    return made


class Switch:
    """A board's power."""

    def __init__(self, reset: Path) -> None:
        self._reset = reset
        self.done: list[str] = []

    def off(self) -> None:
        self.done.append("off")

    def on(self) -> None:
        self.done.append("on")
        self._reset.touch()
        # The board prints before the switch has answered.
        time.sleep(0.3)


def test_a_board_is_switched_off_and_on_while_its_console_is_watched(tmp_path: Path) -> None:
    switch = Switch(tmp_path / "reset")
    with (
        board_on_a_line(tmp_path / "reset", pieces(BOOT, 64)) as target,
        open_line(target) as line,
    ):
        made = boot(SerialBoard(line, USABLE, (), switch=switch), tmp_path)
    assert switch.done == ["off", "on"]
    assert (made.marks[0].name, made.marks[0].t_ns, made.marks[0].source) == ("reset", 0, "switch")
    assert 0.3e9 <= made.marks[0].precision_ns < 20e9
    assert made.marks[-1].name == "usable"
    # What came before is of another boot, and nothing is lost while the switch answers.
    kept = (tmp_path / "console.log").read_bytes()
    assert kept == BOOT[: len(kept)] and USABLE.encode() in kept


def test_a_boot_is_timed_from_its_reset_to_what_says_that_it_is_usable(tmp_path: Path) -> None:
    with board(tmp_path, pieces(BOOT, 64)) as of:
        made = boot(of, tmp_path)
    names = [mark.name for mark in made.marks]
    assert names[0] == "reset" and names[-1] == "usable"
    assert {"bootloader.main", "boot.command", "kernel.entry", "kernel.clock"} < set(names)
    assert {mark.clock for mark in made.marks} == {"host"}
    reset, usable = made.marks[0], made.marks[-1]
    assert reset.source == "command" and 0 < reset.precision_ns < 10**10
    assert usable.t_ns > 0.19 * 10**9
    whole = total(made)
    assert whole is not None
    parts = [row.duration_ns for row in cut_boot(made) if row.depth == 0]
    assert sum(parts) == whole.duration_ns
    stamps = [line.split() for line in (tmp_path / "stamps.txt").read_text().splitlines()]
    console = (tmp_path / "console.log").read_bytes()
    assert sum(int(size) for _, size in stamps) == len(console)
    # What came before the reset is not of this boot; what came with the last line is.
    assert BOOT.startswith(console) and b"of before" not in console
    times = [int(ns) for ns, _ in stamps]
    assert times == sorted(times) and times[0] > 0.19 * 10**9
    # 64 bytes came at once: each of them was sent at some time since those before.
    for mark in (mark for mark in made.marks if mark.source == "console"):
        before = times[bisect_left(times, mark.t_ns) - 1]
        assert mark.precision_ns >= mark.t_ns - before


@pytest.mark.parametrize("end", [b"", b"\r\n"])
def test_a_prompt_ends_a_boot_as_a_line_does(tmp_path: Path, end: bytes) -> None:
    with board(tmp_path, [b"Linux\r\n", b"board login: " + end], "login:") as of:
        assert boot(of, tmp_path).marks[-1].name == "usable"


def test_an_instrument_that_replays_a_recording_is_the_boot(tmp_path: Path) -> None:
    """The line says nothing: all that is known is what the instrument hands over."""
    stamps = Stamps(array("q", range(0, 1000 * len(BOOT), 1000)))
    led = Mark(name="led", t_ns=2_000_000, clock="host", source="recording")
    late = led.model_copy(update={"name": "late", "t_ns": 10**12})
    replay = Replay(BOOT, stamps, [led, late])
    with board(tmp_path) as of:
        made = boot(of, tmp_path, replay)
    assert list(notes_of([replay])) == ["The times are those of a recording.", "It was replayed."]
    assert of.facts["kernel"].startswith("Linux version")
    marks = {mark.name: mark for mark in made.marks}
    # What comes after the board is usable is not of the boot.
    assert marks["led"] == led and "late" not in marks
    assert marks["usable"].t_ns == 1000 * (BOOT[: BOOT.index(USABLE.encode())].rindex(b"\n") + 1)
    assert list(made.marks) == sorted(made.marks, key=lambda mark: mark.t_ns)
    assert (tmp_path / "replayed").exists() and not (tmp_path / "console.log").exists()


def test_a_boot_that_nothing_sees_any_more_ends(tmp_path: Path) -> None:
    replay = Replay(b"U-Boot\n")
    with board(tmp_path) as of, pytest.raises(TargetError, match="No instrument") as caught:
        boot(of, tmp_path, replay)
    assert caught.value.kind == "lost" and caught.value.console == "U-Boot"


def test_a_recording_that_we_fail_to_read_is_a_defect_of_ours(tmp_path: Path) -> None:
    """The run is failed then, and keeps the recording: it does not end in a traceback."""
    unread = array("q", [1])
    replay = Replay(BOOT, Stamps(unread, ends=array("I", [len(BOOT)])))
    del unread[0]
    with board(tmp_path) as of, pytest.raises(DefectError, match="its console failed") as caught:
        boot(of, tmp_path, replay)
    assert exit_code_of(caught.value.kind) == 70
    assert (tmp_path / "replayed").read_bytes() == BOOT


def test_a_boot_is_cancelled(tmp_path: Path) -> None:
    cancelled = Event()
    cancelled.set()
    with board(tmp_path) as of, pytest.raises(Cancelled):
        of.boot([of.console()], tmp_path, print, cancelled)


def test_a_kernel_that_panics_ends_it(tmp_path: Path) -> None:
    said = [b"[    1.000000] Kernel panic - not syncing: no init\r\n", b"[    1.1] why\r\n"]
    with (
        board(tmp_path, said) as of,
        pytest.raises(TargetError, match="panicked: no init") as caught,
    ):
        boot(of, tmp_path)
    assert caught.value.kind == "panic" and "why" in str(caught.value)


def test_a_board_that_falls_silent_ends_it(tmp_path: Path) -> None:
    with (
        board(tmp_path, [b"U-Boot\r\n=> "], silent_s=0.5) as of,
        pytest.raises(TargetError, match="silent for") as caught,
    ):
        boot(of, tmp_path)
    assert caught.value.kind == "hang" and caught.value.console.endswith("=>")


@pytest.mark.parametrize(
    "command",
    [
        "uhubctl -a cycle -l 1-1 -p 2",
        "labgrid-client -p 'desk 1' power cycle",
        "snmpset -v1 -c private pdu .1.3.6.1.4.1.318.1.1.12.3.3.1.1.4.5 i 3",
        "curl -fsS 'http://pdu:16421/power/control/reboot?hostname=pdu&port=5'",
        "./reset.sh",
    ],
)
def test_the_command_of_a_power_switch_resets_the_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    words = parse_command(command)
    fake = tmp_path / words[0]
    did = "printf '%s\\n' \"$@\" >given; sleep 0.1; touch reset"
    fake.write_text(f"#!/bin/sh\ncd {tmp_path}; {did}\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    check_command("--reset", words)
    with board_on_a_line(tmp_path / "reset", pieces(BOOT, 64)) as target, open_line(target) as line:
        made = boot(SerialBoard(line, USABLE, words), tmp_path)
    assert (tmp_path / "given").read_text().split("\n")[:-1] == list(words[1:] or ("",))
    assert (made.marks[0].name, made.marks[0].source) == ("reset", "command")
    assert made.marks[0].precision_ns >= 0.1e9 and made.marks[-1].name == "usable"


@pytest.mark.parametrize(
    ("reset", "words"),
    [
        (["no-such-program"], "No such file"),
        (["ls", "/nowhere"], "/nowhere"),
        (["sleep", "60"], "has not ended"),
    ],
)
def test_a_reset_that_fails_is_told(tmp_path: Path, reset: list[str], words: str) -> None:
    with (
        board_on_a_line(tmp_path / "none") as target,
        open_line(target) as line,
        pytest.raises(EnvironmentLacksError, match=words),
    ):
        boot(SerialBoard(line, USABLE, reset, silent_s=0.5), tmp_path)


RESTART = "sleep 1; echo '\n[ 9.1] reboot: Restarting system'; echo U-Boot; echo Run /sbin/init"


@pytest.mark.parametrize(("silent_s", "fails"), [(30, False), (0.3, True)])
def test_a_board_that_its_shell_restarts_may_be_silent_as_long_as_the_user_says(
    tmp_path: Path, program: Callable[[str, str], None], silent_s: float, fails: bool
) -> None:
    program("reboot", RESTART)
    with shell_on_terminal(["sh", "-i"]) as line:
        of = SerialBoard(line, USABLE, (), silent_s=silent_s)
        if not fails:
            names = [mark.name for mark in boot(of, tmp_path).marks]
            assert names[0] == "reset" and names[-1] == "usable"
            return
        with pytest.raises(TargetError, match=r"within 0\.3 s .* --silence 0\.3 ") as caught:
            boot(of, tmp_path)
    assert caught.value.kind == "hang"


def test_an_image_is_written_by_a_program_that_is_given_its_files(tmp_path: Path) -> None:
    script = 'printf "%s " "$@" "$PERFBOARD_ARGUMENTS" > "$0"'
    files = [Path("/bank 0"), Path("/bank1")]
    with board(tmp_path) as of:
        of.write(["sh", "-c", script, str(tmp_path / "said")], files, "quiet lpj=1")
        assert (tmp_path / "said").read_text() == "/bank 0 /bank1 quiet lpj=1 "
        with pytest.raises(EnvironmentLacksError, match=r"--write false /bank1: failed \(1\)"):
            of.write(["false"], files[1:], "")
        with pytest.raises(EnvironmentLacksError, match="--write /nowhere /bank1: No such file"):
            of.write(["/nowhere"], files[1:], "")


def test_what_a_script_that_writes_without_end_has_started_ends_with_it(tmp_path: Path) -> None:
    script = 'sleep 60 & echo $! > "$0"; wait'
    with (
        board(tmp_path, write_s=0.5) as of,
        pytest.raises(EnvironmentLacksError, match="has not ended"),
    ):
        of.write(["sh", "-c", script], [tmp_path / "pid"], "")
    pid = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 20
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.01)
