# SPDX-License-Identifier: Apache-2.0
"""Timing models: what a board file may say of one, and what the scope is told."""

import re
import subprocess
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest
from pydantic import BaseModel

from perfboard.boards.loader import list_boards, load_board
from perfboard.boards.scope_text import timing_text
from perfboard.factors.choose import timing_factors
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.errors import UsageError
from perfboard.model.sourced import Sourced
from perfboard.model.timing.duration import Duration
from perfboard.model.timing.part import CLASSES, NEEDED, Timing
from perfboard.targets.virtual.target import Emulation
from tests.support.board_files import VERDEX, load
from tests.support.variants import variant_of

ROOT = Path(__file__).parents[3]
SCOPE = ROOT / "native/scope"
TIMED = [name for name in list_boards() if load_board(name).board.timing]


def lines_of(board: VirtualBoard, **levels: str) -> list[str]:
    """What the scope is told of the board, at these levels and else the defaults."""
    chosen = {name: factor.default for name, factor in timing_factors(board).items()}
    chosen |= {"detail": "timed"} | levels
    return (timing_text(board, chosen) or "").splitlines()


def timing_of(name: str) -> Timing:
    timing = load_board(name).board.timing
    assert timing is not None
    return timing


def test_the_boards_of_the_issue_are_timed() -> None:
    assert {"omap1710", "orangepi-pc", "rpi-zero", "rpi-zero2", "rpi2", "teres", "verdex"} <= set(
        TIMED
    )


def test_classes_are_those_of_the_decoders() -> None:
    names = re.findall(r"^\tOP_([A-Z_]+),", (SCOPE / "decode/decode.h").read_text(), re.MULTILINE)
    assert sorted(CLASSES) == sorted(name.lower() for name in names)
    assert set(NEEDED) < set(CLASSES)


@pytest.mark.parametrize("name", TIMED)
def test_every_figure_has_its_source(name: str) -> None:
    def walk(model: BaseModel, sourced: bool) -> None:
        for key, value in model:
            items = value.values() if isinstance(value, dict) else [value]
            for item in items if not isinstance(value, tuple) else value:
                if isinstance(item, BaseModel):
                    walk(item, sourced or isinstance(item, Sourced))
                elif isinstance(item, int | float | Duration):
                    assert sourced, key

    walk(timing_of(name), False)


@pytest.mark.parametrize(
    ("emulator", "isa"), [("qemu-system-arm", "arm"), ("qemu-system-aarch64", "aarch64")]
)
def test_the_instruction_set_is_that_of_the_emulator(
    tmp_path: Path, emulator: str, isa: str
) -> None:
    board = load(tmp_path, VERDEX.replace("qemu-system-arm", emulator))
    assert lines_of(board)[0] == f"isa {isa}"


def test_a_boards_cost_of_a_class_goes_over_its_parts(tmp_path: Path) -> None:
    own = """
[[timing.costs]]
source = "made up for a test"
kind = "assumed"
cycles = { load_pair = [7, 8] }
"""
    before = lines_of(load(tmp_path, VERDEX))
    after = lines_of(load(tmp_path, VERDEX + own))
    assert "cost load_pair 500 3000" in before
    assert set(after) - set(before) == {"cost load_pair 7000 8000"}
    assert set(before) - set(after) == {"cost load_pair 500 3000"}


@pytest.mark.parametrize("costs", ["[3]", '[{ cycles = "x" }]', "3", "[{ cycles = { alu = 1 } }]"])
def test_costs_that_are_none_are_told(tmp_path: Path, costs: str) -> None:
    with pytest.raises(UsageError, match=r"timing\.costs"):
        load(tmp_path, VERDEX.replace('part = "pxa270"', f'part = "pxa270"\ncosts = {costs}'))


def test_what_the_scope_is_told_of_verdex() -> None:
    lines = lines_of(load_board("verdex").board)
    assert lines[:3] == ["isa arm", "clock 400000000", "issue 1"]
    assert "cost load_multiple 1000 3000 2000" in lines
    assert "branch 4000 128 btb2 taken 0 direct 4000 returns 0 targets 0" in lines
    assert "cache l1d 32768 32 32 fifo write=back allocate=read hit=0" in lines
    # 60 cycles at 400 MHz.
    assert "tlb d 32 32 150000000" in lines
    assert "memory 140000000 140000000 100000000 8" in lines
    # Ten bits at 115200 baud, to the femtosecond.
    assert f"uart 0x9000000 {round(Fraction(10**16, 115200))} 64" in lines
    assert [line for line in lines if line.startswith("region ")] == [
        f"region bank{bank} {base} {64 << 20} flash code 515000000 515000000 1 32 1436000000"
        for bank, base in enumerate(("0x0", "0x4000000"))
    ]


def test_pairs_and_second_levels_are_told() -> None:
    lines = lines_of(load_board("rpi2").board)
    assert "issue 2" in lines and "pair alu branch" in lines
    l2 = next(line for line in lines if line.startswith("cache l2 524288 8 64 random "))
    assert l2.endswith("hit=11300000 next=7700000")
    assert "accumulate multiply 1000" in lines
    assert "misses 2 alone" in lines and "filling 4 blocks" in lines
    assert "tlb 2 256 2 19200000" in lines
    assert any(line.endswith("returns 8 targets 4 indirect") for line in lines)
    zero = lines_of(load_board("rpi-zero").board)
    assert any(line.endswith("returns 3 targets 0 returned 3000 loaded 7500") for line in zero)
    pentium = lines_of(load_board("settop-web").board)
    assert any(line.endswith(" indirect tight") for line in pentium)


@pytest.mark.parametrize("name", TIMED)
def test_each_item_is_whole_numbers_and_words(name: str) -> None:
    board = load_board(name).board
    word = re.compile(r"0x[0-9a-f]+|[0-9]+|[a-z_0-9-]+|(write|allocate|hit|next)=[a-z0-9]+")
    for line in lines_of(board):
        assert len(line) < 200
        assert all(word.fullmatch(part) for part in line.split(" ")), line


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scope's own reader of timing files."""
    program = tmp_path_factory.mktemp("native") / "reader"
    sources = [*SCOPE.glob("timing/*.c"), *SCOPE.glob("decode/*.c")]
    command = ["gcc", "-std=c11", "-I", str(SCOPE), "-o", str(program), *map(str, sources)]
    subprocess.run([*command, str(ROOT / "tests/native/scope/timing_reader.c")], check=True)
    return program


@pytest.mark.parametrize("name", TIMED)
def test_the_scope_takes_what_it_is_told(name: str, reader: Path) -> None:
    board = load_board(name).board
    flash = timing_factors(board).get("flash")
    for levels in [{"flash": level} for level in flash.levels] if flash else [{}]:
        text = "\n".join(lines_of(board, **levels)) + "\n"
        done = subprocess.run(
            [str(reader)], input=text, capture_output=True, text=True, check=False
        )
        assert (done.stdout, done.returncode) == ("", 0)
    refused = subprocess.run([str(reader)], input=b"isa z80\n", capture_output=True, check=False)
    assert refused.stdout.startswith(b"1: isa wants ")


LEAVES = (
    *(f"caches.{cache}.{key}" for cache in ("l1d", "l2") for key in ("size", "ways", "line")),
    *("tlbs.second.entries", "tlbs.second.ways"),
    *("memory.buffer", "memory.streams", "memory.ahead", "memory.stride"),
    *("core.preloads", "core.misses", "core.early", "core.prefix", "core.escape"),
    *("branch.penalty", "branch.entries"),
    *("branch.returns", "branch.targets", "branch.fetch", "uart.fifo", "big_pages.size"),
)
TIMES = (
    *("memory.latency", "memory.write", "memory.bus", "memory.store", "memory.uncached"),
    "caches.l2.hit",
    "tlbs.second.miss",
)
POWERS = (0, *(1 << power for power in range(42)))


@pytest.mark.parametrize("place", [*LEAVES, *TIMES])
def test_the_scope_takes_the_least_and_most_that_are_not_refused(place: str, reader: Path) -> None:
    board, table = load_board("rpi2").board, timing_of("rpi2").model_dump(mode="json")
    *folders, key = place.split(".")
    within = table
    for folder in folders:
        within = within[folder]
    taken = []
    for value in POWERS:
        within[key] = f"{value} cycles" if place in TIMES else value
        with suppress(ValueError):
            taken.append(Timing.model_validate(table))
    assert 0 < len(taken) < len(POWERS)
    for timing in (taken[0], taken[-1]):
        text = "\n".join(lines_of(board.model_copy(update={"timing": timing})))
        done = subprocess.run(
            [str(reader)], input=text, capture_output=True, text=True, check=False
        )
        assert (done.stdout, done.returncode) == ("", 0)


def test_factors_change_what_is_told() -> None:
    board = load_board("verdex").board
    assert {name: tuple(factor.levels) for name, factor in timing_factors(board).items()} == {
        "detail": ("counted", "timed"),
        "flash": (
            "tuned",
            "asynchronous",
            "asynchronous-cached",
            "delivered",
            "cached",
            "delivered-cached",
        ),
        "dcache": ("on", "off"),
    }
    regions = {
        level: next(line for line in lines_of(board, flash=level) if line.startswith("region"))
        for level in timing_factors(board)["flash"].levels
    }
    assert " code 679000000 679000000 " in regions["delivered"]
    assert " cached 515000000 36000000 " in regions["cached"]
    # Without bursts a line is eight accesses.
    assert regions["asynchronous"].endswith(" code 515000000 515000000 1 32 4120000000")
    cached = regions["asynchronous-cached"]
    assert cached.endswith(" cached 515000000 515000000 1 32 4120000000")
    assert regions["delivered-cached"].endswith(" cached 679000000 679000000 1 32 5432000000")
    # Where the kernel's region of flash is, and where it is copied to.
    (uncached,) = set(lines_of(board, dcache="off")) - set(lines_of(board))
    assert uncached == f"uncached 70000000 0x100000 {15 << 20} 0x41000000 4"
    assert lines_of(board, detail="counted") == []


def test_a_board_without_a_model_is_counted_and_has_no_factors(tmp_path: Path) -> None:
    board = load(tmp_path, VERDEX[: VERDEX.index("[timing]")])
    assert timing_factors(board) == {} and timing_text(board, {}) is None


@pytest.mark.parametrize("detail", ["timed", "counted"])
@pytest.mark.parametrize(
    ("name", "lacks"),
    [
        *((name, "Thumb-2, VFP and NEON") for name in ("verdex", "omap1710")),
        ("rpi-zero", "ARMv7's, Thumb-2, VFPv3 and NEON"),
        *((n, "CMOV") for n in ("bifferboard", "converter", "settop-media", "settop-web")),
        *((name, "") for name in ("orangepi-pc", "rpi2", "rpi-zero2", "teres")),
    ],
)
def test_a_run_says_what_its_part_could_not_have_run(name: str, lacks: str, detail: str) -> None:
    said = [n for n in Emulation(variant_of(name, detail=detail)).notes() if "lacks" in n]
    assert len(said) == bool(lacks)
    assert all(lacks in note for note in said)
