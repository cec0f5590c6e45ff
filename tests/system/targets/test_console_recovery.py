# SPDX-License-Identifier: Apache-2.0
"""A console that somebody has left in the midst of something: real shells on terminals."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import psutil
import pytest

from perfboard.model.errors import TargetError
from perfboard.targets.console.shell import ConsoleShell
from perfboard.targets.serial.line import SerialLine
from tests.support.consoles import SHELLS, shell_on_terminal

from ..conftest import until

_ATTACH_S = 60


@pytest.fixture(params=SHELLS, ids=" ".join)
def line(request: pytest.FixtureRequest) -> Iterator[SerialLine]:
    with shell_on_terminal(request.param) as line:
        yield line


@pytest.mark.parametrize(
    ("left", "line"),
    [
        ("echo 'left open\n", SHELLS[0]),
        ('echo "left open\n', SHELLS[-1]),
        ("cat <<ABC\n", SHELLS[-1]),
        ("sleep 600\n", SHELLS[0]),
        # A command of ours that was killed while it sent a file.
        ("stty -echo; sed -n '/^:$/q;p' >/dev/null; stty echo\n", SHELLS[-1]),
        # No character interrupts anything then.
        ("stty -isig\necho 'left open\n", SHELLS[0]),
    ],
    indirect=["line"],
)
def test_a_line_that_somebody_typed_into_is_recovered(line: SerialLine, left: str) -> None:
    line.write(left.encode())
    time.sleep(0.3)
    shell = ConsoleShell(line)
    shell.attach(_ATTACH_S)
    assert shell.run("echo here").output == "here"


def test_what_still_prints_is_waited_for_and_not_interrupted(line: SerialLine) -> None:
    line.write(b"while :; do echo '[    1.234567] usb 1-1: hello'; sleep 0.3; done\n")
    with pytest.raises(TargetError, match="Wait until it is quiet") as raised:
        ConsoleShell(line).attach(3)
    assert raised.value.kind == "hang" and "usb 1-1: hello" in str(raised.value)
    heard = b""
    deadline = time.monotonic() + 20
    while b"usb" not in heard and time.monotonic() < deadline:
        heard += line.read(0.5)
    assert b"usb" in heard


def test_what_prints_for_a_while_is_waited_for(line: SerialLine) -> None:
    line.write(b"for i in 1 2 3 4 5 6 7 8 9; do echo '[ 1.2] usb'; sleep 0.5; done\n")
    shell = ConsoleShell(line)
    shell.attach(_ATTACH_S)
    assert shell.run("echo here").output == "here"


def test_an_interrupted_script_ends_and_what_comes_afterwards_runs(
    line: SerialLine, tmp_path: Path
) -> None:
    shell = ConsoleShell(line)
    shell.attach(_ATTACH_S)
    began = f"echo $$ > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/began"

    def interrupt() -> None:
        until(lambda: (tmp_path / "began").exists())
        os.kill(os.getpid(), signal.SIGINT)

    (tmp_path / "folder").mkdir()
    thread = Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt), shell.hold("true", f"rmdir {tmp_path}/folder"):
        shell.run(f"sh -c '{began}; exec sleep 600'", timeout_s=60)
    thread.join()
    assert not (tmp_path / "folder").exists()
    pid = int((tmp_path / "began").read_text())
    until(lambda: not psutil.pid_exists(pid))
