# SPDX-License-Identifier: Apache-2.0
"""Timing models: what a board file may say of one, and what the scope is told."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from pydantic import BaseModel

from perfboard.boards.loader import list_boards, load_board
from perfboard.boards.parameters import ScopeParameter, parameters
from perfboard.boards.scope_text import timing_text
from perfboard.factors.choose import choose, timing_factors
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.errors import UsageError
from perfboard.model.sourced import WithSource
from perfboard.model.timing.duration import Duration
from perfboard.model.timing.part import CLASSES, NEEDED, LeftOut, Timing, fingerprint
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
                    walk(item, sourced or isinstance(item, WithSource))
                elif isinstance(item, int | float | Duration):
                    assert sourced, key

    walk(timing_of(name), False)


@pytest.mark.parametrize(
    ("emulator", "isa"), [("qemu-system-arm", "arm"), ("qemu-system-aarch64", "aarch64")]
)
def test_the_instruction_set_is_that_of_the_emulator(
    tmp_path: Path, emulator: str, isa: str
) -> None:
    text = VERDEX.replace("qemu-system-arm", emulator).replace('"pxa270"', '"cortex-a7"')
    board = load(tmp_path, text)
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
    assert lines[:3] == ["isa arm", "clock.hz 400000000", "core.issue 1"]
    assert "cost load_multiple 1000 3000 2000" in lines
    assert {"branch.predictor btb2", "branch.penalty 4000", "branch.tight false"} < set(lines)
    assert {"caches.l1d.size 32768", "caches.l1d.allocate read"} < set(lines)
    # 60 cycles at 400 MHz.
    assert "tlbs.d.miss 150000000" in lines
    assert {"memory.latency 140000000", "memory.buffer 8"} < set(lines)
    # Ten bits at 115200 baud, to the femtosecond.
    assert f"uart 0x9000000 {round(Fraction(10**16, 115200))}" in lines
    assert [line for line in lines if line.startswith("region ")] == [
        f"region bank{bank} {base} {64 << 20} flash code 515000000 515000000 1 32 1436000000"
        for bank, base in enumerate(("0x0", "0x4000000"))
    ]


def test_pairs_and_second_levels_are_told() -> None:
    lines = lines_of(load_board("rpi2").board)
    assert "core.issue 2" in lines and "pair alu branch" in lines
    assert {"caches.l2.hit 11300000", "caches.l2.next 7700000"} < set(lines)
    assert "accumulate multiply 1000" in lines
    assert {"core.misses 2", "core.stores_alone true", "caches.l1d.fills blocks"} < set(lines)
    assert {"tlbs.second.entries 256", "tlbs.second.miss 19200000"} < set(lines)
    zero = lines_of(load_board("rpi-zero").board)
    assert {"branch.returned 3000", "branch.loaded 7500"} < set(zero)
    assert "memory.ordered true" in lines_of(load_board("am335x-evm").board)
    assert "caches.l2.stream 3571429" in lines_of(load_board("sk-am62b").board)
    assert "branch.tight true" in lines_of(load_board("settop-web").board)


@pytest.mark.parametrize("name", TIMED)
def test_each_item_is_whole_numbers_and_words(name: str) -> None:
    board = load_board(name).board
    word = re.compile(r"0x[0-9a-f]+|[0-9]+|[a-z_0-9.-]+")
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


# Tables of which the scope has no parameters, and keys of those of which it has.
OTHER_TABLES = {
    *("lacks", "pairing", "costs", "flash", "regions", "factors", "distribution"),
    "published",
}
OTHER_KEYS = {"source", "kind", "core.name", "core.cores", "uart.bits"}


def paths_in(table: BaseModel, within: str = "") -> Iterator[str]:
    for key, value in table:
        path = f"{within}{key}"
        if isinstance(value, BaseModel) and key not in OTHER_TABLES:
            yield from paths_in(value, f"{path}.")
        elif within not in ("", "caches.", "tlbs.") and not {key, path} & OTHER_KEYS:
            yield path


def test_each_figure_of_a_part_is_a_parameter_and_the_reverse() -> None:
    figures = {path for name in TIMED for path in paths_in(timing_of(name))}
    assert figures == {parameter.path for parameter in parameters()}


def test_the_scope_takes_what_the_list_allows_and_nothing_else(reader: Path) -> None:
    def refused(parameter: ScopeParameter, value: object) -> bool:
        text = f"isa arm\nclock.hz 1000000000\ncost alu 1 1\n{parameter.path} {value}\ncost"
        done = subprocess.run([reader], input=text, capture_output=True, text=True, check=False)
        assert done.stdout.startswith((f"4: {parameter.path} wants", "5: cost wants"))
        return done.stdout.startswith("4")

    for parameter in parameters():
        good: Sequence[object] = parameter.words or (parameter.least, parameter.most)
        bad = ["sideways"] if parameter.words else [parameter.least - 1, parameter.most + 1]
        assert not any(refused(parameter, value) for value in good), parameter
        assert all(refused(parameter, value) for value in bad), parameter


def test_factors_change_what_is_told() -> None:
    board = load_board("verdex").board
    assert {name: tuple(factor.levels) for name, factor in timing_factors(board).items()} == {
        "detail": ("timed", "counted"),
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
    assert set(lines_of(board, dcache="off")) - set(lines_of(board)) == {
        "memory.uncached 70000000",
        f"kernel 0x100000 {15 << 20}",
        "kernel 0x41000000 4",
    }
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


def test_a_models_hash_is_of_its_parameters_and_not_of_words() -> None:
    hashes = {}
    for name in list_boards():
        timing = load_board(name).board.timing
        assert timing is not None
        hashes[name] = fingerprint(timing)
        clock = timing.clock.model_copy(update={"source": "another source"})
        other = {"published": (), "clock": clock, "left_out": ()}
        assert fingerprint(timing.model_copy(update=other)) == hashes[name]
        faster = timing.clock.model_copy(update={"hz": timing.clock.hz + 1})
        assert fingerprint(timing.model_copy(update={"clock": faster})) != hashes[name]
    assert hashes["rpi2"] != hashes["orangepi-pc"] != hashes["verdex"]


@pytest.mark.parametrize("left_out", [{}, {"ipc.switch": "the part does what ours does not"}])
def test_a_run_says_what_its_model_leaves_out(left_out: dict[str, str]) -> None:
    loaded = load_board("verdex")
    timing = loaded.board.timing
    assert timing
    known = tuple(LeftOut(metrics=(name,), reason=reason) for name, reason in left_out.items())
    other = timing.model_copy(update={"left_out": known})
    board = loaded.board.model_copy(update={"timing": other})
    summary = Emulation(choose(replace(loaded, board=board), {})).summary()
    assert summary.timed_as and summary.timed_as.left_out == left_out
    assert summary.timed_as.model == fingerprint(timing)
    assert summary.console_baud == board.console.baud
