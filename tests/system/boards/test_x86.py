# SPDX-License-Identifier: Apache-2.0
"""The x86 boards: one kernel for four, a console behind ports, a disk that takes its time."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from perfboard.binaries.probes import all_probes
from perfboard.images.image import build_image
from perfboard.model.progress import SilentProgress
from tests.support.rich_boards import rich_board
from tests.support.runs import boots_of
from tests.support.variants import variant_of

from ..conftest import COUNTED, Perfboard, build_for_trials, compile_program, sample
from ..probes.test_standard import check_probes

TIMED = ("--set", "detail=timed")
# Loops of three additions that wait for each other, one within a page, and one with an addition
# that begins in the last byte of a page; what each takes of the processor's cycles.
SOURCE = """
#include <stdio.h>
#include <time.h>

#define LOOP(before) \\
	"jmp 1f\\n.p2align 12\\n.skip " before "\\n"              \\
	"1: add %1, %1\\nadd %1, %1\\nadd %1, %1\\n" \\
	"dec %0\\njnz 1b\\n"

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(void)
{
	int turns = 1000000, sum = 1;
	double began = now(), within;

	__asm__ volatile(LOOP("64") : "+r"(turns), "+r"(sum) : : "cc");
	within = now();
	turns = 1000000;
	__asm__ volatile(LOOP("4091") : "+r"(turns), "+r"(sum) : : "cc");
	printf("%.2f %.2f\\n", (within - began) * 66.667, (now() - within) * 66.667);
	return 0;
}
"""


@pytest.fixture(scope="module")
def settop() -> Path:
    """The board's file; its image is built here when no earlier run has."""
    path = rich_board("settop-web")
    build_image(variant_of(path), SilentProgress())
    return Path(path)


@pytest.fixture
def perfboard(tmp_path: Path, settop: Path) -> Perfboard:
    """The command, with run folders of its own."""
    return Perfboard(tmp_path / "data")


def boot(perfboard: Perfboard, board: str, boots: int, *words: str) -> Any:
    return perfboard.json("study", "boot", "--board", board, "--boots", str(boots), *words)


@pytest.mark.parametrize("words", [COUNTED, TIMED])
def test_a_boot_repeats_and_has_every_phase(perfboard: Perfboard, words: tuple[str, ...]) -> None:
    run = boot(perfboard, "settop-web", 2, *words)
    assert run["status"] == "complete"
    assert run["evidence"] == ("timed" if words == TIMED else "counted")
    for metric in run["metrics"]:
        assert len(set(metric["samples"])) == 1, metric["name"]
    parts = ("bootloader", "delay", "kernel.load", "kernel.init", "root.mount", "userspace")
    whole = sum(sample(run, f"boot.{part}") for part in parts)
    assert whole == pytest.approx(sample(run, "boot.total"))
    assert any("firmware" in note for note in run["provenance"]["notes"])


def test_each_byte_of_the_console_has_its_stamp(perfboard: Perfboard) -> None:
    run = boot(perfboard, "settop-web", 1, *TIMED)
    artifacts = perfboard.artifact(run, "boot-1")
    records = [json.loads(line) for line in (artifacts / "scope.jsonl").read_text().splitlines()]
    stamps = [stamp for record in records for stamp in record.get("console", [])[::2]]
    assert stamps == sorted(stamps)
    assert len(stamps) == len((artifacts / "console.log").read_bytes())
    # Ten bits a byte at 115200 baud, but for those that wait in the FIFO.
    assert (stamps[-1] - stamps[0]) / 1e9 > (len(stamps) - 17) * 10 / 115200


def test_the_disk_takes_its_time(perfboard: Perfboard, settop: Path, tmp_path: Path) -> None:
    board = tomllib.loads(settop.read_text())
    board["disk"] = {"size": board["disk"]["size"]}
    instant = tmp_path / "board.toml"
    instant.write_text(tomli_w.dumps(board))
    with_disk, without = (
        sample(boot(perfboard, name, 1, *TIMED), "boot.userspace")
        for name in ("settop-web", str(instant))
    )
    # At least the copied file's 512 KiB at 7 MB/s; seeks besides.
    assert with_disk - without > 524288 / 7e6


def test_what_is_read_ahead_need_not_be_waited_for(perfboard: Perfboard) -> None:
    without, ahead = (
        boot(perfboard, "settop-media", 1, *TIMED, "--set", f"readahead={level}")
        for level in ("none", "boot")
    )
    programs = [
        sorted(m["name"] for m in boots_of(run)[0]["marks"] if m["name"].startswith("exec:"))
        for run in (without, ahead)
    ]
    assert programs[1] == sorted([*programs[0], "exec:cat"])
    # The same kernel, from the same reset on.
    for part in ("kernel.load", "kernel.init"):
        assert sample(without, f"boot.{part}") == sample(ahead, f"boot.{part}")
    # The copied file's 512 KiB leave the disk at 7 MB/s: they had, when they were to be copied.
    copy = "boot.userspace.copy"
    assert sample(ahead, copy) < 524288 / 7e6 < sample(without, copy)
    assert sample(ahead, "boot.userspace") < sample(without, "boot.userspace")


def test_a_stick_is_waited_for(perfboard: Perfboard) -> None:
    run = boot(perfboard, "bifferboard", 1, *TIMED)
    assert 4.5 < sample(run, "boot.root.mount") < 6


@pytest.mark.parametrize("board", ["settop-media", "converter"])
def test_the_other_boards_boot_with_the_same_kernel(perfboard: Perfboard, board: str) -> None:
    run = boot(perfboard, board, 1, *TIMED)
    assert run["status"] == "complete" and "several" not in run["board"]["timed_as"]["margins"]


def test_everything_is_measured_in_16_mb_in_the_parts_time(perfboard: Perfboard) -> None:
    probes = {probe.name for probe in all_probes()}
    words = ("--target", "virtual:converter", *TIMED, "--time", "10")
    run = perfboard.json("study", "standard", *words)
    check_probes(run, probes)
    assert (run["evidence"], run["target"]) == ("timed", f"virtual:{rich_board('converter')}")


def test_a_figure_is_measured_on_a_live_board(perfboard: Perfboard) -> None:
    run = perfboard.json("measure", "cpu.bogomips", "--target", "virtual:converter", *TIMED)
    assert run["evidence"] == "timed"
    # Four cycles a turn of the delay loop: half the clock, less what the tick takes of it.
    assert 33.3 * 0.94 < sample(run, "cpu.bogomips") < 33.3


def test_an_instruction_that_goes_on_in_the_next_page_is_one(tmp_path: Path) -> None:
    program = compile_program("i686-linux-gnu-gcc", SOURCE, tmp_path / "loops")
    # The kernel that other tests need, so that there is one fewer to build.
    build_for_trials("converter", "wake")
    perfboard = Perfboard(tmp_path / "data")
    words = ("--set", "features=wake", "--push", str(program))
    run = perfboard.json("try", "converter", *words, "--", "./loops")
    within, across = map(float, perfboard.artifact(run, "stdout").read_text().split())
    assert 6 < within < 9
    # A block's instructions are not worked out with those of the next.
    assert abs(across - within) < 1.5
