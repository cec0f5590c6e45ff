# SPDX-License-Identifier: Apache-2.0
"""Reads a cramfs as Linux 6.1 does (fs/cramfs/inode.c), and what of it can be mapped."""

import stat
import struct
import zlib
from collections.abc import Iterator

from perfboard.images.root.entries import RootEntry

PAGE = 4096
_AS_IT_IS, _DIRECT = 1 << 31, 1 << 30


class Cramfs:
    """The image of one; its superblock is checked as the kernel, and fsck, would."""

    def __init__(self, image: bytes) -> None:
        magic, size, self.flags, _, signature, crc, _, self.blocks, self.files = struct.unpack_from(
            "<4I16s4I", image
        )
        assert magic == 0x28CD3D45 and size == len(image) and signature == b"Compressed ROMFS"
        assert zlib.crc32(image[:32] + bytes(4) + image[36:]) == crc
        self.image = image
        self.tables: dict[str, int] = {}

    def entries(self) -> list[RootEntry]:
        """All but the root, by path."""
        return sorted(self._below("", 64), key=lambda entry: entry.path.split("/"))

    def _below(self, path: str, at: int) -> Iterator[RootEntry]:
        mode_uid, size, place = struct.unpack_from("<3I", self.image, at)
        assert mode_uid >> 16 == 0 and size >> 24 == 0
        mode, start = mode_uid & 0xFFFF, place >> 6 << 2
        if stat.S_ISDIR(mode):
            assert path or start in (76, 0)
            names = []
            inside = start
            while inside < start + size:
                length = (struct.unpack_from("<I", self.image, inside + 8)[0] & 63) * 4
                name = self.image[inside + 12 : inside + 12 + length].rstrip(b"\0")
                names.append(name)
                below = f"{path}/{name.decode()}".lstrip("/")
                yield from self._below(below, inside)
                inside += 12 + length
            assert names == sorted(names)
        if path == "":
            return
        content, device = b"", (0, 0)
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            device = (size >> 8 & 255, size & 255)
        elif not stat.S_ISDIR(mode):
            self.tables[path] = start
            count = -(-size // PAGE)
            content = b"".join(self._page(start, size, number) for number in range(count))[:size]
        yield RootEntry(path, mode, content, device)

    def _page(self, table: int, size: int, number: int) -> bytes:
        count = -(-size // PAGE)
        pointer = struct.unpack_from("<I", self.image, table + 4 * number)[0]
        if pointer & _DIRECT:
            start = (pointer & (_DIRECT - 1)) << 2
            if pointer & _AS_IT_IS:
                # The kernel takes the last page's length from the file's, modulo a page.
                length = PAGE if number < count - 1 else size % PAGE
                return self.image[start : start + length].ljust(PAGE, b"\0")
            length = struct.unpack_from("<H", self.image, start)[0]
            start += 2
        else:
            start = table + 4 * count
            if number:
                start = struct.unpack_from("<I", self.image, table + 4 * number - 4)[0]
            length = pointer - start
        assert length <= 2 * PAGE
        return zlib.decompress(self.image[start : start + length]).ljust(PAGE, b"\0")

    def mapped(self, entry: RootEntry, first: int, pages: int) -> int:
        """How many of the pages from `first` on the kernel maps where they lie."""
        table, count = self.tables[entry.path], -(-len(entry.content) // PAGE)
        if first >= count:
            return 0
        pointers = struct.unpack_from(f"<{count}I", self.image, table)[first : first + pages]
        start = (pointers[0] & (_DIRECT - 1)) << 2
        if start % PAGE:
            return 0
        both = _AS_IT_IS | _DIRECT
        found = 0
        while found < len(pointers) and pointers[found] == start + found * PAGE >> 2 | both:
            found += 1
        used = len(entry.content) % PAGE
        end = start + found * PAGE
        if first + found == count and used and any(self.image[end - PAGE + used : end]):
            found -= 1
        return found
