# SPDX-License-Identifier: Apache-2.0
"""A board that is reset and says what a board said, on a line that is a double."""

import time
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from perfboard.analysis.boot.phases import cut_boot, total
from perfboard.cli.main import main
from perfboard.model.errors import EnvironmentLacksError, TargetError
from perfboard.studies.tune import study as tuning
from perfboard.targets.serial import boot as serial_boot
from perfboard.targets.serial.boot import SerialBoard

BOOT = (Path(__file__).parents[2] / "data" / "verdex-initcall.log").read_bytes()
USABLE = "Run /sbin/init"


class Line:
    """Says its pieces once a file is there, the first a moment after it, each by itself."""

    def __init__(self, reset: Path, pieces: Sequence[bytes]) -> None:
        self._reset = reset
        self._pieces = list(pieces)
        self._due: float | None = None
        self._before = b"of before: Run /sbin/init\n"

    def write(self, data: bytes) -> None:
        raise AssertionError(data)

    def read(self, timeout_s: float) -> bytes:
        if self._due is None:
            if self._reset.exists():
                self._due = time.monotonic() + 0.2
            before, self._before = self._before, b""
            time.sleep(0.0 if before else 0.01)
            return before
        if time.monotonic() < self._due or not self._pieces:
            time.sleep(0.01)
            return b""
        time.sleep(0.002)
        return self._pieces.pop(0)

    def close(self) -> None:
        pass


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def heard(seconds: float, text: str) -> None:
    assert seconds >= 0 and text.isprintable()


def board(folder: Path, said: Sequence[bytes], usable: str = USABLE) -> SerialBoard:
    reset = folder / "reset"
    return SerialBoard(Line(reset, said), usable, ["touch", str(reset)])


def test_a_boot_is_timed_from_its_reset_to_what_says_that_it_is_usable(tmp_path: Path) -> None:
    boot = board(tmp_path, pieces(BOOT, 64)).boot(tmp_path, heard)
    names = [mark.name for mark in boot.marks]
    assert names[0] == "reset" and names[-1] == "usable"
    assert {"bootloader.main", "boot.command", "kernel.entry", "kernel.clock"} < set(names)
    assert {mark.clock for mark in boot.marks} == {"host"}
    reset, usable = boot.marks[0], boot.marks[-1]
    assert reset.source == "command" and 0 < reset.precision_ns < 10**10
    assert usable.t_ns > 0.19 * 10**9
    # 64 bytes came at once: when each of them was sent is not known.
    assert all(mark.precision_ns >= 10**6 for mark in boot.marks if mark.source == "console")
    whole = total(boot)
    assert whole is not None
    parts = [row.duration_ns for row in cut_boot(boot) if row.depth == 0]
    assert sum(parts) == whole.duration_ns
    stamps = [line.split() for line in (tmp_path / "stamps.txt").read_text().splitlines()]
    console = (tmp_path / "console.log").read_bytes()
    assert sum(int(size) for _, size in stamps) == len(console)
    # What came before the reset is not of this boot; what came with the last line is.
    assert BOOT.startswith(console) and b"of before" not in console
    times = [int(ns) for ns, _ in stamps]
    assert times == sorted(times) and times[0] > 0.19 * 10**9


@pytest.mark.parametrize("end", [b"", b"\r\n"])
def test_a_prompt_ends_a_boot_as_a_line_does(tmp_path: Path, end: bytes) -> None:
    boot = board(tmp_path, [b"Linux\r\n", b"board login: " + end], "login:").boot(tmp_path, heard)
    assert boot.marks[-1].name == "usable"


def test_a_kernel_that_panics_ends_it(tmp_path: Path) -> None:
    said = [b"[    1.000000] Kernel panic - not syncing: no init\r\n", b"[    1.1] why\r\n"]
    with pytest.raises(TargetError, match="panicked: no init") as caught:
        board(tmp_path, said).boot(tmp_path, heard)
    assert caught.value.kind == "panic" and "why" in str(caught.value)


def test_a_board_that_falls_silent_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serial_boot, "_SILENT_S", 0.5)
    with pytest.raises(TargetError, match="silent for") as caught:
        board(tmp_path, [b"U-Boot\r\n=> "]).boot(tmp_path, heard)
    assert caught.value.kind == "hang" and caught.value.console.endswith("=> ")


@pytest.mark.parametrize(
    ("reset", "words"),
    [
        (["no-such-program"], "No such file"),
        (["ls", "/nowhere"], "/nowhere"),
        (["sleep", "60"], "has not ended"),
    ],
)
def test_a_reset_that_fails_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reset: list[str], words: str
) -> None:
    monkeypatch.setattr(serial_boot, "_SILENT_S", 0.5)
    with pytest.raises(EnvironmentLacksError, match=words):
        SerialBoard(Line(tmp_path, [b""]), USABLE, reset).boot(tmp_path, heard)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--target", "serial:///dev/ttyUSB0"], "--usable"),
        (["--target", "serial:///dev/nowhere", "--usable", "x"], "/dev/nowhere cannot be opened"),
        (["--target", "serial:///dev/null", "--usable", "x"], "is no serial line"),
        (["--target", "serial:///dev/null", "--usable", "("], "no regular expression"),
        (["--target", "serial:///dev/null", "--usable", "x", "--set", "a=b"], "has no factor a"),
        (["--board", "verdex", "--usable", "x"], "boot.usable"),
        (["--board", "verdex", "--reset", "x"], "boot.usable"),
        (["--target", "local"], "seen of virtual boards"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_reset(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["study", "boot", *words]) in (2, 3)
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("command", ["'", " "])
def test_a_command_that_is_none_is_refused(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["study", "boot", "--target", "serial:///dev/null", "--reset", command])
    assert "--reset" in capsys.readouterr().err


def test_an_image_is_written_by_a_program_that_is_given_its_files(tmp_path: Path) -> None:
    line = SerialBoard(Line(tmp_path / "none", []), USABLE, ())
    script = 'printf "%s " "$@" "$PERFBOARD_ARGUMENTS" > "$0"'
    files = [Path("/bank 0"), Path("/bank1")]
    line.write(["sh", "-c", script, str(tmp_path / "said")], files, "quiet lpj=1")
    assert (tmp_path / "said").read_text() == "/bank 0 /bank1 quiet lpj=1 "
    with pytest.raises(EnvironmentLacksError, match=r"--write false /bank1: failed \(1\)"):
        line.write(["false"], files[1:], "")
    with pytest.raises(EnvironmentLacksError, match="--write /nowhere /bank1: No such file"):
        line.write(["/nowhere"], files[1:], "")


def test_a_program_that_writes_without_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serial_boot, "_LONGEST_WRITE_S", 0.2)
    with pytest.raises(EnvironmentLacksError, match="has not ended"):
        SerialBoard(Line(tmp_path, [b""]), USABLE, ()).write(["sleep"], [Path("60")], "")


def test_what_a_script_has_started_ends_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serial_boot, "_LONGEST_WRITE_S", 0.5)
    script = 'sleep 60 & echo $! > "$0"; wait'
    board = SerialBoard(Line(tmp_path, [b""]), USABLE, ())
    with pytest.raises(EnvironmentLacksError, match="has not ended"):
        board.write(["sh", "-c", script], [tmp_path / "pid"], "")
    pid = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 20
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.01)


_REAL = {"--write": "true", "--reset": "true", "--usable": "x"}


@pytest.mark.parametrize(
    ("left_out", "more", "said"),
    [
        ("--write", [], "there is no --write"),
        ("--reset", [], "there is no --reset"),
        ("--usable", [], "there is no --usable"),
        ("", ["--usable", "("], "no regular expression"),
        ("", ["--scheduler", "localhost:1"], "one real board is on one machine"),
        ("", ["--max-ram", "16MB"], "not told by its console"),
        ("", [], "is no serial line"),
    ],
)
def test_what_a_tune_of_a_real_board_wants_is_said_before_anything_is_built(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    left_out: str,
    more: list[str],
    said: str,
) -> None:
    monkeypatch.setattr(tuning, "check_tools", lambda plan: None)
    words = [word for option, of in _REAL.items() if option != left_out for word in (option, of)]
    given = ["tune", "boot", "--board", "verdex", "--target", "serial:///dev/null", *words, *more]
    assert main(given) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_tune_of_a_virtual_board_has_no_use_for_what_is_of_a_real_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["tune", "boot", "--board", "verdex", "--boots", "3", "--write", "x"]) == 2
    assert "--write, --boots: of a real board alone" in " ".join(capsys.readouterr().err.split())
