# SPDX-License-Identifier: Apache-2.0
"""The parts of UBI and UBIFS on flash that their tools do not write.

Sources: Linux 6.1, drivers/mtd/ubi/ubi-media.h and fs/ubifs/ubifs-media.h.
"""

import struct
import zlib

# The headers of a sector of NOR flash, where any byte can be written by itself: 64 bytes each.
_HEADERS = 128
# Sectors that no volume can have: two for the table of volumes, one to level wear with, one
# to change a block at once.
_RESERVED = 4
# Linux makes no fastmap of as few sectors (drivers/mtd/ubi/attach.c: UBI_FM_MAX_START).
FASTMAP_BEYOND = 64
_NODE_MAGIC = 0x06101831
_NODE = struct.Struct("<IIQIB3x")
_INODE, _PADDING, _SUPERBLOCK = 0, 5, 6
# Seconds and nanoseconds of the three times of a file, and a superblock's random identity.
_TIMES = slice(56, 92)
_IDENTITY = slice(108, 124)


def leb_size(sector: int) -> int:
    """The bytes of a sector that a volume can use."""
    return sector - _HEADERS


def volume_size(sector: int, room: int) -> int:
    """The bytes of the largest volume in `room` bytes of flash."""
    return (room // sector - _RESERVED) * leb_size(sector)


def checksum(data: bytes) -> int:
    """The CRC-32 of both: begun with all ones, and not inverted at the end."""
    return zlib.crc32(data) ^ 0xFFFFFFFF


def same_each_time(volume: bytes, leb: int) -> bytes:
    """An image of mkfs.ubifs without what differs from one run to the next.

    It has a random identity, and each file's time of its last change of status, which no
    program can set.
    """
    image = bytearray(volume)
    for start in range(0, len(image), leb):
        at = start
        while at + _NODE.size <= start + leb:
            magic, _, _, size, kind = _NODE.unpack_from(image, at)
            if magic != _NODE_MAGIC or size < _NODE.size:
                break
            if kind in (_INODE, _SUPERBLOCK):
                part = _TIMES if kind == _INODE else _IDENTITY
                image[at + part.start : at + part.stop] = bytes(part.stop - part.start)
                struct.pack_into("<I", image, at + 4, checksum(bytes(image[at + 8 : at + size])))
            skipped = struct.unpack_from("<I", image, at + _NODE.size)[0] if kind == _PADDING else 0
            at += size + -size % 8 + skipped
    return bytes(image)
