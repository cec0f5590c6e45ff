# SPDX-License-Identifier: Apache-2.0
"""The scope's decoder of RISC-V, held against what llvm-mc 14 names the same bytes."""

import random
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from .riscv_oracle import facts
from .test_decode import Decoded, decode, harness

__all__ = ["harness"]
LLVM = shutil.which("llvm-mc-14")
EXTENSIONS = "+m,+a,+f,+d,+c,+zba,+zbb,+zbc,+zbs"
# Two C.NOP, after which the disassembler is in step again.
PADDING = bytes.fromhex("01000100")
# That version does not know PAUSE.
UNKNOWN = (0x0100000F,)
# Those whose upper seven bits say what they do, and the others.
BY_FUNCTION = bytes.fromhex("131b2f333b43474b4f53")
OTHERS = bytes.fromhex("03070f1723273763676f73")
COUNTERS = (0xC00, 0xC01, 0xC02, 0xC1F, 0xB00, 0xB02)
CSRS = (*COUNTERS, 0x100, 0x144, 0x180, 0x300)


def bytes_of(word: int) -> bytes:
    return word.to_bytes(4 if word & 3 == 3 else 2, "little")


def named(words: Iterable[int]) -> dict[int, str]:
    """By word, its text, for those that the disassembler knows."""
    lines = (" ".join(f"{byte:#x}" for byte in bytes_of(word) + PADDING) for word in words)
    command = (*("-disassemble", "-triple=riscv64"), f"-mattr={EXTENSIONS}")
    done = subprocess.run(
        [str(LLVM), *command, "-M", "no-aliases", "--show-encoding"],
        input="\n".join(lines),
        capture_output=True,
        text=True,
    )
    shown = re.findall(r"^\t(.*?)\s*# encoding: \[(.*)\]$", done.stdout, re.MULTILINE)
    codes = (bytes(int(byte, 16) for byte in code.split(",")) for _, code in shown)
    texts = (text for text, _ in shown)
    return {int.from_bytes(code, "little"): text for code, text in zip(codes, texts, strict=True)}


def differences(harness: Path, words: list[int]) -> tuple[int, dict[str, Decoded]]:
    """How many words have a name, and what is decoded otherwise than that."""
    names, wrong = named(words), {}
    known = [word for word in words if word in names and word not in UNKNOWN]
    decoded = decode(harness, "riscv64", [bytes_of(word) for word in known])
    for word, found in zip(known, decoded, strict=True):
        wanted = {"size": len(bytes_of(word)), **facts(names[word])}
        other = {key: (found[key], wanted[key]) for key in wanted if found[key] != wanted[key]}
        if other:
            wrong[f"{word:x} {names[word]}"] = other
    return len(known), wrong


@pytest.mark.skipif(LLVM is None, reason="llvm-mc-14 is not installed")
def test_each_instruction_of_16_bits_is_what_its_name_says(harness: Path) -> None:
    known, wrong = differences(harness, [word for word in range(1 << 16) if word & 3 != 3])
    assert wrong == {}
    assert known > 46_000


@pytest.mark.skipif(LLVM is None, reason="llvm-mc-14 is not installed")
def test_instructions_of_32_bits_are_what_their_names_say(harness: Path) -> None:
    source = random.Random(3)
    words = {
        opcode
        | source.randrange(32) << 7
        | kind << 12
        | source.randrange(32) << 15
        | second << 20
        | function << 25
        for opcode in BY_FUNCTION + OTHERS
        for kind in range(8)
        for function in range(0, 128, 1 if opcode in BY_FUNCTION else 16)
        for second in (0, 1, 2, 3, 4, 5, 24, source.randrange(32))
    }
    words |= {0x67 | to << 7 | by << 15 for to in (0, 1, 5, 6) for by in (0, 1, 5, 6)}
    words |= {0x6F | to << 7 for to in (0, 1, 5, 6)}
    words |= {0x73, 0x100073, 0x10200073, 0x30200073, 0x10500073, 0x12000073, 0x12B50073, 0x13}
    words |= {0x0FF0000F, 0x8330000F, 0x100F}
    words |= {
        0x73 | kind << 12 | 0x58500 | csr << 20 for csr in CSRS for kind in (1, 2, 3, 5, 6, 7)
    }
    # Counters of the machine that do not exist are clocks here, and have no names.
    words = {word for word in words if word >> 20 != 0xB01 or word & 0x7F != 0x73}
    known, wrong = differences(harness, sorted(words))
    assert wrong == {}
    assert known > 24_000


def test_what_no_part_has_is_undefined(harness: Path) -> None:
    # vadd.vv, vsetvli, fadd.h, c.illegal, c.addi16sp of nothing, lw of width 7.
    words = (0x022180D7, 0x0C3572D7, 0x043100D3, 0, 0x6101, 0x00007003)
    for found in decode(harness, "riscv64", [bytes_of(word) for word in words]):
        assert (found["class"], found["flow"]) == ("system", "exception")
        assert found["reads"] == found["writes"] == 0
