# SPDX-License-Identifier: Apache-2.0
"""Writes a cramfs, with pages of programs as they are, which then run where they lie.

The tools of Debian write none of those: they came with Linux 4.15 as "extended block pointers"
(include/uapi/linux/cramfs_fs.h, fs/cramfs/README and inode.c).
"""

import io
import stat
import struct
import zlib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from perfboard.images.root.entries import RootEntry
from perfboard.model.errors import UsageError

PAGE = 4096
MAGIC = 0x28CD3D45
_SIGNATURE = b"Compressed ROMFS"
_NAME = b"Compressed"
# Magic, size, flags, future, signature, then CRC, edition, blocks and files, then the name.
_SUPER = struct.Struct("<4I16s4I16s")
_INODE = struct.Struct("<3I")
_CRC_AT = 32
_FSID_2, _SORTED, _EXTENDED = 1, 2, 0x800
_AS_IT_IS, _DIRECT, _DIRECT_SHIFT = 1 << 31, 1 << 30, 2
_MOST_NAME = 63 * 4
_MOST_SIZE = 1 << 24
_MOST_IMAGE = 1 << 28
_WRITABLE = 2


def code_pages(program: bytes) -> frozenset[int]:
    """The pages of an ELF file that programs map and never write, by number."""
    from elftools.elf.elffile import ELFFile

    segments = ELFFile(io.BytesIO(program)).iter_segments("PT_LOAD")
    bounds = [
        (segment["p_offset"], segment["p_offset"] + segment["p_filesz"])
        for segment in segments
        if not segment["p_flags"] & _WRITABLE
    ]
    return frozenset(
        page for start, end in bounds for page in range(start // PAGE, -(-end // PAGE))
    )


@dataclass
class _Data:
    """The place of a file's table of block pointers, and its uncompressed pages."""

    table: int
    content: bytes
    kept: list[int]


@dataclass
class _Writer:
    image: bytearray
    blocks: int = 0
    known: dict[tuple[int, bytes, frozenset[int]], int] = field(default_factory=dict)
    pending: list[_Data] = field(default_factory=list)

    def add(self, entry: RootEntry, kept: Set[int]) -> int:
        """Adds a file's data, if none has the same; the place of its table."""
        key = (entry.mode, entry.content, frozenset(kept))
        if key not in self.known:
            self.known[key] = self._add(entry.content, kept)
        return self.known[key]

    def _add(self, content: bytes, kept: Set[int]) -> int:
        table = len(self.image)
        pages = [content[at : at + PAGE] for at in range(0, len(content), PAGE)]
        self.blocks += len(pages)
        self.image += bytes(4 * len(pages))
        # Linux takes the length of a last page from the file's, so that a whole one has none.
        last = -1 if len(content) % PAGE else len(pages) - 1
        own = [page for page in range(len(pages)) if page in kept and page != last]
        for number, page in enumerate(pages):
            if number not in own:
                self._compress(table + 4 * number, page, direct=bool(own))
        if own:
            self.pending.append(_Data(table, content, own))
        self.image += bytes(-len(self.image) % 4)
        return table

    def _compress(self, pointer: int, page: bytes, direct: bool) -> None:
        packed = zlib.compress(page, 9)
        if direct:
            self.image += bytes(-len(self.image) % 4)
            at = len(self.image)
            self.image += struct.pack("<H", len(packed)) + packed
            struct.pack_into("<I", self.image, pointer, at >> _DIRECT_SHIFT | _DIRECT)
        else:
            self.image += packed
            struct.pack_into("<I", self.image, pointer, len(self.image))

    def place_pages(self) -> None:
        """Puts the uncompressed pages at the end, those of a file in a row."""
        for data in self.pending:
            for page in data.kept:
                self.image += bytes(-len(self.image) % PAGE)
                pointer = len(self.image) >> _DIRECT_SHIFT | _DIRECT | _AS_IT_IS
                struct.pack_into("<I", self.image, data.table + 4 * page, pointer)
                self.image += data.content[page * PAGE : (page + 1) * PAGE]
        # The rest of a last page is mapped with it where nothing else lies there.
        self.image += bytes(-len(self.image) % PAGE)


def write_cramfs(
    entries: Sequence[RootEntry], in_place: Mapping[str, Set[int]] | None = None
) -> bytes:
    """The image of a file system with those entries.

    `entries` are sorted by path, parents first; `in_place` names pages by number that are to
    lie as they are, at multiples of 4096, by the file's path. Raises UsageError for what a
    cramfs cannot hold.
    """
    in_place = in_place or {}
    folders: dict[str, list[RootEntry]] = {"": []}
    for entry in entries:
        _check(entry)
        folders[entry.path.rpartition("/")[0]].append(entry)
        if stat.S_ISDIR(entry.mode):
            folders[entry.path] = []
    for inside in folders.values():
        inside.sort(key=lambda entry: entry.path.encode())

    places, at = {}, _SUPER.size + _INODE.size
    for path, inside in folders.items():
        places[path] = at
        at += sum(_INODE.size + len(_padded(entry)) for entry in inside)
    writer = _Writer(bytearray(at))

    def inode(entry: RootEntry) -> tuple[int, int]:
        if stat.S_ISDIR(entry.mode):
            size = sum(_INODE.size + len(_padded(one)) for one in folders[entry.path])
            return size, places[entry.path] if size else 0
        if stat.S_ISCHR(entry.mode) or stat.S_ISBLK(entry.mode):
            return entry.device[0] << 8 | entry.device[1], 0
        if not entry.content:
            return 0, 0
        return len(entry.content), writer.add(entry, in_place.get(entry.path, frozenset()))

    for path, inside in folders.items():
        at = places[path]
        for entry in inside:
            packed = _pack_inode(entry, *inode(entry)) + _padded(entry)
            writer.image[at : at + len(packed)] = packed
            at += len(packed)
    writer.place_pages()
    return _finish(
        writer,
        _pack_inode(RootEntry("", stat.S_IFDIR | 0o755), *inode(RootEntry("", stat.S_IFDIR))),
        len(entries),
    )


def _finish(writer: _Writer, root: bytes, files: int) -> bytes:
    image = writer.image
    if len(image) > _MOST_IMAGE:
        raise UsageError(f"a cramfs holds {_MOST_IMAGE} bytes; this one would have {len(image)}")
    flags = _FSID_2 | _SORTED | (_EXTENDED if writer.pending else 0)
    fields = (MAGIC, len(image), flags, 0, _SIGNATURE, 0, 0, writer.blocks, files, _NAME)
    head = _SUPER.pack(*fields) + root
    image[: len(head)] = head
    struct.pack_into("<I", image, _CRC_AT, zlib.crc32(image))
    return bytes(image)


def _padded(entry: RootEntry) -> bytes:
    name = entry.path.rpartition("/")[2].encode()
    return name + bytes(-len(name) % 4)


def _pack_inode(entry: RootEntry, size: int, place: int) -> bytes:
    words = len(_padded(entry)) // 4
    return _INODE.pack(entry.mode, size, words | place >> 2 << 6)


def _check(entry: RootEntry) -> None:
    if len(entry.content) >= _MOST_SIZE:
        raise UsageError(
            f"{entry.path}: has {len(entry.content)} bytes; "
            "a file of a cramfs holds less than 16 MiB"
        )
    if len(_padded(entry)) > _MOST_NAME:
        raise UsageError(f"{entry.path}: a name in a cramfs has {_MOST_NAME} bytes at most")
    if max(entry.device) > 255:
        raise UsageError(f"{entry.path}: a device of a cramfs has numbers up to 255")
