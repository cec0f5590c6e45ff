# SPDX-License-Identifier: Apache-2.0
"""Boards that are timed as a part: what a study of one records, and what its factors do."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from perfboard.boards.loader import load_board
from perfboard.images.image import build_image
from perfboard.model.progress import SilentProgress

from .conftest import Change, Perfboard

TIMED = ("study", "boot", "--set", "detail=timed")


@pytest.fixture
def verdex_words(derive: Callable[[Change], Path]) -> tuple[str, ...]:
    """Boots verdex, with a budget that it keeps: within its margin a verdict is inconclusive."""
    board = derive(lambda board: board["boot"].update(budget_s=100.0))
    return (*TIMED, "--board", str(board), "--boots")


@pytest.fixture(scope="module")
def teres() -> str:
    """The board, whose image is built here when no earlier run has."""
    build_image(load_board("teres"), {}, SilentProgress())
    return "teres"


def sample(run: Any, name: str) -> float:
    return next(float(m["samples"][0]) for m in run["metrics"] if m["name"] == name)


def test_a_timed_boot_is_in_the_parts_seconds_and_repeats(
    perfboard: Perfboard, verdex_words: tuple[str, ...]
) -> None:
    run = perfboard.json(*verdex_words, "2")
    assert run["evidence"] == "timed"
    assert run["factors"]["detail"] == "timed" and run["factors"]["flash"] == "tuned"
    assert run["board"]["timed_as"]["part"] == "XScale PXA270 at 400 MHz"
    assert 0 < run["board"]["timed_as"]["margin"] < 1
    for metric in run["metrics"]:
        if metric["name"] != "image.kernel.size":
            assert len(set(metric["samples"])) == 1, metric["name"]
    text = perfboard("show", run["id"]).stdout
    assert "timed \N{PLUS-MINUS SIGN}50%" in text


def test_a_64_bit_board_boots_all_its_phases_and_repeats(perfboard: Perfboard, teres: str) -> None:
    run = perfboard.json(*TIMED, "--board", teres, "--boots", "2")
    assert run["board"]["timed_as"]["part"] == "Cortex-A53 at 1052 MHz"
    found = {metric["name"] for metric in run["metrics"]}
    phases = ("bootloader", "kernel.load", "kernel.init", "root.mount", "userspace", "total")
    assert {f"boot.{phase}" for phase in phases} <= found
    assert {"boot.userspace.copy", "boot.userspace.application"} <= found
    for metric in run["metrics"]:
        if metric["name"] != "image.kernel.size":
            assert len(set(metric["samples"])) == 1, metric["name"]


def test_a_line_that_one_instruction_zeroes_takes_what_a_line_of_stores_takes(
    perfboard: Perfboard, teres: str
) -> None:
    """Beyond the caches: the emulator tells nothing of what 64-bit ARM's DC ZVA writes."""
    words = ("memory.bandwidth", "--budget", "2", "--target", f"virtual:{teres}")
    run = perfboard.json("measure", *words, "--set", "detail=timed")
    rates = {
        metric["labels"]["loop"]: median(metric["samples"])
        for metric in run["metrics"]
        if metric["labels"].get("operation") == "write" and metric["labels"]["size"] == "4194304"
    }
    assert rates["zero-lines"] == pytest.approx(rates["pair"], rel=0.05)


def test_the_configuration_of_the_flash_is_seen_in_the_copy(
    perfboard: Perfboard, verdex_words: tuple[str, ...]
) -> None:
    copies = {}
    for level in ("tuned", "delivered", "cached"):
        run = perfboard.json(*verdex_words, "1", "--set", f"flash={level}")
        copies[level] = sample(run, "boot.userspace.copy")
    assert copies["cached"] < copies["tuned"] / 2 < copies["delivered"] / 2


def test_another_part_takes_its_own_time(perfboard: Perfboard) -> None:
    totals = {
        board: sample(perfboard.json(*TIMED, "--board", board, "--boots", "1"), "boot.kernel.init")
        for board in ("rpi2", "orangepi-pc")
    }
    assert totals["orangepi-pc"] < totals["rpi2"]


def test_a_boots_misses_and_waits_are_in_its_record(perfboard: Perfboard) -> None:
    run = perfboard.json(*TIMED, "--board", "rpi2", "--boots", "1")
    waits = sum(m["samples"][0] for m in run["metrics"] if ".waits." in m["name"])
    assert 0 < waits < 2 * sample(run, "boot.total")
    assert sample(run, "boot.total.misses.l1d") > sample(run, "boot.total.misses.l2") > 0


def test_preloads_bring_lines_while_the_core_goes_on(perfboard: Perfboard) -> None:
    """An ARM1176 recognises no streams: a copy is as fast as its lines are asked for ahead."""
    words = ("--target", "virtual:rpi-zero", "--set", "detail=timed", "--budget", "3")
    run = perfboard.json("measure", "memory.bandwidth", *words)
    rates = {
        loop: sample_of(run, operation="copy", size=str(1 << 20), loop=loop)
        for loop in ("ldm", "ldm-preload")
    }
    assert rates["ldm-preload"] > 1.5 * rates["ldm"]


# Copies, each line in two halves, between which a line ahead may be preloaded, as memcpy() does.
COPIES = """
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SIZE (4 << 20)
#define MOVE "ldm %0!, {r2-r5}\\n stm %1!, {r2-r5}\\n"
#define COPY(preload) __asm__ volatile( \\
	"1:" MOVE MOVE preload MOVE MOVE "subs %2, %2, #64\\n bne 1b" \\
	: "+r"(source), "+r"(target), "+r"(left) : : "r2", "r3", "r4", "r5", "cc", "memory")

static char from[SIZE + 512] __attribute__((aligned(64)));
static char to[SIZE] __attribute__((aligned(64)));

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(void)
{
	char *source = from, *target = to;
	int left = SIZE;
	double began, plain;

	memset(from, 1, sizeof(from));
	memset(to, 2, sizeof(to));
	began = now();
	COPY("");
	plain = now() - began;
	source = from;
	target = to;
	left = SIZE;
	began = now();
	COPY("pld [%0, #256]\\n");
	printf("%.6f %.6f\\n", plain, now() - began);
	return 0;
}
"""


# Reads at random places of 8 MiB: each where the last says, then two such walks side by side.
WALKS = """
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define PLACES (8 << 20 >> 6)
#define TURNS 20000

static struct {
	uint32_t next;
	char rest[60];
} places[PLACES];

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(void)
{
	uint32_t one = 0, other = PLACES / 2;
	double began, single;

	/* A full cycle: the step is odd, the factor of the form 4n + 1. */
	for (uint32_t i = 0; i < PLACES; i++)
		places[i].next = (i * 1664525 + 1013904223) % PLACES;
	began = now();
	for (int i = 0; i < TURNS; i++)
		one = places[one].next;
	single = now() - began;
	began = now();
	for (int i = 0; i < TURNS; i++) {
		one = places[one].next;
		other = places[other].next;
	}
	printf("%.6f %.6f %u\\n", single, now() - began, one ^ other);
	return 0;
}
"""


def run_on(board: str, source: str, folder: Path) -> list[float]:
    """What the program printed, in s."""
    program = folder / "program"
    command = ["arm-linux-gnueabihf-gcc", "-O2", "-x", "c", "-", "-o", str(program)]
    subprocess.run(command, input=source, text=True, check=True)
    perfboard = Perfboard(folder / "data")
    done = perfboard("try", board, "--json", "--push", str(program), "--", "./program")
    artifacts = folder / "data/perfboard/runs" / json.loads(done.stdout)["id"] / "artifacts"
    return [float(word) for word in (artifacts / "stdout").read_text().split()]


def test_what_fills_memory_is_known_among_preloads(tmp_path: Path, trials: None) -> None:
    plain, preloading = run_on("rpi2", COPIES, tmp_path)
    assert preloading < 1.1 * plain


@pytest.mark.parametrize(("board", "together"), [("rpi2", True), ("rpi-zero", False)])
def test_reads_that_do_not_wait_for_each_other_miss_together(
    board: str, together: bool, tmp_path: Path, trials: None
) -> None:
    """As a Cortex-A7's do, and an ARM1176's do not (sbc-bench, dual random read)."""
    single, both, _ = run_on(board, WALKS, tmp_path)
    assert (both < 1.5 * single) == together
    assert 1.1 * single < both < 2.2 * single


def sample_of(run: Any, **labels: str) -> float:
    return next(
        float(m["samples"][0]) for m in run["metrics"] if labels.items() <= m["labels"].items()
    )
