# SPDX-License-Identifier: Apache-2.0
"""A shell at a console: real shells on terminals with echo, over good and bad lines."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from perfboard.model.errors import EnvironmentLacksError, TargetError
from perfboard.model.progress import SilentProgress
from perfboard.targets.console.shell import ConsoleShell
from perfboard.targets.serial.line import SerialLine
from tests.support.consoles import (
    SHELLS,
    BadLine,
    LostLetter,
    Through,
    quiet_terminal,
    shell_on_terminal,
)

_ATTACH_S = 20
DATA = bytes(range(256)) * 40 + random.Random(1).randbytes(20_000) + b"\n:\n~'\"\\$`\0\n"


@pytest.fixture(params=SHELLS, ids=" ".join)
def line(request: pytest.FixtureRequest) -> Iterator[SerialLine]:
    with shell_on_terminal(request.param) as line:
        yield line


@pytest.fixture
def shell(line: SerialLine) -> ConsoleShell:
    shell = ConsoleShell(line)
    shell.attach(_ATTACH_S)
    return shell


def test_a_function_that_a_damaged_line_did_not_read_is_read_again(line: SerialLine) -> None:
    lossy = LostLetter(line, b'eval "$_d"', b'eval "$d"')
    shell = ConsoleShell(lossy)
    shell.attach(_ATTACH_S)
    assert lossy.lost and shell.run("echo one").output == "one"


def bad_shell(line: SerialLine, garbled: float, dropped: float, seed: int) -> ConsoleShell:
    shell = ConsoleShell(BadLine(line, garbled, dropped, seed))
    shell.attach(4 * _ATTACH_S)
    return shell


@pytest.mark.parametrize(
    ("script", "status", "output"),
    [
        ("true", 0, ""),
        ("exit 7", 7, ""),
        ("echo one; echo two >&2", 0, "one\ntwo"),
        ("printf '%s' \"a'b\\\"c\"", 0, "a'b\"c"),
        ("cat", 0, ""),
        ("echo '~<>!`$(x)'", 0, "~<>!`$(x)"),
        ("nosuchprogram 2>/dev/null", 127, ""),
        (f"echo {'long' * 300}", 0, "long" * 300),
    ],
)
def test_a_script_runs(shell: ConsoleShell, script: str, status: int, output: str) -> None:
    done = shell.run(script)
    assert (done.status, done.output.replace("\r", "")) == (status, output)


def test_a_script_that_takes_too_long_is_ended(shell: ConsoleShell) -> None:
    with pytest.raises(TargetError) as raised:
        shell.run("sleep 60", timeout_s=1)
    assert raised.value.kind == "hang"
    assert shell.run("echo here").output == "here"


@pytest.mark.parametrize("unpacks", [True, False])
def test_a_file_arrives_whole(shell: ConsoleShell, tmp_path: Path, unpacks: bool) -> None:
    assert shell._unpacks
    shell._unpacks = unpacks
    path = tmp_path / "the file"
    shell.push(DATA, str(path), SilentProgress())
    assert path.read_bytes() == DATA
    assert path.stat().st_mode & 0o777 == 0o700
    assert list(tmp_path.iterdir()) == [path]
    assert "-echo " not in shell.run("stty -a </dev/tty").output


def test_a_file_that_cannot_be_written_is_told_in_the_target_s_words(shell: ConsoleShell) -> None:
    with pytest.raises(TargetError) as raised:
        shell.push(DATA, "/proc/nosuch/file", SilentProgress())
    assert raised.value.kind == "write"
    assert "/proc/nosuch/file" in str(raised.value)
    assert shell.run("echo here").output == "here"


def test_a_full_disk_is_told(shell: ConsoleShell, tmp_path: Path) -> None:
    # What is received goes to a device that is always full.
    (tmp_path / "file.part00000").symlink_to("/dev/full")
    with pytest.raises(TargetError) as raised:
        shell.push(DATA, str(tmp_path / "file"), SilentProgress())
    assert raised.value.kind == "write"
    assert "cannot be written on the target: sed: " in str(raised.value)
    assert shell.run("echo here").output == "here"


@pytest.mark.parametrize("seed", range(2))
def test_a_file_arrives_over_a_line_that_damages(
    line: SerialLine, tmp_path: Path, seed: int
) -> None:
    shell = bad_shell(line, garbled=1e-4, dropped=1e-4, seed=seed)
    path = tmp_path / "file"
    shell.push(DATA, str(path), SilentProgress())
    assert path.read_bytes() == DATA
    done = shell.run("echo 'not damaged'; exit 3")
    assert (done.status, done.output) == (3, "not damaged")


def test_a_line_that_damages_everything_is_given_up(line: SerialLine, tmp_path: Path) -> None:
    bad = BadLine(line, garbled=0.2, dropped=0, seed=1)
    bad.bad = False
    shell = ConsoleShell(bad)
    shell.attach(_ATTACH_S)
    bad.bad = True
    with pytest.raises(TargetError) as raised:
        shell.run("echo here", timeout_s=3)
    assert raised.value.kind in ("transfer", "hang")


class Line(Through):
    """A line of 115,200 baud, on which a kernel says something every `every_s`."""

    RATE = 11_520
    MESSAGE = b"\r\n[   12.345678] usb 1-1: new full-speed USB device number 2\r\n"

    def __init__(self, line: SerialLine, every_s: float) -> None:
        super().__init__(line)
        self._every_s, self._said = every_s, time.monotonic()
        self._came = b""

    def read(self, timeout_s: float) -> bytes:
        self._came += self._line.read(0 if self._came else timeout_s)
        if not self._came:
            return b""
        began = time.monotonic()
        time.sleep(0.01)
        count = max(1, int((time.monotonic() - began) * self.RATE))
        data, self._came = self._came[:count], self._came[count:]
        if time.monotonic() - self._said > self._every_s:
            self._said = time.monotonic()
            middle = len(data) // 2
            return data[:middle] + self.MESSAGE + data[middle:]
        return data


LONG = "i=0; while [ $i -lt 320 ]; do printf %0100d $i; i=$((i+1)); done"
LONG_OUTPUT = "".join(f"{number:0100d}" for number in range(320))


@pytest.mark.parametrize("every_s", [1e9, 0.7], ids=["alone", "with kernel messages"])
def test_a_long_answer_comes_over_a_slow_line(line: SerialLine, every_s: float) -> None:
    shell = ConsoleShell(Line(line, every_s))
    shell.attach(_ATTACH_S)
    done = shell.run(f"{LONG}; exit 3")
    assert (done.status, done.output) == (3, LONG_OUTPUT)
    assert shell.run("echo here").output == "here"


def test_a_long_answer_comes_over_a_line_that_damages(line: SerialLine) -> None:
    shell = bad_shell(line, garbled=1e-4, dropped=1e-4, seed=2)
    done = shell.run(f"{{ {LONG}; }} | tr 1 '\\n'")
    assert done.output.replace("\r", "") == LONG_OUTPUT.replace("1", "\n")


class Cut(Through):
    """A channel whose user types ^C when so many bytes have been written since `armed`."""

    def __init__(self, line: SerialLine, after: int) -> None:
        super().__init__(line)
        self._left = after
        self.armed = False

    def write(self, data: bytes) -> None:
        if self.armed and len(data) > self._left:
            self.armed = False
            self._line.write(data[: self._left])
            raise KeyboardInterrupt
        self._left -= len(data) * self.armed
        self._line.write(data)


def test_an_interrupted_copy_leaves_the_shell_usable(line: SerialLine, tmp_path: Path) -> None:
    cut = Cut(line, after=5000)
    shell = ConsoleShell(cut)
    shell.attach(_ATTACH_S)
    cut.armed = True
    with pytest.raises(KeyboardInterrupt):
        shell.push(DATA, str(tmp_path / "file"), SilentProgress())
    assert shell.run("echo here", timeout_s=5).output == "here"
    assert "-echo " not in shell.run("stty -a </dev/tty").output


class Deaf(Through):
    """A channel on which nothing arrives from such a request to its third mark of a start."""

    def __init__(self, line: SerialLine, request: bytes) -> None:
        super().__init__(line)
        self._request = request
        self._missed: bytes | None = None
        self.missed_all = False

    def write(self, data: bytes) -> None:
        if self._missed is None and self._request in data:
            self._missed = b""
        self._line.write(data)

    def read(self, timeout_s: float) -> bytes:
        data = self._line.read(timeout_s)
        if self._missed is None or self.missed_all:
            return data
        self._missed += data
        *_, heard = self._missed.split(b" go\r\n", 3)
        self.missed_all = self._missed.count(b" go\r\n") >= 3
        return heard if self.missed_all else b""


def test_a_file_arrives_though_the_start_of_its_copying_is_not_heard(
    line: SerialLine, tmp_path: Path
) -> None:
    deaf = Deaf(line, b" l '")
    shell = ConsoleShell(deaf)
    shell.attach(_ATTACH_S)
    path = tmp_path / "file"
    shell.push(DATA, str(path), SilentProgress())
    assert deaf.missed_all
    assert path.read_bytes() == DATA


def test_a_program_runs_though_the_first_marks_of_its_start_are_not_heard(line: SerialLine) -> None:
    deaf = Deaf(line, b" x '")
    shell = ConsoleShell(deaf)
    shell.attach(_ATTACH_S)
    channel = shell.start("stty -echo; read -r a; echo got $a; stty echo")
    assert deaf.missed_all
    channel.write(b"something\n")
    heard = b""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and b"got something" not in heard:
        heard += channel.read(0.2)
    channel.close()
    assert b"got something" in heard


def test_a_program_has_the_console_until_it_ends(shell: ConsoleShell) -> None:
    channel = shell.start("stty -echo; read -r a; echo got $a; stty echo")
    channel.write(b"something\n")
    heard = b""
    deadline = time.monotonic() + 10
    with pytest.raises(TargetError) as raised:
        while time.monotonic() < deadline:
            heard += channel.read(0.2)
    assert raised.value.kind == "lost"
    assert b"got something" in heard
    channel.close()
    assert shell.run("echo here").output == "here"


class Torn(Through):
    """A channel on which, once `tearing`, the kernel talks in the first marks of a program's end.

    They come before the answer, so whoever hears of the end has read them, whatever came at once.
    """

    MARKS = 2

    def __init__(self, line: SerialLine) -> None:
        super().__init__(line)
        self.tearing = False
        self.torn = 0

    def read(self, timeout_s: float) -> bytes:
        data = self._line.read(timeout_s)
        if not self.tearing:
            return data
        torn = min(data.count(b">pb"), self.MARKS - self.torn)
        self.torn += torn
        return data.replace(b">pb", b">p\r\n[   12.345678] usb 1-1: hello\r\nb", torn)


def test_a_program_has_ended_though_marks_of_its_end_are_torn(line: SerialLine) -> None:
    torn = Torn(line)
    shell = ConsoleShell(torn)
    shell.attach(_ATTACH_S)
    torn.tearing = True
    channel = shell.start("true")
    deadline = time.monotonic() + 10
    with pytest.raises(TargetError, match="has ended"):
        while time.monotonic() < deadline:
            channel.read(0.2)
    assert torn.torn == torn.MARKS


def test_a_program_that_goes_on_is_interrupted_and_what_tidies_up_runs(
    line: SerialLine, tmp_path: Path
) -> None:
    shell = ConsoleShell(line, ending_s=1.5)
    shell.attach(_ATTACH_S)
    channel = shell.start(f"sleep 100; rm -r {tmp_path}/x")
    (tmp_path / "x").mkdir()
    channel.read(0.5)
    channel.close()
    assert not (tmp_path / "x").exists()
    assert shell.run("echo here").output == "here"


def test_a_login_prompt_is_told() -> None:
    greeting = 'echo "Board 1.0 ttyS0"; echo; while :; do printf "board login: "; read a; done'
    prompt = r"waits for a login .*board login:"
    with (
        shell_on_terminal(["sh", "-c", greeting]) as line,
        pytest.raises(EnvironmentLacksError, match=prompt),
    ):
        ConsoleShell(line).attach(_ATTACH_S)


def test_a_banner_does_not_disturb() -> None:
    with shell_on_terminal(["sh", "-c", "echo 'Welcome: $HOME ~ `x`'; exec sh -i"]) as line:
        shell = ConsoleShell(line)
        shell.attach(_ATTACH_S)
        assert shell.run("echo here").output == "here"


def test_a_console_on_which_nobody_answers_is_told() -> None:
    with quiet_terminal() as (ours, _):
        with pytest.raises(TargetError, match="Check that the board is on, the cable") as raised:
            ConsoleShell(SerialLine(ours, "the line")).attach(1)
        assert raised.value.kind == "hang"


def test_something_that_is_no_shell_is_told() -> None:
    reader = ["sh", "-c", "trap '' INT; exec cat"]
    with shell_on_terminal(reader) as line, pytest.raises(TargetError) as raised:
        ConsoleShell(line).attach(3)
    assert raised.value.kind == "hang"
    assert "No POSIX shell answers" in str(raised.value)
