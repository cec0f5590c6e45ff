# SPDX-License-Identifier: Apache-2.0
"""Levels of verdex's image factors that need no other kernel, as they boot."""

from pathlib import Path
from typing import Any

import pytest

from .conftest import Perfboard

USABLE = ("study", "boot", "--board", "verdex", "--boots", "1")


def boot(perfboard: Perfboard, *levels: str) -> dict[str, Any]:
    settings = [word for level in levels for word in ("--set", level)]
    run: dict[str, Any] = perfboard.json(*USABLE, *settings)
    assert run["status"] == "complete"
    return run


def value(run: dict[str, Any], name: str) -> float:
    (sample,) = next(m["samples"] for m in run["metrics"] if m["name"] == name)
    return float(sample)


def console(perfboard: Perfboard, run: dict[str, Any]) -> str:
    (log,) = (perfboard.data / "perfboard/runs" / run["id"]).rglob("console.log")
    return log.read_text()


@pytest.fixture
def perfboard(tmp_path: Path, image: object) -> Perfboard:
    return Perfboard(tmp_path)


def test_a_kernel_that_is_not_compressed_starts_without_a_bootloader(perfboard: Perfboard) -> None:
    run = boot(perfboard, "bootloader=none", "compression=none")
    # Four instructions, then the copies.
    assert value(run, "boot.bootloader.instructions") == 4
    assert value(run, "boot.userspace") > 0
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
    assert value(run, "boot.delay") == pytest.approx(1, rel=0.05)


def test_a_board_may_boot_in_silence(perfboard: Perfboard) -> None:
    run = boot(perfboard, "delay=preset", "console=off", "bootloader=none")
    assert console(perfboard, run) == ""


@pytest.mark.parametrize(
    "levels",
    [("nodes=saved", "init=parallel", "order=use"), ("nodes=static", "libraries=static")],
)
def test_a_root_made_otherwise_does_the_same(perfboard: Perfboard, levels: tuple[str, ...]) -> None:
    run = boot(perfboard, *levels)
    steps = {
        m["name"].removeprefix("boot.userspace.")
        for m in run["metrics"]
        if m["name"].startswith("boot.userspace.") and not m["name"].endswith(".instructions")
    }
    wanted = {"filesystems", "devices", "ethernet", "syslog", "misc", "application", "copy"}
    assert steps - {"init", "terminals"} == wanted
    # A script that lacks a node, a program or a library says so.
    log = console(perfboard, run).partition("Run /sbin/init")[2]
    for complaint in ("can't", "cannot", "not found"):
        assert complaint not in log
    started = {mark["name"] for mark in run["boots"][0]["marks"]}
    assert ("exec:startpar" in started) == ("init=parallel" in levels)
