# SPDX-License-Identifier: Apache-2.0
"""Boards that are timed as a part: what a study of one records, and what its factors do."""

from collections.abc import Callable
from math import ceil
from pathlib import Path
from statistics import median

import pytest

from perfboard.boards.loader import load_board
from perfboard.images.image import build_image
from perfboard.model.board.virtual import FlashBoard
from perfboard.model.progress import SilentProgress
from tests.support.runs import boots_of
from tests.support.variants import variant_of

from ..conftest import Change, Perfboard, compile_program, sample

TIMED = ("study", "boot", "--set", "detail=timed")


@pytest.fixture
def verdex_words(derive: Callable[[Change], Path]) -> tuple[str, ...]:
    """Boots verdex, with a budget that it keeps: within its margin a verdict is inconclusive."""
    board = derive(lambda board: board["boot"].update(budget_s=100.0))
    return (*TIMED, "--board", str(board), "--boots")


@pytest.fixture(scope="module")
def teres() -> str:
    """The board, whose image is built here when no earlier run has."""
    build_image(variant_of("teres"), SilentProgress())
    return "teres"


def test_a_timed_boot_is_in_the_parts_seconds_and_repeats(
    perfboard: Perfboard, verdex_words: tuple[str, ...]
) -> None:
    run = perfboard.json(*verdex_words, "2")
    assert run["evidence"] == "timed"
    assert run["factors"]["detail"] == "timed" and run["factors"]["flash"] == "tuned"
    assert run["board"]["timed_as"]["part"] == "XScale PXA270 at 400 MHz"
    share = run["board"]["timed_as"]["margins"]["several"]["share"]
    assert 0 < share < 1
    for metric in run["metrics"]:
        if metric["name"] != "image.kernel.size":
            assert len(set(metric["samples"])) == 1, metric["name"]
    text = perfboard("show", run["id"]).stdout
    assert f"timed \N{PLUS-MINUS SIGN}{share:.0%}" in text


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
    first, second = (perfboard.artifact(run, f"boot-{n}/scope.jsonl") for n in (1, 2))
    assert first.read_bytes() == second.read_bytes()
    # All four cores of the part worked, and only the first one before the kernel started others.
    cores = boots_of(run)[0]["cores"]
    assert [each["core"] for each in cores] == [0, 1, 2, 3]
    assert all(0 < each["busy_ns"] < cores[0]["busy_ns"] for each in cores[1:])
    started_ns = next(m["t_ns"] for m in boots_of(run)[0]["marks"] if "rest_init" in m["name"])
    assert all(each["stretches"][0]["start_ns"] > started_ns for each in cores[1:])


def test_cores_that_are_counted_take_turns_and_have_no_time(perfboard: Perfboard) -> None:
    words = ("--set", "detail=counted", "--boots", "2")
    run = perfboard.json("study", "boot", "--board", "rpi2", *words)
    assert run["evidence"] == "counted"
    assert {metric["unit"] for metric in run["metrics"]} <= {"1", "B"}
    first, second = boots_of(run)
    assert first["cores"] == second["cores"] and len(first["cores"]) == 4
    assert sum(each["instructions"] for each in first["cores"]) == pytest.approx(
        sample(run, "boot.total.instructions"), rel=1e-4
    )


@pytest.mark.parametrize(
    ("board", "levels"),
    [
        ("omap1710", ()),
        # With verdex's kernel, which knows no card.
        ("rpi-zero", ("--set", "medium=flash")),
        ("rpi-zero2", ()),
    ],
)
def test_a_board_boots_its_linux_in_its_parts_time(
    perfboard: Perfboard, board: str, levels: tuple[str, ...]
) -> None:
    run = perfboard.json(*TIMED, "--board", board, "--boots", "1", *levels)
    timing = load_board(board).board.timing
    assert timing is not None and run["board"]["timed_as"]["part"].startswith(timing.core.name)
    assert sample(run, "boot.total") > sample(run, "boot.userspace") > 0
    assert not any("of which" in note for note in run["provenance"]["notes"])


def test_timers_sleep_and_delay_loops_agree(
    perfboard: Perfboard, verdex_words: tuple[str, ...]
) -> None:
    """All by the modelled clock: the idle guest's, its log's, and the loop that it calibrates."""
    script = "read a b </proc/uptime; sleep 3; read c d </proc/uptime; echo $a $c"
    before, after = perfboard("try", "verdex", "--", "sh", "-c", script).stdout.split()
    slept = float(after) - float(before)
    assert 2.98 <= slept <= 3.1
    assert sample(perfboard.json("show", "latest"), "try.time.real") == pytest.approx(
        slept, abs=0.1
    )
    run = perfboard.json(*verdex_words, "1", "--set", "delay=calibrated")
    log = perfboard.artifact(run, "boot-1/console.log")
    lpj = load_board("verdex").board.image.kernel.loops_per_jiffy
    assert f"(lpj={lpj})" in log.read_text()


def test_a_line_that_one_instruction_zeroes_takes_what_a_line_of_stores_takes(
    perfboard: Perfboard, teres: str
) -> None:
    """Beyond the caches: the emulator tells nothing of what 64-bit ARM's DC ZVA writes."""
    words = ("memory.bandwidth", "--time", "2", "--target", f"virtual:{teres}")
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


def test_a_bootloader_without_a_data_cache_waits_for_each_byte_that_it_stores(
    perfboard: Perfboard, verdex_words: tuple[str, ...]
) -> None:
    """What the kernel does after that is as it was."""
    words = (*verdex_words, "1", "--set", "bootloader=none", "--set", "copy=bytes", "--set")
    on, off = (perfboard.json(*words, f"dcache={level}") for level in ("on", "off"))
    size = sample(on, "image.kernel.size")
    added = sample(off, "boot.kernel.load.copy") - sample(on, "boot.kernel.load.copy")
    # 70 ns for each, instead of its share of 100 ns for a line, most of which wait meanwhile.
    assert 66e-9 <= added / size <= 70.5e-9
    for step in ("boot.kernel.load.decompress", "boot.kernel.init", "boot.userspace"):
        assert sample(off, step) == pytest.approx(sample(on, step), rel=1e-3)


def test_another_part_takes_its_own_time(perfboard: Perfboard) -> None:
    totals = {
        board: sample(perfboard.json(*TIMED, "--board", board, "--boots", "1"), "boot.kernel.init")
        for board in ("rpi2", "orangepi-pc")
    }
    assert totals["orangepi-pc"] < totals["rpi2"]


def test_a_kernel_with_a_header_is_another_image_where_the_tree_has_the_command() -> None:
    levels = ("crc32", "none")
    headed, plain = (
        build_image(variant_of("rpi2", check=level), SilentProgress()) for level in levels
    )
    assert headed.variables["bootcmd"] != plain.variables["bootcmd"]
    assert headed.hashes["kernel"] != plain.hashes["kernel"]


def test_a_boots_misses_and_waits_are_in_its_record(perfboard: Perfboard) -> None:
    run = perfboard.json(*TIMED, "--board", "rpi2", "--boots", "1")
    waits = sum(m["samples"][0] for m in run["metrics"] if ".waits." in m["name"])
    assert 0 < waits < 2 * sample(run, "boot.total")
    assert sample(run, "boot.total.misses.l1d") > sample(run, "boot.total.misses.l2") > 0
    # The bootloader finds the card, and reads the kernel by requests of 1 MiB.
    board = load_board("rpi2").board
    assert isinstance(board, FlashBoard) and board.firmware and board.disk
    card, ready = board.disk.transfer, board.disk.ready
    assert card is not None and ready is not None
    found_s, size = ready.after_ms / 1000, sample(run, "image.kernel.size")
    requests = ceil(size / (1 << 20))
    assert sample(run, "boot.kernel.load.medium") == pytest.approx(found_s)
    assert sample(run, "boot.total.waits.flash") == pytest.approx(
        size / card.rate + requests * card.overhead_ms / 1000, rel=0.01
    )
    # Linux waits for it again, and has its root there.
    log = perfboard.artifact(run, "boot-1/console.log").read_text()
    assert "Waiting for root device /dev/pbd" in log and "VFS: Mounted root (squashfs" in log
    assert found_s < sample(run, "boot.root.mount") < found_s + 0.1
    # What ran before is told, and is no part of the boot.
    (firmware,) = (metric for metric in run["metrics"] if metric["name"] == "boot.firmware")
    assert firmware["evidence"] == "published" and firmware["samples"] == [board.firmware.duration]


def test_preloads_bring_lines_while_the_core_goes_on(perfboard: Perfboard) -> None:
    """An ARM1176 recognises no streams: a copy is as fast as its lines are asked for ahead."""
    words = ("--target", "virtual:rpi-zero", "--set", "detail=timed", "--time", "3")
    run = perfboard.json("measure", "memory.bandwidth", *words)
    rates = {
        loop: sample(run, "memory.bandwidth", operation="copy", size=str(1 << 20), loop=loop)
        for loop in ("ldm", "ldm-preload")
    }
    assert rates["ldm-preload"] > 1.5 * rates["ldm"]


# What the programs have in common.
CLOCK = """
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
"""


# Copies, each line in two halves, between which a line ahead may be preloaded, as memcpy() does.
COPIES = """
#define SIZE (4 << 20)
#define MOVE "ldm %0!, {r2-r5}\\n stm %1!, {r2-r5}\\n"
#define COPY(preload) __asm__ volatile( \\
	"1:" MOVE MOVE preload MOVE MOVE "subs %2, %2, #64\\n bne 1b" \\
	: "+r"(source), "+r"(target), "+r"(left) : : "r2", "r3", "r4", "r5", "cc", "memory")

static char from[SIZE + 512] __attribute__((aligned(64)));
static char to[SIZE] __attribute__((aligned(64)));

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
#define PLACES (8 << 20 >> 6)
#define TURNS 20000

static struct {
	uint32_t next;
	char rest[60];
} places[PLACES];

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


# Fills of 4 MiB: by eight registers a store, by two, and by one.
FILLS = """
#define SIZE (4 << 20)
#define FOUR(store) store store store store
#define FILL(stores) __asm__ volatile("1:" stores "subs %1, %1, #32\\n bne 1b" \
	: "+r"(to), "+r"(left) \
	: : "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "cc", "memory")
#define TIMED(stores) { \
	char *to = area; \
	int left = SIZE; \
	double began = now(); \
	FILL(stores); \
	printf("%.6f ", now() - began); }

static char area[SIZE] __attribute__((aligned(64)));

int main(void)
{
	memset(area, 1, SIZE);
	TIMED("stm %0!, {r2-r6, r8-r10}\\n");
	TIMED(FOUR("strd r2, r3, [%0], #8\\n"));
	TIMED(FOUR("str r2, [%0], #4\\n" "str r2, [%0], #4\\n"));
	return 0;
}
"""


# Copies of 4 MiB by words of 64 bits: upwards, and from the end.
DIRECTIONS = """
#define WORDS (4 << 17)

static uint64_t from[WORDS] __attribute__((aligned(64)));
static volatile uint64_t to[WORDS] __attribute__((aligned(64)));

int main(void)
{
	double began;

	memset(from, 1, sizeof(from));
	memset((void *)to, 2, sizeof(to));
	began = now();
	for (int i = 0; i < WORDS; i++)
		to[i] = from[i];
	printf("%.6f ", now() - began);
	began = now();
	for (int i = WORDS - 1; i >= 0; i--)
		to[i] = from[i];
	printf("%.6f\\n", now() - began);
	return 0;
}
"""


def run_on(board: str, source: str, folder: Path) -> list[float]:
    """What the program, which has the clock, printed: in s."""
    program = compile_program("arm-linux-gnueabihf-gcc", CLOCK + source, folder / "program")
    perfboard = Perfboard(folder / "data")
    run = perfboard.json("try", board, "--push", str(program), "--", "./program")
    return [float(word) for word in perfboard.artifact(run, "stdout").read_text().split()]


def test_what_fills_memory_is_known_among_preloads(tmp_path: Path, trials: None) -> None:
    plain, preloading = run_on("rpi2", COPIES, tmp_path)
    assert preloading < 1.1 * plain


def test_a_line_read_for_a_store_is_alone_on_a_cortex_a7(tmp_path: Path, trials: None) -> None:
    """As sbc-bench has it of the Raspberry Pi 2: 926 MB/s, and 237 from the end."""
    up, down = run_on("rpi2", DIRECTIONS, tmp_path)
    assert 3.1 * up < down < 4 * up


def test_stores_of_few_registers_leave_an_arm1176_one_by_one(tmp_path: Path, trials: None) -> None:
    """As sbc-bench has it of the Raspberry Pi Zero: 1697 and 848 MB/s."""
    eight, two, one = run_on("rpi-zero", FILLS, tmp_path)
    assert two == pytest.approx(2 * eight, rel=0.1)
    assert one == pytest.approx(2 * two, rel=0.1)


@pytest.mark.parametrize(("board", "together"), [("rpi2", True), ("rpi-zero", False)])
def test_reads_that_do_not_wait_for_each_other_miss_together(
    board: str, together: bool, tmp_path: Path, trials: None
) -> None:
    """As a Cortex-A7's do, and an ARM1176's beyond L2 do not (sbc-bench, dual random read)."""
    single, both, _ = run_on(board, WALKS, tmp_path)
    assert (both < 1.5 * single) == together
    assert 1.1 * single < both < 2.2 * single
