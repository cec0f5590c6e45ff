# SPDX-License-Identifier: Apache-2.0
"""The kernel options that a boot did not use, by the functions that ran in it."""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from perfboard.analysis.boot.reading.console import split_lines
from perfboard.analysis.boot.reading.kernel_log import parse_console
from perfboard.analysis.boot.reading.scope_log import parse_scope
from perfboard.model.results.boot import Boot

# Without it, Kconfig does not allow switching off most options.
EXPERT = "CONFIG_EXPERT"
# ld breaks the line after a long name.
_SECTION = re.compile(
    r"^ (\.\S+)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S+\.o)$", re.ASCII | re.MULTILINE
)
_CODE = re.compile(r"\.(?:\w+\.)?text(?:\.|$)", re.ASCII)
# Code that runs once and is then freed: Linux 6.1, include/asm-generic/vmlinux.lds.h.
_ONCE = (".init.", ".exit.", ".meminit.", ".memexit.")


class Code(NamedTuple):
    """A stretch of a kernel's code, from `start` to `end`, and the object that it came from.

    `once` is code that runs only while the kernel sets itself up, and is then freed.
    """

    start: int
    end: int
    object: str
    once: bool


def read_link_map(text: str) -> list[Code]:
    """The code of a kernel by its address, from the map that ld writes."""
    found = []
    for name, address, size, origin in _SECTION.findall(text):
        start = int(address, 16)
        # Code that the linker left out is at address 0.
        if start and int(size, 16) and _CODE.match(name):
            found.append(Code(start, start + int(size, 16), origin, name.startswith(_ONCE)))
    return sorted(found)


def unused_options(
    brought: Mapping[str, frozenset[str]], code: Sequence[Code], ran: Iterable[int]
) -> tuple[str, ...]:
    """The options that bring code of which nothing ran, by name.

    `brought` are each option's objects, `code` is in the order of its addresses, and `ran` are
    the first addresses of the functions that ran. That an object's code for setting up ran is
    not taken for use: a driver that only makes itself known is not used. An option without
    other code than that is left out: nothing tells whether it was used.
    """
    lasting = {part.object for part in code if not part.once}
    starts = [part.start for part in code]
    used = set()
    for address in ran:
        at = bisect_right(starts, address) - 1
        if at >= 0 and address < code[at].end and not code[at].once:
            used.add(code[at].object)
    return tuple(
        sorted(name for name, parts in brought.items() if parts & lasting and not parts & used)
    )


def most_allowed(
    candidates: Sequence[str],
    allowed: Callable[[tuple[str, ...]], bool],
    given: tuple[str, ...] = (),
) -> tuple[str, ...]:
    """As many of the candidates as are allowed together with each other and those `given`.

    If not all are, they are asked for by halves, so that a few at fault take few questions. If two
    exclude each other, the first is kept.
    """
    if not candidates or allowed((*given, *candidates)):
        return tuple(candidates)
    if len(candidates) == 1:
        return ()
    half = len(candidates) // 2
    first = most_allowed(candidates[:half], allowed, given)
    return first + most_allowed(candidates[half:], allowed, (*given, *first))


def switched_off(
    unused: Sequence[str],
    kept: Collection[str],
    enabled: Callable[[Mapping[str, str]], frozenset[str]],
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Those unused options that can be asked off together, and what is to be asked for with them.

    `enabled` gives the options that are built in where some are asked for over the board's, "n"
    for off. With those that are off may go what depends on them, but none of `kept`; and nothing
    may come in their place. Options that go off unasked are left out.
    """
    now = enabled({})
    beside: dict[str, str] = {}
    if EXPERT not in now:
        beside = {EXPERT: "y"}
        beside |= dict.fromkeys(sorted(enabled(beside) - now - {EXPERT}), "n")
    # CONFIG_EXPERT brings these, and they cannot be asked off.
    brings = enabled(beside) - now

    def allowed(off: tuple[str, ...]) -> bool:
        found = enabled({**beside, **dict.fromkeys(off, "n")})
        return found - now <= brings and not (now - found).intersection(kept)

    asked = {**beside, **dict.fromkeys(most_allowed(unused, allowed), "n")}
    left = enabled(asked)
    asked = {name: value for name, value in asked.items() if (name in left) == (value == "y")}
    for name in [name for name, value in asked.items() if value == "n"]:
        others = {other: value for other, value in asked.items() if other != name}
        if enabled(others) == left:
            asked = others
    off = tuple(name for name in unused if name in asked)
    return off, {name: value for name, value in asked.items() if name not in off}


def behaviour(scope: str, console: bytes, boot: Boot) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The programs that a boot started, and what these printed, each in an order of its own.

    `scope` and `console` are what the instruments stored of the boot. How the kernel lets
    programs take turns, and what it says itself, is none of it.
    """
    at = {mark.name: mark.t_ns for mark in boot.marks}
    lines = split_lines(console, parse_scope(scope.splitlines()).stamps)
    kernels = {line.console_ns for line in parse_console(lines)}
    printed = (
        line.text
        for line in lines
        if at["init.exec"] <= line.start_ns
        and line.end_ns <= at["usable"]
        and line.start_ns not in kernels
    )
    programs = (mark.name for mark in boot.marks if mark.name.startswith("exec:"))
    return tuple(sorted(programs)), tuple(sorted(printed))
