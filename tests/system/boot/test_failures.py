# SPDX-License-Identifier: Apache-2.0
"""Boots that fail, emulators that die, users who interrupt: each recorded, none left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

import psutil
import pytest

from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose
from perfboard.images.image import Image, build_image
from perfboard.instruments.emulator_console import ConsoleRecorder
from perfboard.model.errors import TargetError
from perfboard.model.progress import SilentProgress
from perfboard.targets.virtual.target import VirtualTarget
from tests.support.rich_boards import rich_board

from ..conftest import COUNTED, Change, Perfboard

Derive = Callable[[Change], Path]


def arguments(extra: str) -> Change:
    def change(board: dict[str, Any]) -> None:
        kernel = board["image"]["kernel"]
        kernel["arguments"] = f"{kernel.get('arguments', '')} {extra}".strip()

    return change


def usable(text: str) -> Change:
    def change(board: dict[str, Any]) -> None:
        board["boot"].update(usable=text, limit_s=4)

    return change


def slow_countdown(board: dict[str, Any]) -> None:
    board["image"]["bootloader"]["delay"] = 60
    board["boot"]["limit_s"] = 3


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        (arguments("init=/nonexistent"), "panic", "Requested init /nonexistent failed"),
        (arguments("root=/dev/mtdblock9"), "no-root", "Unable to mount root fs"),
        (usable("exec:S98never"), "no-mark", "`usable` (exec:S98never) was not reached"),
        (usable("console:never said"), "no-mark", "`usable` (console:never said)"),
        (slow_countdown, "hang", "boot.limit_s"),
    ],
)
def test_a_boot_that_fails_is_recorded(
    perfboard: Perfboard, derive: Derive, change: Change, kind: str, said: str
) -> None:
    run = perfboard.json("study", "boot", "--board", str(derive(change)), *COUNTED, code=4)
    assert run["status"] == "failed"
    assert run["errors"][0]["kind"] == kind
    assert said in run["errors"][0]["message"]
    assert "last console lines:" in run["errors"][0]["message"]
    assert run["metrics"] == []
    assert run["verdicts"] == []
    report = Path(perfboard("report", run["id"]).stdout.strip()).read_text()
    assert kind in report
    assert perfboard.json("runs")[0]["status"] == "failed"


def test_a_bootloader_that_gives_up_is_not_waited_for(perfboard: Perfboard) -> None:
    # Debian's U-Boot does not survive the copy of all of the kernel's region.
    run = perfboard.json(
        "study", "boot", "--board", "verdex", "--set", "load=region", *COUNTED, code=4
    )
    (error,) = run["errors"]
    assert error["kind"] == "bootloader"
    assert "gave up" in error["message"] and "Please RESET" in error["message"]


def test_a_guest_that_prints_for_ever_is_ended(derive: Derive, tmp_path: Path) -> None:
    def change(board: dict[str, Any]) -> None:
        arguments("init=/bin/busybox -- yes flood")(board)
        board["boot"]["usable"] = "console:never said"

    loaded = load_board(str(derive(change)))
    variant = choose(loaded, {"detail": "counted"})
    target = VirtualTarget(variant, build_image(variant, SilentProgress()))
    with (
        pytest.raises(TargetError, match=r"\nflood\n") as caught,
        target.running(target.command(), [], tmp_path, ConsoleRecorder(100_000)) as watch,
    ):
        watch.until_usable(lambda name: None, Event())
    assert caught.value.kind == "flood"
    assert (tmp_path / "console.log").stat().st_size <= 100_000


def wait_for_emulator(process: subprocess.Popen[str]) -> psutil.Process:
    parent = psutil.Process(process.pid)
    for _ in range(600):
        assert process.poll() is None, process.communicate()
        for child in parent.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if "-icount" in child.cmdline():
                    return child
        time.sleep(0.05)
    raise AssertionError("the emulator never started")


def test_an_emulator_that_dies(perfboard: Perfboard) -> None:
    process = perfboard.start("study", "boot", "--board", "verdex", *COUNTED)
    emulator = wait_for_emulator(process)
    time.sleep(0.5)
    emulator.kill()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 4, err
    (row,) = perfboard.json("runs")
    run = perfboard.json("show", row["id"])
    assert run["errors"][0]["kind"] == "died"
    assert "signal 9" in run["errors"][0]["message"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_is_recorded_and_leaves_no_process(
    perfboard: Perfboard, number: signal.Signals
) -> None:
    process = perfboard.start("study", "boot", "--board", "verdex", *COUNTED)
    emulator = wait_for_emulator(process)
    time.sleep(0.5)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert not emulator.is_running()
    (row,) = perfboard.json("runs")
    assert row["status"] == "aborted"


def test_a_killed_perfboard_takes_its_emulator_with_it(perfboard: Perfboard) -> None:
    process = perfboard.start("study", "boot", "--board", "verdex", *COUNTED)
    emulator = wait_for_emulator(process)
    process.kill()
    process.communicate(timeout=60)
    gone, _ = psutil.wait_procs([emulator], timeout=10)
    assert gone
    (row,) = perfboard.json("runs")
    assert row["status"] == "unfinished"


def test_two_runs_at_once(perfboard: Perfboard) -> None:
    words = ["study", "boot", "--board", "verdex", "--boots", "1", *COUNTED]
    processes = [perfboard.start(*words) for _ in range(2)]
    for process in processes:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    first, second = (perfboard.json("show", row["id"]) for row in perfboard.json("runs"))
    assert first["id"] != second["id"]
    assert [m["samples"] for m in first["metrics"]] == [m["samples"] for m in second["metrics"]]


@pytest.mark.parametrize("size", ["48k", "440k"])
def test_a_full_disk_while_the_run_is_written(
    perfboard: Perfboard, tmp_path: Path, size: str
) -> None:
    data = tmp_path / "small"
    data.mkdir()
    script = 'mount -t tmpfs -o size="$2" none "$1" && shift 2 && exec "$@"'
    isolate = ["unshare", *([] if os.geteuid() == 0 else ["--map-root-user"]), "--mount"]
    if subprocess.run([*isolate, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine allows no private mounts")
    words = [
        "-m",
        "perfboard.cli.main",
        "study",
        "boot",
        "--board",
        rich_board("verdex"),
        "--boots",
        "1",
        *COUNTED,
    ]
    done = subprocess.run(
        [*isolate, "sh", "-c", script, "sh", str(data), size, sys.executable, *words],
        env={**os.environ, "XDG_DATA_HOME": str(data)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 3, done.stderr
    assert "the disk is full" in " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in done.stderr


def own_files(image: Image, folder: Path, system_map: str) -> Change:
    def change(board: dict[str, Any]) -> None:
        (folder / "System.map").write_text(system_map)
        board["image"]["kernel"] = {
            "file": str(image.kernel_file),
            "system_map": str(folder / "System.map"),
            "arguments": board["image"]["kernel"].get("arguments", ""),
        }

    return change


def test_the_system_map_of_another_kernel_is_detected(
    perfboard: Perfboard, derive: Derive, image: Image, tmp_path: Path
) -> None:
    ours = (image.kernel_file.parent / "System.map").read_text().splitlines()
    moved = []
    for line in ours:
        address, kind, name = line.split(" ", 2)
        shift = 16 if kind in "tT" and name > "do_" else 0
        moved.append(f"{int(address, 16) + shift:08x} {kind} {name}\n")
    board = derive(own_files(image, tmp_path, "".join(moved)))
    done = perfboard("study", "boot", "--board", str(board), code=2)
    assert "another kernel" in done.stderr


def test_a_kernel_without_a_needed_symbol(
    perfboard: Perfboard, derive: Derive, image: Image, tmp_path: Path
) -> None:
    ours = (image.kernel_file.parent / "System.map").read_text().splitlines()
    kept = [line for line in ours if not line.endswith(" sched_init")]
    board = derive(own_files(image, tmp_path, "\n".join(kept) + "\n"))
    done = perfboard("study", "boot", "--board", str(board), code=2)
    assert "sched_init" in done.stderr


def test_an_image_larger_than_its_flash(perfboard: Perfboard, derive: Derive) -> None:
    def shrink(board: dict[str, Any]) -> None:
        board["flash"]["root"]["size"] = "1 MiB"

    done = perfboard("study", "boot", "--board", str(derive(shrink)), code=2)
    assert "flash.root" in done.stderr
    assert perfboard.json("runs") == []
