# SPDX-License-Identifier: Apache-2.0
"""What a RISC-V instruction is to a pipeline, by its text as a disassembler prints it."""

import re
from typing import Any

_ABI = (
    *("zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1"),
    *(f"a{n}" for n in range(8)),
    *(f"s{n}" for n in range(2, 12)),
    *(f"t{n}" for n in range(3, 7)),
)
_FLOATING = (
    *(f"ft{n}" for n in range(8)),
    *("fs0", "fs1"),
    *(f"fa{n}" for n in range(8)),
    *(f"fs{n}" for n in range(2, 12)),
    *(f"ft{n}" for n in range(8, 12)),
)
_BITS = {name: 1 << number for number, name in enumerate(_ABI)} | {"zero": 0}
_BITS |= {name: 1 << 32 + number for number, name in enumerate(_FLOATING)}
_LINKS = ("ra", "t0")

# Patterns of mnemonics, the first that fits; "c." before one of 16 bits is left out.
_CLASSES = (
    ("nop|pause", "nop"),
    ("addi(w|4spn|16sp)?|x?ori|andi|slti|sltiu|lui|auipc|li|mv", "alu"),
    ("s[lr][la]i(w|64)?|slli\\.uw|roriw?", "shift"),
    ("s[lr][la]w?|ro[lr]w?", "shift_register"),
    ("(clz|ctz|cpop)w?|sext\\.[bh]|zext\\.h|orc\\.b|rev8|b(set|inv|clr|ext)i?|clmul[hr]?", "bits"),
    ("addw?|subw?|x?or|and|sltu?|andn|orn|xnor|add\\.uw|sh[123]add(\\.uw)?", "alu_register"),
    ("(min|max)u?", "alu_register"),
    ("mulw", "multiply"),
    ("mul", "multiply_wide"),
    ("mulhs?u?", "multiply_high"),
    ("(div|rem)u?w", "divide"),
    ("(div|rem)u?", "divide_long"),
    ("l([bhw]u?|d)(sp)?|lr\\..*", "load"),
    ("s[bhwd](sp)?|sc\\..*", "store"),
    ("amo.*", "exchange"),
    ("fl[wd](sp)?", "fp_load"),
    ("fs[wd](sp)?", "fp_store"),
    ("b(eq|ne|lt|ge|ltu|geu|eqz|nez)|j", "branch"),
    ("fn?m(add|sub)\\.s", "fp_multiply_add"),
    ("fn?m(add|sub)\\.d", "fp_multiply_add_double"),
    ("f(add|sub|min|max|eq|lt|le)\\.[sd]|fcvt\\..*", "fp_add"),
    ("fmul\\.s", "fp_multiply"),
    ("fmul\\.d", "fp_multiply_double"),
    ("f(div|sqrt)\\.s", "fp_divide"),
    ("f(div|sqrt)\\.d", "fp_divide_double"),
    ("fsgnj[nx]?\\.[sd]|fmv\\..*|fclass\\..*", "fp_move"),
    ("fence(\\.i|\\.tso)?", "barrier"),
    ("csrr.*", "coprocessor"),
    ("ecall|ebreak|sret|mret|wfi|sfence\\.vma|unimp", "system"),
)
_CLOCKS = re.compile(r"m?(cycle|instret|hpmcounter\d+)|time|stimecmp")
_PLACE = re.compile(r"(-?\w+)?\((\w+)\)")


def facts(text: str) -> dict[str, Any]:
    """The class of an instruction, its flow, and the masks of its registers."""
    mnemonic, _, rest = text.strip().partition("\t")
    mnemonic, short = mnemonic.removeprefix("c."), mnemonic.startswith("c.")
    operands = [word.strip() for word in rest.split(",")] if rest else []
    registers = [word for word in operands if word in _BITS]
    places = [match[2] for match in map(_PLACE.fullmatch, operands) if match]
    if mnemonic in ("jal", "jalr", "jr"):
        jump = _jump(mnemonic, registers, places, short)
        return jump | {"backward": _backward(operands) if mnemonic == "jal" else 0}
    kind = next(name for pattern, name in _CLASSES if re.fullmatch(pattern, mnemonic))
    reads, writes = registers[1:], registers[:1]
    if kind in ("store", "fp_store", "branch", "system") and not mnemonic.startswith("sc."):
        reads, writes = registers, []
    if short and not places and mnemonic not in ("li", "lui", "mv", "addi4spn"):
        reads = registers
    flow = "branch" if kind == "branch" else "next"
    if mnemonic in ("ecall", "ebreak", "sret", "mret", "unimp"):
        flow = "exception"
    clock = mnemonic.startswith("csrr") and _CLOCKS.fullmatch(operands[1])
    if text.strip() == "addi\tzero, zero, 0":
        kind = "nop"
    added = registers[3:4] if kind.startswith("fp_multiply_add") else []
    return {
        "class": "clock_read" if clock else kind,
        "flow": flow,
        "conditional": int(flow == "branch" and mnemonic != "j"),
        "backward": _backward(operands) if flow == "branch" else 0,
        "reads_clock": int(bool(clock)),
        "loads": int(kind in ("load", "fp_load", "exchange")),
        "stores": int(kind in ("store", "fp_store", "exchange")),
        "reads": _mask([*reads, *places]),
        "writes": _mask(writes),
        "early": _mask(places),
        "added": _mask(added) & ~_mask(reads[:2]),
    }


def _jump(mnemonic: str, registers: list[str], places: list[str], short: bool) -> dict[str, Any]:
    links = registers
    if short:
        places, links = registers, ["ra"] if mnemonic == "jalr" else []
    if links and links[0] in _LINKS:
        kind, flow = "call", "call_indirect" if places else "call"
    elif not places:
        kind = flow = "branch"
    elif places[0] in _LINKS:
        kind = flow = "return"
    else:
        kind, flow = "branch_indirect", "indirect"
    quiet = ("conditional", "reads_clock", "loads", "stores", "early", "added")
    found: dict[str, Any] = dict.fromkeys(quiet, 0)
    return found | {"class": kind, "flow": flow, "reads": _mask(places), "writes": _mask(links)}


def _backward(operands: list[str]) -> int:
    return int(int(operands[-1]) <= 0)


def _mask(names: list[str]) -> int:
    mask = 0
    for name in names:
        mask |= _BITS[name]
    return mask
