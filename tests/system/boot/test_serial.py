# SPDX-License-Identifier: Apache-2.0
"""The boot study of a board on a serial line: the emulator, which nobody watches, is that board."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from perfboard.boards.loader import LoadedBoard
from perfboard.factors.choose import choose
from perfboard.images.image import Image
from perfboard.targets.serial.line import open_line
from perfboard.targets.virtual.target import VirtualTarget
from tests.support.runs import boots_of

from ..conftest import Perfboard, until

# What busybox prints once the scripts have run.
USABLE = "press Enter"
RESETS = """\
import json, socket, sys, time
# The emulator looks once a second whether somebody has opened its terminal.
time.sleep(2)
monitor = socket.socket(socket.AF_UNIX)
monitor.connect(sys.argv[1])
said = monitor.makefile("rw")
for command in ("qmp_capabilities", "system_reset"):
    print(json.dumps({"execute": command}), file=said, flush=True)
while json.loads(said.readline()).get("event") != "RESET":
    pass
"""


@contextmanager
def board_on_a_line(verdex: LoadedBoard, image: Image, monitor: Path) -> Iterator[str]:
    """The target of a board that has been switched on, and starts anew when it is reset."""
    command = VirtualTarget(choose(verdex, {"detail": "counted"}), image).command()
    command.remove("-no-reboot")
    command += ["-chardev", "pty,id=console", "-serial", "chardev:console"]
    command += ["-qmp", f"unix:{monitor},server=on,wait=off"]
    emulator = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert emulator.stdout is not None
        # char device redirected to /dev/pts/3 (label console)
        said = emulator.stdout.readline()
        yield f"serial://{said.split()[4]}"
    finally:
        emulator.kill()
        emulator.wait()


@pytest.mark.parametrize("by", ["command", "console"])
def test_a_board_on_a_line_is_booted_and_its_time_is_cut(
    perfboard: Perfboard, verdex: LoadedBoard, image: Image, tmp_path: Path, by: str
) -> None:
    monitor = tmp_path / "monitor"
    script = tmp_path / "reset.py"
    script.write_text(RESETS)
    reset = ["--reset", f"{sys.executable} {script} {monitor}"] if by == "command" else []
    with board_on_a_line(verdex, image, monitor) as target:
        words = ["--target", target, "--usable", USABLE, *reset, "--boots", "2"]
        run = perfboard.json("study", "boot", *words)
    assert (run["status"], run["evidence"], run["verdicts"]) == ("complete", "host", [])
    assert run["board"]["facts"]["kernel"].startswith("Linux version ")
    # As the standard study calls it.
    assert run["board"]["name"].startswith("dev-pts-")
    assert len(boots_of(run)) == 2
    for boot in boots_of(run):
        marks = {mark["name"]: mark for mark in boot["marks"]}
        wanted = ["reset", "bootloader.main", "boot.command", "kernel.entry", "kernel.clock"]
        wanted += ["root.mounted", "kernel.freed", "init.exec", "usable"]
        assert [name for name in wanted if name not in marks] == []
        times = [marks[name]["t_ns"] for name in wanted]
        assert times == sorted(times) and times[0] == 0
        assert {mark["clock"] for mark in marks.values()} == {"host"}
        assert marks["reset"]["source"] == by
    metrics = {metric["name"]: metric["samples"] for metric in run["metrics"]}
    assert len(metrics["boot.total"]) == len(metrics["boot.bootloader"]) == 2
    phases = [name for name in metrics if name.count(".") == 1]
    assert phases[:2] == ["boot.bootloader", "boot.delay"]
    assert (
        "The phases add up to the whole"
        in (perfboard.data / "perfboard" / "runs" / run["id"] / "report.html").read_text()
    )


def test_an_interruption_ends_the_run_and_frees_the_line(
    perfboard: Perfboard, verdex: LoadedBoard, image: Image, tmp_path: Path
) -> None:
    with board_on_a_line(verdex, image, tmp_path / "monitor") as target:
        words = ("--target", target, "--usable", "never said", "--reset", "true")
        process = perfboard.start("study", "boot", *words)
        until(lambda: next(perfboard.data.rglob("console.log"), None))
        process.send_signal(signal.SIGINT)
        run = perfboard.finish(process, 130)
        assert (run["status"], run["errors"][0]["kind"]) == ("aborted", "interrupted")
        assert "artifacts/boot-1/console.log" in [artifact["path"] for artifact in run["artifacts"]]
        with open_line(target):
            pass
