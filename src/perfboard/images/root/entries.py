# SPDX-License-Identifier: Apache-2.0
"""A tree of files as our own writers of file systems take it, and the cpio of an initramfs."""

import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perfboard.images.root.tree import Node

_CPIO_MAGIC = b"070701"
_CPIO_END = "TRAILER!!!"
_NODE_KINDS = {"b": stat.S_IFBLK, "c": stat.S_IFCHR}


@dataclass(frozen=True)
class RootEntry:
    """One entry: its path below the root, its kind and permissions, and what it holds.

    `content` is that of a file, or a link's target; `device` a node's major and minor number.
    All belong to root.
    """

    path: str
    mode: int
    content: bytes = b""
    device: tuple[int, int] = (0, 0)


def read_entries(tree: Path, nodes: Sequence[Node]) -> list[RootEntry]:
    """The files below `tree`, and those nodes, by path: a folder comes before its content."""
    entries = [
        RootEntry(node.path, _NODE_KINDS[node.kind] | node.mode, device=(node.major, node.minor))
        for node in nodes
    ]
    for path in tree.rglob("*"):
        mode = path.lstat().st_mode
        content = b""
        if stat.S_ISLNK(mode):
            content = str(path.readlink()).encode()
        elif stat.S_ISREG(mode):
            content = path.read_bytes()
        entries.append(RootEntry(path.relative_to(tree).as_posix(), mode, content))
    return sorted(entries, key=lambda entry: entry.path.split("/"))


def write_cpio(entries: Sequence[RootEntry]) -> bytes:
    """The archive that the kernel unpacks (Linux, Documentation/driver-api/early-userspace)."""
    archive = bytearray()
    for number, entry in enumerate((*entries, RootEntry(_CPIO_END, 0)), 1):
        name = entry.path.encode() + b"\0"
        links = 2 if stat.S_ISDIR(entry.mode) else 1
        owned = (number, entry.mode, 0, 0, links, 0, len(entry.content), 0, 0)
        fields = b"".join(b"%08x" % value for value in (*owned, *entry.device, len(name), 0))
        archive += _CPIO_MAGIC + fields + name
        archive += bytes(-len(archive) % 4)
        archive += entry.content
        archive += bytes(-len(archive) % 4)
    return bytes(archive)
