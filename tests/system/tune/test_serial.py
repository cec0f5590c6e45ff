# SPDX-License-Identifier: Apache-2.0
"""A tune of a board on a serial line, which says what an emulator says of each image."""

import hashlib
import os
import select
import shlex
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from perfboard.boards.loader import LoadedBoard
from perfboard.factors.choose import choose
from perfboard.images.image import Image
from perfboard.targets.virtual.target import VirtualTarget
from tests.support.runs import boots_of, result_of

from ..conftest import Perfboard
from .test_study import keep_but

RESETS = """\
import socket, sys
switch = socket.socket(socket.AF_UNIX)
switch.connect(sys.argv[1])
assert switch.recv(1) == b"."
"""
_BYTES_A_SECOND = 19200 / 10
# What busybox prints once the scripts have run.
_LAST = b"press Enter"


@contextmanager
def board_to_write(
    verdex: LoadedBoard, image: Image, folder: Path, write: str = ""
) -> Iterator[list[str]]:
    """The options of a board that boots what was written to its flash when it is reset.

    An image is booted by the emulator once; the next time its words come again, at the line's
    speed, so that the times are this line's and not those of a machine that has other work.
    """
    flash = folder / "flash"
    flash.mkdir()
    target = VirtualTarget(choose(verdex, {"detail": "counted"}), image)
    # Each bank is written under its own name.
    banks = {str(bank): str(flash / bank.name) for bank in image.banks}
    command = [*target.command(), "-serial", "stdio"]
    for bank, written in banks.items():
        command = [word.replace(bank, written) for word in command]
    master, slave = os.openpty()
    os.set_blocking(master, False)
    switch, (stop, stopped) = socket.socket(socket.AF_UNIX), socket.socketpair()
    switch.bind(str(folder / "switch"))
    switch.listen()

    def record() -> bytes:
        """What a board says that boots what its flash holds, until it is usable."""
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as emulator:
            assert emulator.stdout is not None
            said = b""
            while _LAST not in said and (data := os.read(emulator.stdout.fileno(), 1 << 16)):
                said += data
            emulator.kill()
        return said

    def serve() -> None:
        boots: dict[bytes, bytes] = {}
        said = b""
        while True:
            ready, _, _ = select.select([switch, stopped], [], [], 0 if said else None)
            if stopped in ready:
                return
            if switch in ready:
                asked, _ = switch.accept()
                held = b"".join(bank.read_bytes() for bank in sorted(flash.iterdir()))
                image = hashlib.sha256(held).digest()
                boots[image] = said = boots.get(image) or record()
                with asked:
                    asked.sendall(b".")
            # Where nobody listens it is lost, as on a real line.
            with suppress(BlockingIOError):
                os.write(master, said[:32])
            time.sleep(len(said[:32]) / _BYTES_A_SECOND)
            said = said[32:]

    serving = threading.Thread(target=serve)
    serving.start()
    script = folder / "reset.py"
    script.write_text(RESETS)
    try:
        yield [
            *("--target", f"serial://{os.ttyname(slave)}"),
            *("--write", write or shlex.join(["cp", "-ft", str(flash)])),
            *("--reset", shlex.join([sys.executable, str(script), str(folder / "switch")])),
            *("--usable", _LAST.decode()),
        ]
    finally:
        stop.send(b".")
        serving.join()
        for each in (switch, stop, stopped):
            each.close()
        os.close(slave)
        os.close(master)


def test_a_real_board_is_tuned_by_boots_that_are_repeated_and_interleaved(
    perfboard: Perfboard, verdex: LoadedBoard, image: Image, tmp_path: Path
) -> None:
    words = ["tune", "boot", "--board", "verdex", *keep_but("console", "flash")]
    with board_to_write(verdex, image, tmp_path) as options:
        run = perfboard.json(*words, *options, "--boots", "5")
    tuning = result_of(run, "tune")
    assert (run["status"], run["evidence"], run["errors"]) == ("complete", "host", [])
    tries = {tuple(one["levels"].items()): one for one in tuning["tries"]}
    # Fewer bytes on a line that takes them one by one.
    assert tuning["tries"][tuning["best"]]["levels"] == {"console": "quiet"}
    (advised,) = tuning["advice"]
    assert 0 < advised["low_s"] <= advised["high_s"]
    assert advised["lines"]
    # An image does not set up a board's flash.
    assert tries[("flash", "cached"),]["outcome"] == "refused"
    assert "no image changes it" in tries[("flash", "cached"),]["problem"]
    for levels in ((), (("console", "quiet"),), (("console", "off"),)):
        one = tries[levels]
        assert one["outcome"] == "booted"
        boots = result_of(run, "tune")["tried"][one["boot"] : one["boot"] + one["boots"]]
        assert 5 <= len(boots) == one["boots"]
        totals = [boot["marks"][-1]["t_ns"] / 1e9 for boot in boots]
        label = dict(levels) or {"levels": "start"}
        (metric,) = (
            m for m in run["metrics"] if m["name"] == "boot.total" and m["labels"] == label
        )
        assert metric["samples"] == totals
        assert 0.1 < statistics.median(totals) < 60
    # Beside the levels the start was booted, too.
    assert tries[()]["boots"] >= 6
    assert len(boots_of(run)) == 5
    assert "detail" not in run["factors"]
    assert "between" in perfboard("show", run["id"]).stdout
    report = perfboard.data / "perfboard" / "runs" / run["id"] / "report.html"
    assert "between" in report.read_text()


def test_a_program_that_cannot_write_ends_the_tune(
    perfboard: Perfboard, verdex: LoadedBoard, image: Image, tmp_path: Path
) -> None:
    words = ["tune", "boot", "--board", "verdex", *keep_but("console")]
    with board_to_write(verdex, image, tmp_path, write="false") as options:
        done = perfboard(*words, *options, code=3)
    said = " ".join(done.stdout.split())
    assert "--write false " in said and "failed (1)" in said
    (row,) = perfboard.json("runs")
    assert row["status"] == "failed"
