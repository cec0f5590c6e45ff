# SPDX-License-Identifier: Apache-2.0
"""Small ELF files that no compiler made."""

import struct

MACHINES = {"armhf": 40, "arm64": 183, "i386": 3, "amd64": 62}
_WIDE = ("arm64", "amd64")
_PAGE, _WORD = 4096, 2**64 - 1
_BASE = 0x400000
# Build attributes of an Arm program (Addenda to the ABI for the Arm Architecture, 3.3): Thumb-2,
# VFPv3 and NEON.
NEON = bytes((9, 2, 10, 3, 12, 1))


def elf_of(
    architecture: str,
    interpreter: str = "",
    attributes: bytes = b"",
    kind: int = 2,
    code: bytes = b"",
) -> bytes:
    """A program for that architecture; its code, a page of it, is at the file's second one."""
    wide = architecture in _WIDE
    name = f"{interpreter}\0".encode() if interpreter else b""
    tags = _attributes(attributes) if attributes else b""
    strings = b"\0.ARM.attributes\0.shstrtab\0"
    head, entry, section = (64, 56, 64) if wide else (52, 32, 40)
    count = bool(name) + bool(code)
    at_name = head + count * entry
    at_tags = at_name + len(name)
    at_strings = at_tags + len(tags)
    at_sections = at_strings + len(strings)
    identity = b"\x7fELF" + bytes((2 if wide else 1, 1, 1)) + bytes(9)
    form = "<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH"
    entry_at = _BASE + _PAGE if code else 0
    numbers = (kind, MACHINES[architecture], 1, entry_at, head if count else 0, at_sections, 0)
    data = identity + struct.pack(form, *numbers, head, entry, count, section, 3, 2)
    if name and wide:
        data += struct.pack("<IIQQQQQQ", 3, 4, at_name, 0, 0, len(name), len(name), 1)
    elif name:
        data += struct.pack("<IIIIIIII", 3, at_name, 0, 0, len(name), len(name), 4, 1)
    if code and wide:
        at = _BASE + _PAGE
        data += struct.pack("<IIQQQQQQ", 1, 5, _PAGE, at, at, _PAGE, _PAGE, _PAGE)
    elif code:
        at = _BASE + _PAGE
        data += struct.pack("<IIIIIIII", 1, _PAGE, at, at, _PAGE, _PAGE, 5, _PAGE)
    data += name + tags + strings
    rows = ((0, 0, 0, 0), (1, 0x70000003, at_tags, len(tags)), (17, 3, at_strings, len(strings)))
    for text, sort, place, size in rows:
        shape = "<IIQQQQIIQQ" if wide else "<IIIIIIIIII"
        sort = 0 if sort == 0x70000003 and not tags else sort
        data += struct.pack(shape, text, sort, 0, 0, place, size, 0, 0, 1, 0)
    return data.ljust(_PAGE, b"\0") + code.ljust(_PAGE, b"\0") if code else data


def printing_i386(text: str, also: bytes = b"") -> bytes:
    """A program for i386 that prints the text; it runs the instructions `also` first."""
    head = also + bytes.fromhex("b804000000 bb01000000 b9")
    tail = b"\xba" + struct.pack("<I", len(text)) + bytes.fromhex("cd80 b801000000 31db cd80")
    at = _BASE + _PAGE + len(head) + 4 + len(tail)
    return elf_of("i386", code=head + struct.pack("<I", at) + tail + text.encode())


def page_hash(page: bytes) -> int:
    """The number that the scope knows a page of code by (native/scope/record/profile.c)."""
    total = 0
    for place, (word,) in enumerate(struct.iter_unpack("<Q", page.ljust(_PAGE, b"\0"))):
        x = (place + 0x9E3779B97F4A7C15) & _WORD
        x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & _WORD
        x = ((x ^ x >> 27) * 0x94D049BB133111EB) & _WORD
        total += word * ((x ^ x >> 31) | 1)
    return total & _WORD


def _attributes(tags: bytes) -> bytes:
    whole = struct.pack("<BI", 1, 5 + len(tags)) + tags
    return b"A" + struct.pack("<I", 4 + 6 + len(whole)) + b"aeabi\0" + whole
