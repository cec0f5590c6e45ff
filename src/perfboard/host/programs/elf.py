# SPDX-License-Identifier: Apache-2.0
"""A program's file, looked at before a board is given it; nothing of it is trusted."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from perfboard.model.text import printable

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile

MAGIC = b"\x7fELF"
# Debian's names of architectures, by the machine of a file and whether it is of 64 bits.
_MACHINES = {
    ("EM_ARM", 32): "armhf",
    ("EM_AARCH64", 64): "arm64",
    ("EM_386", 32): "i386",
    ("EM_X86_64", 64): "amd64",
    ("EM_RISCV", 64): "riscv64",
    ("EM_MIPS", 32): "mipsel",
    ("EM_PPC", 32): "powerpc",
}
# EF_ARM_ABI_FLOAT_SOFT, and the loader of Debian's architecture without hard floating point.
_SOFT, _SOFT_LOADER = 0x200, "/lib/ld-linux.so.3"
_LONGEST, _MOST_LIBRARIES = 100, 50
# Errors other than its own that pyelftools raises for a damaged file.
_DAMAGED = (
    *(KeyError, TypeError, AssertionError, IndexError, AttributeError, OverflowError),
    *(ValueError, MemoryError, RecursionError),
)
# The kinds of instructions that an Arm file says it may have, as `model.timing.lacks.KINDS` names
# them, by its attributes: the tag, and the least value that says so (Addenda to the ABI for the Arm
# Architecture, 3.3.5.2). Thumb is Thumb-2 from 2 on.
_ATTRIBUTES = {
    "TAG_THUMB_ISA_USE": ("thumb", 2),
    "TAG_FP_ARCH": ("float", 1),
    "TAG_ADVANCED_SIMD_ARCH": ("neon", 1),
}
# The bits of GNU_PROPERTY_X86_ISA_1_NEEDED beyond the baseline (x86-64 psABI, 4.1).
_NEEDED_BITS = 0xC0008002
_BEYOND_BASELINE = {2: "x86-64-v2", 4: "x86-64-v3", 8: "x86-64-v4"}


@dataclass(frozen=True)
class Elf:
    """The words of a program's file about itself.

    `architecture` is Debian's name, armel for an Arm file that needs its loader; "" of one that
    none of ours is. `interpreter` is its dynamic loader, "" if it is static. `libraries` are those
    that it names. `may_have` are kinds of instructions that it was built to have: whether they run
    only a run tells. `level` is the level of x86-64 that it needs, beyond the baseline.
    """

    architecture: str
    machine: str
    interpreter: str = ""
    libraries: tuple[str, ...] = ()
    may_have: tuple[str, ...] = ()
    level: str = ""


def look(data: bytes) -> Elf | None:
    """The words of the file about itself; None: it is no ELF file.

    Raises ValueError for one that is damaged, and for what is no program or library.
    """
    if not data.startswith(MAGIC):
        return None
    from elftools.common.exceptions import ELFError
    from elftools.elf.dynamic import DynamicSegment
    from elftools.elf.elffile import ELFFile
    from elftools.elf.segments import InterpSegment

    try:
        elf = ELFFile(io.BytesIO(data))
        kind, machine = elf["e_type"], str(elf["e_machine"])
        if kind not in ("ET_EXEC", "ET_DYN"):
            raise _NoProgramError(f"is an ELF file, and neither a program nor a library ({kind})")
        if not elf.little_endian:
            raise _NoProgramError("is of a machine with the highest byte first")
        interpreter, libraries = "", list[str]()
        for segment in elf.iter_segments():
            if isinstance(segment, InterpSegment):
                interpreter = _name(segment.get_interp_name())
            if isinstance(segment, DynamicSegment):
                tags = islice(segment.iter_tags("DT_NEEDED"), _MOST_LIBRARIES)
                libraries += [_name(getattr(tag, "needed", "")) for tag in tags]
        known = _MACHINES.get((machine, elf.elfclass), "")
        soft = machine == "EM_ARM" and elf["e_flags"] & _SOFT and interpreter
        if interpreter == _SOFT_LOADER or soft:
            known = "armel"
        kinds = _arm_kinds(elf) if machine == "EM_ARM" else ()
        level = _x86_level(elf) if machine in ("EM_386", "EM_X86_64") else ""
        machine = printable(machine.removeprefix("EM_").lower())
        return Elf(known, machine, interpreter, tuple(libraries), tuple(kinds), level)
    except _NoProgramError as error:
        raise ValueError(str(error)) from None
    except (ELFError, *_DAMAGED) as error:
        raise ValueError("is a damaged ELF file") from error


class _NoProgramError(Exception):
    """Its words say what the file is."""


def _name(text: object) -> str:
    return printable(str(text)[:_LONGEST])


def _arm_kinds(elf: "ELFFile") -> Iterator[str]:
    from elftools.elf.sections import ARMAttributesSection

    found = (one for one in elf.iter_sections() if isinstance(one, ARMAttributesSection))
    attributes = (
        attribute
        for section in found
        for part in section.iter_subsections()
        for each in part.iter_subsubsections()
        for attribute in each.iter_attributes()
    )
    for attribute in attributes:
        kind, least = _ATTRIBUTES.get(str(attribute.tag), ("", 0))
        if kind and isinstance(attribute.value, int) and attribute.value >= least:
            yield kind


def _x86_level(elf: "ELFFile") -> str:
    from elftools.elf.sections import NoteSection

    notes = (one for one in elf.iter_sections() if isinstance(one, NoteSection))
    for note in (note for section in notes for note in section.iter_notes()):
        if note["n_type"] != "NT_GNU_PROPERTY_TYPE_0":
            continue
        for each in note["n_desc"]:
            if each["pr_type"] in (_NEEDED_BITS, "GNU_PROPERTY_X86_ISA_1_NEEDED"):
                bits = [bit for bit in _BEYOND_BASELINE if each["pr_data"] & bit]
                return _BEYOND_BASELINE[max(bits)] if bits else ""
    return ""
