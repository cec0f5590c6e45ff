# SPDX-License-Identifier: Apache-2.0
"""Writes a folder as a cramfs whose programs run where they lie, or as an initramfs.

Run as `python -m perfboard.images.root.write`, which advice of a tune may say.
"""

import argparse
import gzip
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from perfboard.images.root.cramfs import code_pages, write_cramfs
from perfboard.images.root.entries import RootEntry, read_entries, write_cpio
from perfboard.images.root.tree import Node
from perfboard.model.errors import PerfboardError, UsageError

_NODE = re.compile(r"/(\S+)\s+([bc])\s+([0-7]{1,4})\s+0\s+0\s+(\d{1,9})\s+(\d{1,9})\s+0\s+0\s+-")


def main(words: Sequence[str] | None = None) -> None:
    """Writes the image that `words`, or else the command line, ask for."""
    parser = argparse.ArgumentParser(prog="python -m perfboard.images.root.write")
    parser.add_argument("form", choices=("cramfs", "initramfs"))
    parser.add_argument("tree", type=Path, help="the folder of its files; all belong to root")
    parser.add_argument("image", type=Path, help="the file to write")
    parser.add_argument(
        "--nodes", type=Path, help="its device nodes, as mkfs.jffs2 reads them (--devtable)"
    )
    parser.add_argument(
        "--in-place",
        action="append",
        default=[],
        metavar="PATTERN",
        help="programs of a cramfs whose code is not compressed, and run where it lies",
    )
    chosen = parser.parse_args(words)
    try:
        nodes = _read_nodes(chosen.nodes) if chosen.nodes else []
        entries = read_entries(chosen.tree, nodes)
        if chosen.form == "cramfs":
            image = write_cramfs(entries, _pages(entries, chosen.in_place))
        else:
            image = gzip.compress(write_cpio(entries), 9, mtime=0)
        chosen.image.write_bytes(image)
    except (PerfboardError, OSError) as error:
        parser.error(str(error))


def _pages(entries: list[RootEntry], patterns: list[str]) -> dict[str, frozenset[int]]:
    return {
        entry.path: code_pages(entry.content)
        for entry in entries
        if entry.content and any(fnmatchcase(entry.path, pattern) for pattern in patterns)
    }


def _read_nodes(file: Path) -> list[Node]:
    nodes = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        node = _NODE.fullmatch(line)
        if not node:
            raise UsageError(
                f"{file}:{number}: give the ten columns of one node of root's, as in "
                "/dev/null c 666 0 0 1 3 0 0 -"
            )
        path, kind, mode, major, minor = node.groups()
        nodes.append(Node(path, kind, int(major), int(minor), int(mode, 8)))
    return nodes


if __name__ == "__main__":
    main()
