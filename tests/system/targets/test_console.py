# SPDX-License-Identifier: Apache-2.0
"""The real probe through consoles: a shell on a serial line, good and bad, and a virtual board."""

import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from perfboard.images.image import Image
from perfboard.targets.serial.line import SerialLine
from tests.support.consoles import SHELLS, BadLine, quiet_terminal, shell_on_terminal
from tests.support.runs import processes_of

from ..conftest import COUNTED, Change, Perfboard, running_from, until

_PATIENCE_S = 120
# The command, which waits less long for what does not come.
_HASTY = """
from perfboard.cli.main import run
from perfboard.probes import exchange
from perfboard.measures.probe import rounds as plan

plan._SLACK_S = 5
exchange._GRACE_S, exchange._SILENCE_S = 5.0, 1.0
run()
"""
# 5 s and ten times what it was given for a process, 5 s for its answer, seven requests for that.
_NOTICED_S = 35
PROBES = ("kernel.syscall", "ipc.pipe")
LONG = ("measure", *PROBES, "--time", "60")


class Board:
    """A shell that greets, at the far end of a line; `path` is the line's device here."""

    def __init__(self, path: str, near: int, far: SerialLine, place: Path) -> None:
        """`near` is the other end of the line's device here."""
        self.path = path
        self.place = place
        self._near = near
        self._far = far
        self.carrying = threading.Event()

    @property
    def target(self) -> str:
        return f"serial://{self.path}?baud=115200"

    def processes(self) -> list[psutil.Process]:
        """The probe's processes on the board."""
        return running_from(self.place)

    def running(self, *words: str) -> psutil.Process | None:
        """A process of the probe whose first argument is one of `words`."""
        for process in self.processes():
            with suppress(psutil.Error):
                if any(word in words for word in process.cmdline()[1:2]):
                    return process
        return None

    def past_the_first_probe(self) -> None:
        first = until(lambda: self.running(*PROBES))
        until(lambda: None if psutil.pid_exists(first.pid) else True)
        until(lambda: self.running(*PROBES))

    def unplug(self) -> None:
        """The line's device hangs up; the board does not see that."""
        self.carrying.clear()
        time.sleep(0.3)
        with Path(os.devnull).open() as nothing:
            os.dup2(nothing.fileno(), self._near)

    def left_clean(self) -> bool:
        return not self.processes() and not any(self.place.iterdir())

    def answers(self) -> bool:
        """Whether its shell does what is typed, and the terminal echoes it; the line is cut."""
        self.carrying.clear()
        time.sleep(0.3)
        while self._far.read(0.2):
            pass
        self._far.write(b"echo $((6*7))\n")
        heard = b""
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and b"\n42" not in heard:
            heard += self._far.read(0.2)
        return b"echo $((6*7))" in heard and b"\n42" in heard


@contextmanager
def board_on_a_line(place: Path, damage: float = 0.0) -> Iterator[Board]:
    """`damage` is the share of bytes that are changed, and the share of those that are lost."""
    place.mkdir()
    words = " ".join(SHELLS[-1])
    greeting = f"echo 'Board 1.0 ttyS0: $HOME ~ `x` #'; exec {words}"
    environment = {"TMPDIR": str(place)}
    with (
        quiet_terminal() as (ours, path),
        shell_on_terminal(["sh", "-c", greeting], environment) as far,
    ):
        near = SerialLine(ours, "the line")
        # With a kernel that says something in the middle of lines, also where nothing is lost.
        bad = BadLine(far, damage, damage, seed=1)
        board = Board(path, ours, far, place)
        ended = threading.Event()

        def carry() -> None:
            while not ended.is_set():
                if not board.carrying.is_set():
                    board.carrying.wait(0.1)
                    continue
                ready, _, _ = select.select([near._descriptor, far._descriptor], [], [], 0.1)
                if near._descriptor in ready:
                    bad.write(near.read(0))
                if far._descriptor in ready:
                    near.write(bad.read(0))

        carrier = threading.Thread(target=carry)
        board.carrying.set()
        carrier.start()
        try:
            yield board
        finally:
            ended.set()
            carrier.join()


@pytest.fixture
def command(tmp_path: Path, probe: Path) -> Perfboard:
    return Perfboard(tmp_path / "data")


@pytest.mark.parametrize("damage", [0.0, 5e-5])
def test_probes_run_over_a_serial_line(command: Perfboard, tmp_path: Path, damage: float) -> None:
    with board_on_a_line(tmp_path / "place", damage) as board:
        words = ["kernel.syscall", "ipc.pipe", "--time", "1", "--target", board.target]
        run = command.json("measure", *words)
        assert (run["status"], run["evidence"]) == ("complete", "host")
        counts = Counter(process["probe"] for process in processes_of(run))
        assert counts.keys() == {"kernel.syscall", "ipc.pipe"}
        assert min(counts.values()) >= 5
        assert not any(process["refused"] for process in processes_of(run))
        assert board.left_clean()
        assert board.answers()


def broken(command: Perfboard, process: subprocess.Popen[str], kind: str) -> str:
    """What the run says of its end, which was of that kind; what was measured before is there."""
    run = command.finish(process, 4)
    assert run["status"] == "failed"
    (error,) = run["errors"]
    assert error["kind"] == kind
    assert processes_of(run)
    assert run["metrics"]
    return str(error["message"])


def test_a_line_that_is_unplugged_is_lost(command: Perfboard, tmp_path: Path) -> None:
    with board_on_a_line(tmp_path / "place") as board:
        process = command.start(*LONG, "--target", board.target)
        board.past_the_first_probe()
        board.unplug()
        assert "Was it unplugged?" in broken(command, process, "lost")
    # Its own end of the line is gone too: there is no need to wait until it has heard nothing.
    until(board.left_clean)


def test_a_server_that_freezes_hangs(command: Perfboard, tmp_path: Path) -> None:
    with board_on_a_line(tmp_path / "place") as board:
        # What a probe may take depends on its share of the budget.
        words = ["--time", "8", "--target", board.target]
        command.words = [sys.executable, "-c", _HASTY]
        process = command.start("measure", *PROBES, *words)
        board.past_the_first_probe()
        server = until(lambda: board.running("serve"))
        server.suspend()
        # Long after that has been noticed, so that the end need not wait for it too.
        thaw = threading.Timer(_NOTICED_S, server.resume)
        thaw.start()
        broken(command, process, "hang")
        thaw.join()
        until(board.left_clean)


def test_a_server_that_is_killed_has_died(command: Perfboard, tmp_path: Path) -> None:
    with board_on_a_line(tmp_path / "place") as board:
        process = command.start(*LONG, "--target", board.target)
        board.past_the_first_probe()
        until(lambda: board.running("serve")).kill()
        assert "the target still answers" in broken(command, process, "died")
        assert board.left_clean()
        assert board.answers()


def test_a_virtual_board_whose_emulator_ends_has_died(perfboard: Perfboard) -> None:
    # A virtual board repeats: of a probe or two it has enough soon, whatever it is given.
    long = ("measure", "memory.latency", "memory.bandwidth", "cpu.clock", "--time", "60")
    process = perfboard.start(*long, "--target", "virtual:verdex", *COUNTED)
    assert process.stderr
    # Said now and then; what it names is not the first process.
    for line in process.stderr:
        if re.search(r", round [0-9]*[2-9]", line):
            break
    children = psutil.Process(process.pid).children(recursive=True)
    (emulator,) = [child for child in children if "qemu" in child.name()]
    emulator.kill()
    said = broken(perfboard, process, "died")
    assert "The emulator was ended by signal 9 while the board was running" in said


def test_an_interruption_leaves_nothing_on_the_board_and_its_shell_usable(
    command: Perfboard, tmp_path: Path
) -> None:
    with board_on_a_line(tmp_path / "place") as board:
        words = ["kernel.syscall", "--time", "60", "--target", board.target]
        process = command.start("measure", *words)
        until(lambda: len(board.processes()) >= 2)
        process.send_signal(signal.SIGINT)
        run = command.finish(process, 130)
        assert run["status"] == "aborted"
        assert board.left_clean()
        assert board.answers()


def test_an_interruption_of_the_copy_leaves_nothing_either(
    command: Perfboard, tmp_path: Path
) -> None:
    with board_on_a_line(tmp_path / "place") as board:
        words = ["kernel.syscall", "--time", "60", "--target", board.target]
        process = command.start("measure", *words)
        until(lambda: any(board.place.glob("*/*.part*")))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=_PATIENCE_S)
        assert process.returncode == 130
        assert not board.processes()
        assert list(board.place.rglob("*")) == []
        assert board.answers()


def test_a_line_that_is_not_there_and_one_that_is_none(command: Perfboard, tmp_path: Path) -> None:
    measure = ["measure", "kernel.syscall", "--target"]
    said = command(*measure, f"serial://{tmp_path}/nosuch", code=3).stderr
    assert "nosuch cannot be opened: No such file" in said
    (tmp_path / "file").write_text("")
    assert "is no serial line" in command(*measure, f"serial://{tmp_path}/file", code=2).stderr
    said = command(*measure, "serial:///dev/ttyS0?baud=115201", code=2).stderr
    assert "115201 is no speed of a serial line" in said
    assert command.json("runs") == []


def test_a_line_on_which_nobody_answers(command: Perfboard) -> None:
    with quiet_terminal() as (_, path):
        said = command("measure", "kernel.syscall", "--target", f"serial://{path}", code=4).stderr
    assert "Check that the board is on, the cable, and the line's speed" in said


def test_one_probe_of_a_virtual_board(perfboard: Perfboard) -> None:
    words = ["kernel.syscall", "--time", "1", "--target", "virtual:verdex", *COUNTED]
    run = perfboard.json("measure", *words)
    assert (run["status"], run["evidence"]) == ("complete", "counted")
    (metric,) = run["metrics"]
    # Every instruction takes 8 ns, and there is nothing else that could differ.
    assert max(metric["samples"]) < 1.05 * min(metric["samples"])


def test_a_board_with_16_mib_is_not_driven_out_of_memory(
    command: Perfboard, derive: Callable[[Change], Path], image: Image
) -> None:
    def shrink(board: dict[str, Any]) -> None:
        # Debian's U-Boot for this machine does not fit, so the kernel alone has so little.
        board["image"]["kernel"]["arguments"] = "mem=16M"

    probes = ["memory.latency", "memory.bandwidth", "memory.copy", "memory.map", "kernel.syscall"]
    target = f"virtual:{derive(shrink)}"
    run = command.json("measure", *probes, "--time", "1", "--target", target, *COUNTED)
    assert run["status"] == "complete"
    counts = Counter(process["probe"] for process in processes_of(run))
    refused = {p["probe"]: p["refused"] for p in processes_of(run) if p["refused"]}
    assert counts.keys() == set(probes)
    assert not any("killed" in reason for reason in refused.values()), refused
    assert counts["kernel.syscall"] >= 5
    measured = {processes_of(run)[m["processes"][0]]["probe"] for m in run["metrics"]}
    assert {"memory.latency", "memory.bandwidth", "kernel.syscall"} <= measured
    log = next(Path(os.fspath(command.data)).rglob("console.log")).read_bytes()
    assert b"Out of memory" not in log
    assert b"oom-kill" not in log
