# SPDX-License-Identifier: Apache-2.0
"""The features of a board's processor that programs see, held against logs of real ones."""

import re
import tomllib
from pathlib import Path

import pytest

from perfboard.boards.loader import load_board
from perfboard.images.image import build_image
from perfboard.model.progress import SilentProgress
from perfboard.targets.opening import open_target
from tests.support.variants import variant_of

from ..conftest import Perfboard, compile_program

LOGS = tomllib.loads((Path(__file__).parents[2] / "data" / "cpuinfo.toml").read_text())
LONG = ("teres", "rpi3-64", "orangepi-zero3", "imx8mp-evk", "radxa-zero3")
# Emulated as rpi2, rpi-zero2 and teres are, or with kernels of their own, whose builds take longer
# than all of this.
ALIKE = (
    *("orangepi-pc", "rpi3", "sk-am62b", "sk-am62b-lp"),
    *("am335x-evm", "beaglebone-green-eco"),
)
BOARDS = tuple(name for name in LOGS if name not in (*ALIKE, *LONG))
V8 = ("rpi-zero2",)
# CRC32, VSEL, VRINT, LDA and STL are of ARMv8. AESE is not in the Cortex-A53 of a Raspberry Pi.
PROGRAM = """
#include <arm_acle.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
int main(int argc, char **argv) {
	static atomic_uint shared;
	double x = 2.5 + argc, least = x > 4 ? x : 4;
	unsigned crc = __crc32b(~0u, 'a');
	atomic_store_explicit(&shared, crc, memory_order_release);
	crc = ~atomic_load_explicit(&shared, memory_order_acquire);
	__asm__ volatile(".fpu crypto-neon-fp-armv8\\n\\taese.8 q8, q9" ::: "d16", "d17");
	printf("%.1f %.1f %08x\\n", round(x), least, crc);
	return 0;
}
"""
FLAGS = ("-static", "-ffast-math", "-march=armv8-a+crc", "-mfpu=neon-fp-armv8")
SCRIPT = "cat /proc/cpuinfo; exec ./program"
_NUMBERS = {"implementer": 16, "variant": 16, "part": 16, "revision": 10}


def check(board: str, cpuinfo: str) -> None:
    """Each of its processors is as the log's, but for what the board's file says."""
    lacks = load_board(board).board.timing.lacks  # type: ignore[union-attr]
    differs = set(lacks.differs) if lacks else set()
    log, found = LOGS[board], set()
    features = re.findall(r"^Features\s*: (.*)$", cpuinfo, re.MULTILINE)
    assert features
    for text in features:
        found |= set(text.split()) ^ set(log["features"].split())
    for name, base in _NUMBERS.items():
        numbers = re.findall(rf"^CPU {name}\s*: (\w+)$", cpuinfo, re.MULTILINE)
        assert numbers
        if {int(number, base) for number in numbers} != {log[name]}:
            found.add(name)
    assert found == differs


def test_programs_see_the_features_of_the_part(tmp_path: Path, trials: None) -> None:
    """On those of ARMv8 alone a program for it runs, and what its part lacks is counted."""
    perfboard = Perfboard(tmp_path / "data")
    program = tmp_path / "program"
    compile_program("arm-linux-gnueabihf-gcc", PROGRAM, program, *FLAGS)
    others = [word for board in BOARDS if board != "rpi-zero2" for word in ("--compare", board)]
    words = ("--push", str(program), "--", "sh", "-c", SCRIPT)
    runs = perfboard.json("try", "rpi-zero2", *others, *words)
    assert [run["board"]["name"] for run in runs] == list(BOARDS)
    for run in runs:
        board = run["board"]["name"]
        output = perfboard.artifact(run, "stdout").read_text()
        check(board, output)
        ran = output.endswith("4.0 4.0 e8b7be43\n")
        notes = " ".join(run["provenance"]["notes"])
        assert ran == (board in V8)
        assert ran == ("lacks ran 1 times: 1 of AES" in notes)
        assert ran != ("(cortex-a7) does not know: compile it for the part" in notes)


@pytest.mark.parametrize("board", LONG)
def test_programs_of_a_64_bit_board_see_the_features_of_the_part(
    tmp_path: Path, board: str
) -> None:
    build_image(variant_of(board), SilentProgress())
    counted = {"detail": "counted"}
    with open_target(f"virtual:{board}", SilentProgress(), tmp_path, counted) as target:
        check(board, target.shell.run("cat /proc/cpuinfo").output)
