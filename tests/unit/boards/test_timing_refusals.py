# SPDX-License-Identifier: Apache-2.0
"""Timing models that are refused, each with what is wrong and where."""

from pathlib import Path

import pytest

from perfboard.boards.loader import load_board
from perfboard.model.timing.part import Costs
from tests.support.board_files import PARTS, RPI2, VERDEX, refusal

SRAM = """\
[timing.regions.{}]
base = {}
size = 8
type = "ram"
caching = "cached"
first = "1 ns"
next = "1 ns"
width = 4
page = 4
source = "a data sheet"
kind = "manual"
"""
BIG_PAGES = """\
[timing.big_pages]
start = 0
size = {}
source = "a data sheet"
kind = "manual"
"""
CACHE = """\
[timing.caches.l1d]
size = "32 KiB"
ways = 3
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[timing.memory]", f"{CACHE}\n[timing.memory]", "is not 3 ways x 32 bytes a line"),
        ('latency = "140 ns"', 'latency = "-140 ns"', "timing.memory.latency: "),
        ('latency = "140 ns"', "latency = 140", "timing.memory.latency: "),
        ('latency = "140 ns"', 'latency = "1000 ms"', "longer than 10 ms"),
        ("hz = 400000000\nsource", "hz = 400000000\n#", "timing.clock.source: is missing"),
        ("hz = 400000000", "hz = -1", "timing.clock.hz: found -1"),
        ('kind = "assumed"\n\n[timing.flash', 'kind = "guess"\n\n[timing.flash', "'assumed'"),
        ('part = "pxa270"', 'part = "pxa27"', 'no part "pxa27"; the parts are: '),
        ('part = "pxa270"', 'part = "./nosuch.toml"', "nosuch.toml: No such file"),
        ('part = "pxa270"', "part = 3", "timing.part: found 3"),
        ("icount_shift = 3", "icount_shift = 3\ncpus = 2", "the part XScale PXA270 has 1"),
        ("width = 1\n", "width = 3\n", "timing.flash.width: found 3"),
        ("streams = 0", "streams = -1", "timing.memory.streams: found -1"),
        ('next = "36 ns"', 'next = "36 parsecs"', "timing.factors.flash.cached: flash.next"),
        ("[[timing.published]]", "[timing.margin]\nshare = 0.5\n[[timing.published]]", "margin"),
        ("buffer = 8", "buffer = 2000", "timing.memory.buffer: found 2000; give 1 to 1024"),
        (
            "[timing.memory]",
            "[timing.caches.l1d]\nreplacement = 'plru'\n[timing.memory]",
            "timing.caches.l1d.replacement: found plru; give lru, fifo or random",
        ),
        (
            'uncached = "70 ns"',
            'uncached = "70 ns"\nstreams = 99',
            "timing.factors.dcache.off: memory.streams: found 99; give 0 to 32",
        ),
        ('latency = "140 ns"', 'latency = "5000000 cycles"', "memory.latency is 5000000 cycles"),
        (
            "[timing.uart]",
            f"{SRAM.format('one', 1 << 30)}{SRAM.format('two', (1 << 30) + 4)}[timing.uart]",
            "regions.one and regions.two overlap",
        ),
        (
            "[timing.uart]",
            f"{SRAM.format('one', 4096)}[timing.uart]",
            "flash bank 0 and regions.one overlap",
        ),
        (
            "[timing.uart]",
            f"{SRAM.format('one', (1 << 35) - 4)}[timing.uart]",
            "regions.one ends beyond 0x800000000",
        ),
        (
            "[timing.uart]",
            "".join(SRAM.format(f"r{i}", (1 << 30) + 8 * i) for i in range(15)) + "[timing.uart]",
            "there are 17 regions; give at most 16",
        ),
        (
            "[timing.uart]",
            f"{BIG_PAGES.format(5000)}[timing.uart]",
            "timing.big_pages: size is 5000; give a power of two",
        ),
    ],
)
def test_a_wrong_model_is_told_by_key(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in VERDEX
    assert said in refusal(tmp_path, VERDEX.replace(old, new, 1))


def costs_of(**cycles: list[float]) -> str:
    body = "\n".join(f"{name} = {values}" for name, values in cycles.items())
    return f'\n[[costs]]\nsource = "a manual of it"\nkind = "manual"\n[costs.cycles]\n{body}\n'


@pytest.mark.parametrize(
    ("cycles", "said"),
    [
        ({"alu": [-1.0, 1]}, "found -1.0; give greater than or equal to 0"),
        ({"alu": [1.0]}, "give 2 or more of them"),
        ({"frobnicate": [1.0, 1.0]}, 'there is no class "frobnicate"; there are: nop, alu, '),
        ({"alu": [1.0, 1.0]}, "costs gives alu twice"),
    ],
)
def test_wrong_costs_of_a_part(tmp_path: Path, cycles: dict[str, list[float]], said: str) -> None:
    part = (PARTS / "pxa270.toml").read_text()
    (tmp_path / "part.toml").write_text(part + costs_of(**cycles))
    assert said in refusal(tmp_path, VERDEX.replace('"pxa270"', '"./part.toml"'))


def lacking(line: str) -> str:
    table = 'instructions = "some"\nsource = "a data sheet"\nkind = "manual"\n'
    return VERDEX + f"\n[timing.lacks]\n{table}{line}\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('hwcaps = ["neon", "nEon"]', 'the kernel has no hwcap "nEon"; it has: swp, half, thumb'),
        ("hwcaps = [7]", 'the kernel has no hwcap "7"'),
        ('hwcaps = ["vfpd32"]', 'hwcap "vfpd32" cannot be taken out, since the kernel goes by it'),
        ('hwcaps = ["thumb"]', "leave it out here, and say so in `differs`"),
        ('differs = { stepping = "a reason for it" }', '/proc/cpuinfo has no "stepping"; it has'),
        ('differs = { java = "no" }', "10"),
        ('kinds = ["avx"]', "crypto"),
    ],
)
def test_what_a_part_lacks_is_in_the_kernels_words(tmp_path: Path, line: str, said: str) -> None:
    assert said in refusal(tmp_path, lacking(line))


def test_a_64_bit_kernel_tells_programs_all(tmp_path: Path) -> None:
    board = lacking('hwcaps = ["aes"]').replace('"pxa270"', '"cortex-a7"')
    told = refusal(tmp_path, board.replace('"qemu-system-arm"', '"qemu-system-aarch64"'))
    assert "timing.lacks.hwcaps is of a 32-bit Arm kernel, which qemu-system" in told


def test_a_64_bit_board_may_say_what_programs_see_of_more_than_the_part() -> None:
    lacks = load_board("rpi3-64").board.timing.lacks  # type: ignore[union-attr]
    assert lacks
    assert {"aes", "pmull", "sha1", "sha2"} == set(lacks.differs)


@pytest.mark.parametrize("cost", ["alu = [1, 1]", "simd_wide = [8, 8]"])
def test_a_part_must_say_what_everything_costs(tmp_path: Path, cost: str) -> None:
    part = (PARTS / "pxa270.toml").read_text()
    (tmp_path / "part.toml").write_text(part.replace(f"\n{cost}\n", "\n"))
    lacks = refusal(tmp_path, VERDEX.replace('"pxa270"', '"./part.toml"'))
    assert f"costs lacks {cost.split()[0]}" in lacks


def test_a_source_is_wanted_of_costs_too() -> None:
    with pytest.raises(ValueError, match="source"):
        Costs.model_validate({"kind": "manual", "cycles": {"alu": [1, 1]}})


def test_two_instructions_a_cycle_want_pairs(tmp_path: Path) -> None:
    told = refusal(tmp_path, VERDEX + "\n[timing.core]\nissue = 2\n")
    assert "pairing goes with core.issue = 2" in told


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('size = "512 KiB"', 'size = "16 KiB"', "the first level holds 32768"),
        ("hit = ", 'hit = "500 ns" # ', "longer than that of memory beyond it"),
        ("stream = ", 'stream = "4 us" # ', "longer than that of a line at random"),
        ('source = "TRM 7.1', 'source = "            " # "TRM 7.1', "source"),
    ],
)
def test_a_hierarchy_that_cannot_be_is_refused(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    assert old in RPI2
    assert words in refusal(tmp_path, RPI2.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("cycles = {", "cycles = { alu = [-1, 1] } #", "alu[0]: found -1; give greater"),
        ('source = "TRM', 'source = "" # "TRM', 'found ""; give a text of 10 characters at least'),
        ("value = 900000000", "value = nan", "found NaN; give a number"),
    ],
)
def test_what_is_wrong_is_told_once_and_in_words(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    own = 'source = "made up for a test"\nkind = "assumed"\ncycles = { alu = [1, 1] }\n'
    text = RPI2.replace("[[timing.published]]", f"[[timing.costs]]\n{own}[[timing.published]]", 1)
    assert old in text
    (line,) = refusal(tmp_path, text.replace(old, new, 1)).splitlines()
    assert said in line
