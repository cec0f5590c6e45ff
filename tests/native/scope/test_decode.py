# SPDX-License-Identifier: Apache-2.0
"""The scope's decoders: what instructions are to a pipeline, held against assemblers' encodings."""

import json
import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ..sanitized import ROOT, SCOPE, compile_sanitized

HERE = Path(__file__).parent
TABLES = ROOT / "tests" / "data" / "decode"
ISAS = ("arm", "thumb", "aarch64", "riscv64", "i386", "x86_64")

Decoded = dict[str, Any]

_NAMES = {
    "arm": {"sp": 13, "lr": 14, "fpscr": 16},
    "aarch64": {"sp": 31},
    "riscv64": {},
    "x86": {
        **{name: i for i, name in enumerate(("a", "c", "d", "b", "sp", "bp", "si", "di"))},
        "status": 63,
    },
}
_FAMILIES = {
    "arm": {"r": 0, "d": 32},
    "aarch64": {"x": 0, "v": 32},
    "riscv64": {"x": 0, "f": 32},
    "x86": {"r": 0, "st": 32, "x": 40},
}

# What a row of a table need not say.
_ZERO = (
    *("reads", "writes", "early", "added", "bases", "prefixes", "pushed", "guards"),
    *("reads_flags", "writes_flags", "loads", "stores"),
    *("conditional", "backward", "reads_clock", "repeats", "port", "escaped", "factor"),
    *("preload_base", "preload_offset"),
)


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Decodes lines of hexadecimal bytes; see its header."""
    return compile_sanitized(
        tmp_path_factory.mktemp("native") / "decode",
        SCOPE,
        HERE / "decode_harness.c",
        *sorted(SCOPE.glob("decode/decode*.c")),
    )


def decode(harness: Path, isa: str, codes: list[bytes]) -> list[Decoded]:
    lines = "".join(f"{code.hex()}\n" for code in codes)
    done = subprocess.run(
        [str(harness), isa], input=lines, capture_output=True, check=True, text=True
    )
    decoded = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(decoded) == len(codes)
    return decoded


def word(value: int) -> bytes:
    return value.to_bytes(4, "little")


def register(isa: str, name: str) -> int:
    family = {"thumb": "arm", "i386": "x86", "x86_64": "x86"}.get(isa, isa)
    if name in _NAMES[family]:
        return 1 << _NAMES[family][name]
    match = re.fullmatch(r"([a-z]+)(\d+)", name)
    assert match, name
    return 1 << _FAMILIES[family][match[1]] + int(match[2])


def expected(isa: str, line: str) -> tuple[bytes, str, Decoded]:
    """A row of a table: its bytes, its text, and all that they have to decode to."""
    code, text, op_class, registers, others = [
        field.strip() for field in (line + " | ").split(" | ")[:5]
    ]
    row: Decoded = dict.fromkeys(_ZERO, 0)
    row |= {"class": op_class, "flow": "next", "size": len(code) // 2, "count": 1}
    row["pipe"] = "alone" if isa in ("i386", "x86_64") else "either"
    reads, writes = registers.split(">")
    for name in reads.split():
        if name == "f":
            row["reads_flags"] = 1
            continue
        bit = register(isa, name.lstrip("!&"))
        row["reads"] |= bit
        row["early"] |= bit if name.startswith("!") else 0
        row["added"] |= bit if name.startswith("&") else 0
    for name in writes.split():
        if name == "f":
            row["writes_flags"] = 1
            continue
        bit = register(isa, name.lstrip("+"))
        row["writes"] |= bit
        row["bases"] |= bit if name.startswith("+") else 0
    for other in others.split():
        name, _, value = other.partition("=")
        name = "reads_clock" if name == "clock" else name
        assert name in row, line
        row[name] = value if name in ("flow", "pipe") else int(value or 1)
    return bytes.fromhex(code), text, row


def table(isa: str) -> list[tuple[bytes, str, Decoded]]:
    lines = (TABLES / f"{isa}.txt").read_text().splitlines()
    return [expected(isa, line) for line in lines if not line.startswith("#")]


@pytest.mark.parametrize("isa", ISAS)
def test_assembled_instructions_are_what_the_manuals_say(harness: Path, isa: str) -> None:
    rows = table(isa)
    decoded = decode(harness, isa, [code for code, _, _ in rows])
    wrong = {
        text: {key: (found[key], wanted[key]) for key in wanted if found[key] != wanted[key]}
        for (_, text, wanted), found in zip(rows, decoded, strict=True)
        if found != wanted
    }
    assert wrong == {}


def test_a_condition_changes_nothing_but_that_there_is_one(harness: Path) -> None:
    codes = [code for code, _, row in table("arm") if code[3] >> 4 == 14]
    always = decode(harness, "arm", codes)
    assert len(codes) > 60
    for condition in range(14):
        given_it = [code[:3] + bytes([code[3] & 15 | condition << 4]) for code in codes]
        for plain, found in zip(always, decode(harness, "arm", given_it), strict=True):
            assert found == plain | {"conditional": 1, "reads_flags": 1}


@pytest.mark.parametrize(
    ("isa", "base", "places", "count"),
    [
        ("arm", 0xE0800000, (0, 12, 16), 13),  # ADD
        ("arm", 0xE0200090, (0, 8, 12, 16), 13),  # MLA
        ("arm", 0xEE300B00, (0, 12, 16), 16),  # VADD.F64
        ("aarch64", 0x8B000000, (0, 5, 16), 31),  # ADD
        ("aarch64", 0x9B000000, (0, 5, 10, 16), 31),  # MADD
        ("aarch64", 0x1E602800, (0, 5, 16), 32),  # FADD
    ],
)
def test_only_the_registers_depend_on_register_numbers(
    harness: Path, isa: str, base: int, places: tuple[int, ...], count: int
) -> None:
    source = random.Random(4)
    codes = [
        word(base | sum(source.randrange(count) << place for place in places)) for _ in range(300)
    ]
    masks = ("reads", "writes", "early", "added")
    decoded = decode(harness, isa, codes)
    alike = {key: value for key, value in decoded[0].items() if key not in masks}
    for found in decoded:
        assert {key: value for key, value in found.items() if key not in masks} == alike
        assert found["writes"].bit_count() == 1
        assert 1 <= found["reads"].bit_count() < len(places)


@pytest.mark.parametrize("isa", ["i386", "x86_64"])
def test_an_x86_instruction_is_not_longer_for_what_follows_it(harness: Path, isa: str) -> None:
    rows = table(isa)
    padded = decode(harness, isa, [code + b"\x90" * 15 for code, _, _ in rows])
    assert [found["size"] for found in padded] == [len(code) for code, _, _ in rows]


@pytest.mark.parametrize("isa", ["i386", "x86_64"])
def test_an_x86_instruction_cut_short_has_no_size(harness: Path, isa: str) -> None:
    whole = {code for code, _, _ in table(isa)}
    cut = [code[:n] for code in whole for n in range(len(code)) if code[0] != 0x9B]
    for code, found in zip(cut, decode(harness, isa, cut), strict=True):
        assert found["size"] == 0, code.hex()
        assert found["class"] == "system"


def test_a_prefix_costs_the_pairing(harness: Path) -> None:
    plain, prefixed, jump, prefixed_jump = decode(
        harness, "i386", [b"\x89\xd8", b"\x66\x89\xd8", b"\x74\x00", b"\x2e\x74\x00"]
    )
    assert (plain["pipe"], prefixed["pipe"]) == ("either", "u")
    assert (jump["pipe"], prefixed_jump["pipe"]) == ("v", "alone")


# A list of registers may be empty, where the manuals leave open what happens.
_LISTS = ("load_multiple", "store_multiple", "fp_load", "fp_store")


def check_laws(isa: str, code: bytes, found: Decoded) -> None:
    assert found["early"] & ~found["reads"] == 0
    assert found["bases"] & ~found["writes"] == 0
    assert found["count"] >= 1 or found["class"] in _LISTS
    if isa in ("arm", "aarch64"):
        assert found["size"] == 4
    elif isa == "riscv64":
        assert found["size"] == (4 if code and code[0] & 3 == 3 else 2)
        assert not (found["reads"] | found["writes"]) & 1  # x0 is none
    elif isa == "thumb":
        assert found["size"] == 2 or (found["size"] == 4 and len(code) >= 4)
    else:
        assert found["size"] <= len(code)
    loading = ("load", "load_narrow", "load_pair", "load_multiple", "load_alu", "pop", "modify")
    if found["class"] in loading:
        assert found["loads"]
    if found["class"] in ("load_pc", "load_multiple_pc"):
        assert found["loads"] and found["flow"] in ("return", "indirect", "exception")
    if found["class"] in ("store", "store_pair", "store_multiple", "push", "modify"):
        assert found["stores"]
    if found["backward"]:
        assert found["flow"] in ("branch", "call")
    if found["class"] == "branch":
        assert found["flow"] == "branch"
    if found["repeats"]:
        assert found["class"].startswith("string")
    if isa in ("arm", "thumb"):
        assert not (found["reads"] | found["writes"]) >> 15 & 1  # PC is no register here


@pytest.mark.parametrize("isa", ISAS)
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(codes=st.lists(st.binary(max_size=20), min_size=1, max_size=200))
def test_any_bytes_decode_to_something_sound(harness: Path, isa: str, codes: list[bytes]) -> None:
    for code, found in zip(codes, decode(harness, isa, codes), strict=True):
        check_laws(isa, code, found)


@pytest.mark.parametrize("isa", ISAS)
def test_thousands_of_random_instructions_are_sound(harness: Path, isa: str) -> None:
    source = random.Random(11)
    codes = [source.randbytes(16 if isa in ("i386", "x86_64") else 4) for _ in range(6000)]
    for code, found in zip(codes, decode(harness, isa, codes), strict=True):
        check_laws(isa, code, found)


def test_every_class_has_a_name_and_a_cost_to_fall_back_on(harness: Path) -> None:
    done = subprocess.run(
        [str(harness), "classes"], capture_output=True, check=True, text=True
    ).stdout
    like = dict(line.split() for line in done.splitlines())
    for name in like:
        seen = {name}
        while like[name] != name:
            name = like[name]
            assert name not in seen
            seen.add(name)
    basic = {"alu", "shift", "multiply", "divide", "load", "store", "branch", "fp_add"}
    assert basic <= {name for name, other in like.items() if name == other}
