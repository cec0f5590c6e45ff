# SPDX-License-Identifier: Apache-2.0
"""Where a program's time went: the scope's profile, pages of code, and functions."""

import json
import random
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from hypothesis import given, settings
from hypothesis import strategies as st

from perfboard.analysis.program.profile import (
    Block,
    by_function,
    read_blocks,
    read_laps,
    seconds,
    split,
)
from perfboard.images.kernel.system_map import SystemMap
from perfboard.images.program.code import CodePages, Functions, kernel_functions

from ..sanitized import SCOPE, compile_sanitized

HERE = Path(__file__).parent
PAGE = 4096
few = settings(max_examples=40)


def compiled(folder: Path, cores: int) -> Path:
    return compile_sanitized(
        folder / "harness",
        SCOPE,
        # A program that ends does not free what it has to the end.
        *("-fno-sanitize=leak", f"-DCORES={cores}"),
        HERE / "profile_harness.c",
        "record/profile.c",
        *("part/state.c", "decode/beyond.c"),
    )


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("profile"), 1)


def drive(
    harness: Path, folder: Path, page: bytes, lines: list[str], *words: str
) -> tuple[int, str]:
    """The hash of the page, and the profile as it was written."""
    (folder / "page").write_bytes(page)
    done = subprocess.run(
        [harness, folder / "profile.jsonl", folder / "page", *words],
        input="".join(f"{line}\n" for line in lines),
        env={"ASAN_OPTIONS": "detect_leaks=0"},
        capture_output=True,
        check=True,
        text=True,
    )
    return int(done.stdout), (folder / "profile.jsonl").read_text()


passage = st.tuples(st.integers(0, 9), st.integers(0, 10**6), st.integers(1, 50))


@few
@given(st.lists(passage, max_size=30), st.lists(passage, max_size=60), st.lists(passage))
def test_a_profile_has_all_that_passes_between_its_marks(
    harness: Path,
    tmp_path_factory: pytest.TempPathFactory,
    before: list[tuple[int, int, int]],
    within: list[tuple[int, int, int]],
    after: list[tuple[int, int, int]],
) -> None:
    lines = [
        *(" ".join(map(str, one)) for one in before),
        "mark",
        *(" ".join(map(str, one)) for one in within),
        "mark",
        *(" ".join(map(str, one)) for one in after[:30]),
    ]
    folder = tmp_path_factory.mktemp("run")
    page, text = drive(harness, folder, bytes(PAGE), lines)
    fs: Counter[int] = Counter()
    instructions: Counter[int] = Counter()
    for address, cost, count in within:
        fs[address] += cost
        instructions[address] += count
    blocks = {block.address: block for block in read_blocks(text)}
    assert {a: b.fs for a, b in blocks.items()} == dict(fs)
    assert {a: b.instructions for a, b in blocks.items()} == dict(instructions)
    assert {block.page for block in blocks.values()} <= {page}


def test_a_profile_has_blocks_without_number(harness: Path, tmp_path: Path) -> None:
    lines = ["mark", *(f"{address} 1 1" for address in range(900)), "mark"]
    _, text = drive(harness, tmp_path, bytes(PAGE), lines)
    assert sorted(block.address for block in read_blocks(text)) == list(range(900))


def test_a_record_of_what_is_beyond_has_the_blocks_that_ran_it_between_the_marks(
    harness: Path, tmp_path: Path
) -> None:
    lines = ["1 9 9 5", "mark", "1 9 9 2", "2 9 9", "3 9 9 1", "1 9 9 2", "mark", "3 9 9 7"]
    page, text = drive(harness, tmp_path, bytes(PAGE), lines, "beyond")
    found = [json.loads(line) for line in text.splitlines()]
    assert [each["page"] for each in found] == [page, page]
    assert {each["address"]: each["ran"] for each in found} == {1: {"neon": 4}, 3: {"neon": 1}}
    # A profile has times alone.
    assert "ran" not in drive(harness, tmp_path, bytes(PAGE), lines)[1]


def test_cores_that_start_meanwhile_are_in_the_profile(tmp_path: Path) -> None:
    several = compiled(tmp_path, 3)
    lines = ["mark", "1 70 7", "core 1", "2 80 8", "3 90 9", "core 0", "1 30 3", "mark"]
    _, text = drive(several, tmp_path, bytes(PAGE), lines)
    found = {block.address: (block.fs, block.instructions) for block in read_blocks(text)}
    assert found == {1: (100, 10), 2: (80, 8), 3: (90, 9)}


SOURCE = """
int first(int x) { return 3 * x + 1; }
static __attribute__((noinline)) int second(int x) { return x ^ first(x); }
int main(int argc, char **argv) { (void)argv; return second(argc); }
"""


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("code") / "program"
    command = ["gcc", "-O1", "-x", "c", "-", "-o", str(path)]
    subprocess.run(command, input=SOURCE, text=True, check=True)
    return path


def places(program: Path) -> dict[str, int]:
    """The offset in the file of each function."""
    with program.open("rb") as file:
        elf = ELFFile(file)
        found = {}
        table = elf.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        for symbol in table.iter_symbols():
            for segment in elf.iter_segments("PT_LOAD"):
                start = symbol["st_value"] - segment["p_vaddr"]
                if symbol["st_info"]["type"] == "STT_FUNC" and 0 <= start < segment["p_filesz"]:
                    found[symbol.name] = start + segment["p_offset"]
        return found


def test_a_page_is_found_by_the_hash_that_the_scope_gives_it(
    harness: Path, program: Path, tmp_path: Path
) -> None:
    pages = CodePages({"/usr/bin/program": program, "/etc/text": Path(__file__)})
    for name in ("first", "second", "main"):
        place = places(program)[name]
        start = place // PAGE * PAGE
        page = program.read_bytes()[start : start + PAGE].ljust(PAGE, b"\0")
        found, _ = drive(harness, tmp_path, page, [])
        # Where it is mapped does not matter, but for the place within its page.
        assert pages.find(found, 0x7654000 + place % PAGE) == ("/usr/bin/program", name)
        changed = bytearray(page)
        changed[random.Random(name).randrange(PAGE)] ^= 1
        other, _ = drive(harness, tmp_path, bytes(changed), [])
        assert pages.find(other, place) is None


def test_a_stripped_program_has_its_file_alone(
    harness: Path, program: Path, tmp_path: Path
) -> None:
    place = places(program)["second"]
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", stripped, program], check=True)
    start = place // PAGE * PAGE
    page = stripped.read_bytes()[start : start + PAGE].ljust(PAGE, b"\0")
    found, _ = drive(harness, tmp_path, page, [])
    where = CodePages({"/bin/x": stripped}).find(found, place)
    # Its function begins there all the same, as the tables for unwinding say.
    assert where == ("/bin/x", f"+{place:#x} (no symbols)")


@pytest.mark.parametrize("cut", [4, 20, 60, 100, 1000])
def test_a_damaged_program_does_no_harm(program: Path, tmp_path: Path, cut: int) -> None:
    data = bytearray(program.read_bytes())
    damaged = tmp_path / "damaged"
    damaged.write_bytes(data[:cut])
    assert CodePages({"/x": damaged}).find(1, 2) is None
    source = random.Random(cut)
    for _ in range(30):
        noise = bytearray(data)
        for _ in range(20):
            noise[source.randrange(4, 700)] = source.randrange(256)
        damaged.write_bytes(noise)
        CodePages({"/x": damaged}).find(1, 2)


def test_functions_end_where_their_size_says() -> None:
    functions = Functions([(100, 10, "a"), (100, 0, "alias"), (120, 0, "b"), (200, 4, "c")])
    assert [functions.name(address) for address in (99, 100, 109, 120, 199, 200)] == [
        *("+0x0 (no symbols)", "a", "a", "b", "b", "c")
    ]
    assert functions.name(110) == functions.name(119) == "+0x6e (no symbols)"
    assert functions.name(300) == "+0xcc (no symbols)"


def test_time_goes_to_functions_and_none_is_lost() -> None:
    blocks = [
        Block(0x10, 1, 5 * 10**15, 50),
        Block(0x20, 1, 10**15, 10),
        Block(0x30, 2, 3 * 10**15, 30),
        Block(0xC0008010, 9, 2 * 10**15, 20),
    ]
    user, system = split(blocks, 0xC0008000)
    kernel = kernel_functions(
        SystemMap({"_text": 0xC0008000, "data": 0xC0008008}, frozenset([0xC0008000]))
    )
    rows = by_function(
        user,
        system,
        lambda page, address: ("/bin/x", "hot") if page == 1 else None,
        kernel.name,
    )
    assert [(row.file, row.name, row.time_s, row.instructions) for row in rows] == [
        ("/bin/x", "hot", 6.0, 60),
        ("no file", "made while it ran", 3.0, 30),
        ("kernel", "_text", 2.0, 20),
    ]
    assert sum(row.time_s for row in rows) == seconds(blocks) == 11.0


def test_the_kernels_functions_come_before_its_sections() -> None:
    names = ("__sched_text_start", "__schedule", "__sched_text_end")
    found = kernel_functions(SystemMap(dict.fromkeys(names, 0x100), frozenset([0x100])))
    assert found.name(0x104) == "__schedule"


def test_a_profile_is_read_line_by_line() -> None:
    line = {"address": 2**64 - 1, "page": 2**64 - 1, "fs": 7, "instructions": 1}
    assert read_blocks(f"{json.dumps(line)}\n") == [Block(**line)]
    assert read_blocks("") == []


@few
@given(st.lists(st.lists(passage, max_size=20), min_size=1, max_size=4), st.lists(passage))
def test_each_lap_has_its_own(
    harness: Path,
    tmp_path_factory: pytest.TempPathFactory,
    laps: list[list[tuple[int, int, int]]],
    after: list[tuple[int, int, int]],
) -> None:
    lines = ["lap 0"]
    for number, within in enumerate(laps, 1):
        lines += [*(" ".join(map(str, one)) for one in within), f"lap {number}"]
    lines += [" ".join(map(str, one)) for one in after[:30]]
    _, text = drive(harness, tmp_path_factory.mktemp("run"), bytes(PAGE), lines)
    found = read_laps(text)
    assert [ns for ns, _ in found] == list(range(1, len(laps) + 1))
    for within, (_, blocks) in zip(laps, found, strict=True):
        fs: Counter[int] = Counter()
        for address, cost, _ in within:
            fs[address] += cost
        assert {block.address: block.fs for block in blocks} == dict(fs)
