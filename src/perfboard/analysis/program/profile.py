# SPDX-License-Identifier: Apache-2.0
"""The functions that a program's time went to: the scope's blocks of code, added up."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from perfboard.model.results.program import FunctionTime

KERNEL = "kernel"
NOWHERE = "no file"
_FS = 1e15


@dataclass(frozen=True)
class Block:
    """A block of code: its virtual address, its page's hash, and what it took."""

    address: int
    page: int
    fs: int
    instructions: int


def read_blocks(text: str) -> list[Block]:
    """The scope's profile, a JSON document a line."""
    return [Block(**json.loads(line)) for line in text.splitlines()]


def read_laps(text: str) -> list[tuple[int, list[Block]]]:
    """The laps of the scope's profile, one a line: when each ended in ns, and its blocks."""
    laps = []
    for line in text.splitlines():
        record = json.loads(line)
        laps.append((record["lap"], [Block(*each) for each in record["blocks"] if each]))
    return laps


def joined(blocks: Iterable[Block]) -> list[Block]:
    """Each block once, with all that it took."""
    sums: dict[tuple[int, int], list[int]] = {}
    for block in blocks:
        entry = sums.setdefault((block.address, block.page), [0, 0])
        entry[0] += block.fs
        entry[1] += block.instructions
    return [Block(*key, *took) for key, took in sums.items()]


def split(blocks: Iterable[Block], kernel: int) -> tuple[list[Block], list[Block]]:
    """The blocks of programs, and those of the kernel, which begins at address `kernel`."""
    user: list[Block] = []
    system: list[Block] = []
    for block in blocks:
        (system if block.address >= kernel else user).append(block)
    return user, system


def seconds(blocks: Iterable[Block]) -> float:
    """The time of those blocks together."""
    return sum(block.fs for block in blocks) / _FS


def by_function(
    user: Iterable[Block],
    system: Iterable[Block],
    find: Callable[[int, int], tuple[str, str] | None],
    kernel_name: Callable[[int], str],
) -> tuple[FunctionTime, ...]:
    """The time of each function, the longest first.

    `find` gives file and function for a page's hash and an address, or None for code that
    lies in no file; `kernel_name` the kernel's function at an address. Nothing is left
    out: the sum is that of the blocks.
    """
    total: dict[tuple[str, str], list[int]] = {}
    for block in user:
        where = find(block.page, block.address) or (NOWHERE, "made while it ran")
        _add(total, where, block)
    for block in system:
        _add(total, (KERNEL, kernel_name(block.address)), block)
    rows = [
        FunctionTime(file=file, name=name, time_s=fs / _FS, instructions=instructions)
        for (file, name), (fs, instructions) in total.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.time_s, row.file, row.name)))


def _add(total: dict[tuple[str, str], list[int]], where: tuple[str, str], block: Block) -> None:
    entry = total.setdefault(where, [0, 0])
    entry[0] += block.fs
    entry[1] += block.instructions
