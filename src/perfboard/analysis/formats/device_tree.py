# SPDX-License-Identifier: Apache-2.0
"""Flattened device trees, by the Devicetree Specification, chapter 5."""

import struct
from collections.abc import Iterator

MAGIC = b"\xd0\x0d\xfe\xed"
_BEGIN, _END, _PROPERTY, _NOP, _LAST = 1, 2, 3, 4, 9
_DEEPEST = 64


def properties(data: bytes) -> Iterator[tuple[str, str, bytes]]:
    """Each property: the path of its node, its name, its value.

    Raises ValueError for data that are no such tree, or damaged.
    """
    try:
        yield from _properties(data)
    except struct.error as error:
        raise ValueError("its device tree ends too early") from error


def _properties(data: bytes) -> Iterator[tuple[str, str, bytes]]:
    magic, _, at, names = struct.unpack_from(">4s3I", data)
    if magic != MAGIC:
        raise ValueError("it is no flattened device tree")
    path: list[str] = []
    while True:
        (token,) = struct.unpack_from(">I", data, at)
        at += 4
        if token == _BEGIN:
            name = _text(data, at)
            path.append(name.decode("latin-1"))
            at += len(name) + 1
            if len(path) > _DEEPEST:
                raise ValueError("its device tree has nodes within nodes without end")
        elif token == _END and path:
            path.pop()
        elif token == _PROPERTY:
            size, name_at = struct.unpack_from(">II", data, at)
            at += 8
            name = _text(data, names + name_at)
            yield "/".join(path), name.decode("latin-1"), data[at : at + size]
            at += size
        elif token == _LAST:
            return
        elif token != _NOP:
            raise ValueError(f"its device tree is damaged at byte {at - 4}")
        at = (at + 3) // 4 * 4


def _text(data: bytes, at: int) -> bytes:
    end = data.find(b"\0", at)
    if not 0 <= at <= end:
        raise ValueError("its device tree has a name without an end")
    return data[at:end]
