# SPDX-License-Identifier: Apache-2.0
"""Logs whose lines are damaged: lost, doubled, shuffled, or with other words in them."""

import random
from collections.abc import Sequence

_PIECES = (
    *(b"99999999999999999999999", b"-1", b"18446744073.709551", b"00:00:00", b"23:59:60.999"),
    *(b"[  OK  ] Started ", b"Restarting system\r\n", b"Linux version 6.6", b"U-Boot 2024.01 (x)"),
    *(b"\r", b"\n", b"\0", b"\x1b[", b"\xff\xfe", b"{", b"}", b'"', b"[", b"]", b"\b" * 9, b"  "),
    *(
        b"2026-02-30T25:61:61.123456",
        b"Feb 30 24:00:00",
        b"\xe2\x90\x8d",
        b"NaN",
        b"1e999",
        b"null",
    ),
    *(b"[99999.999999] ", b"[    0.000000] ", b"- {", b"Hit any key to stop autoboot:  1 "),
)


def mutated_lines(chance: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A log with a few damages, some of which are lines of the others."""
    lines = data.splitlines(keepends=True)
    for _ in range(chance.choice([1, 1, 2, 4, 16])):
        at = chance.randrange(len(lines)) if lines else 0
        match chance.randrange(9):
            case 0:
                del lines[at : at + chance.choice([1, 1, 5, 50])]
            case 1:
                lines[at:at] = lines[chance.randrange(len(lines) + 1) :][: chance.choice([1, 9])]
            case 2:
                chance.shuffle(lines)
            case 3:
                other = chance.choice(others).splitlines(keepends=True)
                lines[at:at] = other[: chance.choice([1, 9, 99])]
            case 4:
                lines = lines[:at] or lines
            case 5:
                lines = [line for line in lines for _ in range(chance.choice([1, 1, 2]))][:400]
            case _ if lines:
                line = lines[at]
                place = chance.randint(0, min(len(line), chance.choice([40, 400])))
                cut = place + chance.choice([0, 0, 1, 3, 20])
                lines[at] = line[:place] + chance.choice(_PIECES) + line[cut:]
    found = b"".join(lines)
    if chance.random() < 0.2:
        size = chance.randint(0, len(found))
        damaged = bytearray(found[:size])
        for _ in range(size // 100):
            damaged[chance.randrange(size)] = chance.randrange(256)
        found = bytes(damaged)
    return found
