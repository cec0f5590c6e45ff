# SPDX-License-Identifier: Apache-2.0
"""Levels of verdex's image factors, as they boot; one kernel runs in flash."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perfboard.boards.loader import LoadedBoard
from perfboard.factors.choose import choose
from perfboard.images.image import build_image
from perfboard.model.progress import SilentProgress
from tests.support.runs import boots_of
from tests.support.variants import variant_of

from ..conftest import Change, Perfboard, sample

USABLE = ("study", "boot", "--boots", "1", "--board")
# A kernel that is another throughout: what else it has makes no more of it to be built.
IN_FLASH = ("kernel=xip", "drivers=module", "delay=calibrated-2.6")


def boot(
    perfboard: Perfboard, *levels: str, board: str = "verdex", detail: str = "counted"
) -> dict[str, Any]:
    settings = [word for level in (*levels, f"detail={detail}") for word in ("--set", level)]
    run: dict[str, Any] = perfboard.json(*USABLE, board, *settings)
    assert run["status"] == "complete"
    return run


def console(perfboard: Perfboard, run: dict[str, Any]) -> str:
    return perfboard.artifact(run, "boot-1/console.log").read_text()


def assert_all_scripts_ran(run: dict[str, Any]) -> None:
    steps = {
        m["name"].removeprefix("boot.userspace.")
        for m in run["metrics"]
        if m["name"].startswith("boot.userspace.") and not m["name"].endswith(".instructions")
    }
    wanted = {"filesystems", "devices", "ethernet", "syslog", "misc", "application", "copy"}
    assert steps - {"init", "terminals"} == wanted


def assert_does_the_same(perfboard: Perfboard, run: dict[str, Any]) -> None:
    assert_all_scripts_ran(run)
    # A script that lacks a node, a program or a library says so.
    log = console(perfboard, run).partition("Run /sbin/init")[2]
    for complaint in ("can't", "cannot", "not found"):
        assert complaint not in log


def programs(run: dict[str, Any]) -> set[str]:
    return {mark["name"] for mark in boots_of(run)[0]["marks"]}


@pytest.fixture
def perfboard(tmp_path: Path, image: object) -> Perfboard:
    return Perfboard(tmp_path)


@pytest.fixture(scope="module")
def in_flash(verdex: LoadedBoard) -> None:
    """The kernel that runs in flash: on a new machine, it takes longer than a command may.

    The kernels of other tests that differ little from verdex's are made before it: after it, each
    would have all of its files made once more.
    """
    in_flash = dict(level.split("=") for level in IN_FLASH)
    # Of a tune, and of the README's answers.
    others = (choose(verdex, {"compression": "lz4"}), variant_of("orangepi-pc"))
    for variant in (*others, choose(verdex, in_flash)):
        build_image(variant, SilentProgress())


def test_a_kernel_that_is_not_compressed_starts_without_a_bootloader(perfboard: Perfboard) -> None:
    run = boot(perfboard, "bootloader=none", "compression=none")
    # Four instructions, then the copies.
    assert sample(run, "boot.bootloader.instructions") == 4
    assert sample(run, "boot.userspace") > 0
    log = console(perfboard, run)
    assert "U-Boot" not in log and "Run /sbin/init" in log
    # The tree that it was handed has the arguments and the framebuffer.
    assert "Kernel command line: console=ttyAMA0,115200 mem=" in log
    assert "simple-framebuffer" in log


def test_a_kernel_is_checked_and_its_delay_loop_calibrated(perfboard: Perfboard) -> None:
    run = boot(perfboard, "check=crc32", "delay=calibrated", "bootdelay=1")
    log = console(perfboard, run)
    assert "Verifying Checksum ... OK" in log
    assert "Calibrating delay loop... " in log and "(skipped)" not in log
    assert sample(run, "boot.delay") == pytest.approx(1, rel=0.05)


def test_a_board_may_boot_in_silence(perfboard: Perfboard) -> None:
    run = boot(perfboard, "delay=preset", "console=off", "bootloader=none")
    # A busy host may let it go on for a while after it is usable, which its last script prints.
    assert console(perfboard, run).partition("system usable")[0] == ""


@pytest.mark.parametrize(
    "levels",
    [("nodes=saved", "init=parallel", "order=use"), ("nodes=static", "libraries=static")],
)
def test_a_root_made_otherwise_does_the_same(perfboard: Perfboard, levels: tuple[str, ...]) -> None:
    run = boot(perfboard, *levels)
    assert_does_the_same(perfboard, run)
    assert ("exec:startpar" in programs(run)) == ("init=parallel" in levels)


@pytest.mark.kernels
def test_a_kernel_unpacks_itself_from_flash(perfboard: Perfboard) -> None:
    runs = boot(perfboard), boot(perfboard, "kernel=flash")
    # The copy is by words, each at least an instruction.
    copied, own = (sample(each, "boot.kernel.load.copy.instructions") for each in runs)
    assert copied - own > sample(runs[0], "image.kernel.size") / 4
    assert_does_the_same(perfboard, runs[1])


@pytest.mark.usefixtures("in_flash")
def test_a_kernel_runs_in_flash_and_has_its_driver_as_a_module(perfboard: Perfboard) -> None:
    copied = boot(perfboard)
    run = boot(perfboard, *IN_FLASH)
    # Nothing is unpacked: it copies its data, and no more.
    unpacked, own = (
        sample(each, "boot.kernel.load.decompress.instructions") for each in (copied, run)
    )
    assert own < unpacked / 10
    assert sample(run, "image.kernel.size") > sample(copied, "image.kernel.size")
    assert_all_scripts_ran(run)
    assert "exec:modprobe" in programs(run) - programs(copied)
    assert "modprobe:" not in console(perfboard, run)


@pytest.mark.usefixtures("in_flash")
def test_it_calibrates_its_delay_loop_as_linux_2_6_21_did(
    perfboard: Perfboard, verdex: LoadedBoard, derive: Callable[[Change], Path]
) -> None:
    # Of a timed board a verdict would be inconclusive.
    board = str(derive(lambda board: board["boot"].pop("budget_s")))
    log = console(perfboard, boot(perfboard, *IN_FLASH, board=board, detail="timed"))
    lines = re.findall(r"^\[ *([\d.]+)\] (.*)", log, re.MULTILINE)
    at = next(n for n, (_, text) in enumerate(lines) if text.startswith("Calibrating delay loop"))
    # Nobody told it; today's method finds the same, but for the last bit that either asks for.
    assert " lpj=" not in log
    (found,) = re.findall(r"\(lpj=(\d+)\)", lines[at][1])
    assert int(found) == pytest.approx(verdex.board.image.kernel.loops_per_jiffy, rel=2**-7)
    # Each of 17 counts begins with a tick of 10 ms, and is over before the third.
    assert 0.16 < float(lines[at][0]) - float(lines[at - 1][0]) < 0.34
