# SPDX-License-Identifier: Apache-2.0
"""The kind of a root file system of the user's own, by how its file begins.

Sources: Linux 6.1, fs/squashfs/squashfs_fs.h (the compressor), lib/decompress.c (an archive's),
Documentation/driver-api/early-userspace/buffer-format.rst; the file systems' own headers.
"""

import zlib
from dataclasses import dataclass

HEAD = 4096
_SYSTEMS = {
    "squashfs": (0, b"hsqs"),
    "cramfs": (0, b"\x45\x3d\xcd\x28"),
    "romfs": (0, b"-rom1fs-"),
    "jffs2": (0, b"\x85\x19"),
    "erofs": (1024, b"\xe2\xe1\xf5\xe0"),
    "ext4": (0x438, b"\x53\xef"),
}
_SQUASHFS_COMPRESSOR = 20
_SQUASHFS_COMPRESSORS = {1: "gzip", 3: "lzo", 4: "xz", 5: "lz4", 6: "zstd"}
_CPIO = (b"070701", b"070702")
_GZIP = b"\x1f\x8b\x08"
# Only the whole file shows what is packed: each of these is taken for an archive.
_PACKED = {
    "bzip2": b"BZh",
    "lzma": b"\x5d\x00\x00",
    "xz": b"\xfd7zXZ\x00",
    "lzo": b"\x89LZO\x00",
    "lz4": b"\x02\x21\x4c\x18",
    "zstd": b"\x28\xb5\x2f\xfd",
}
CPIO = "cpio"


@dataclass(frozen=True)
class RootKind:
    """The file system's name as the kernel knows it, or CPIO; and its compressor, where known."""

    system: str
    compressor: str = ""


def root_kind(head: bytes) -> RootKind | None:
    """The kind of a file that begins with those HEAD bytes; None if it is of no kind here."""
    for name, (at, magic) in _SYSTEMS.items():
        if head.startswith(magic, at):
            known = _SQUASHFS_COMPRESSORS if name == "squashfs" else {}
            number = int.from_bytes(head[_SQUASHFS_COMPRESSOR:][:2], "little")
            return RootKind(name, known.get(number, ""))
    if head.startswith(_CPIO):
        return RootKind(CPIO)
    if head.startswith(_GZIP):
        try:
            inside = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(head, len(_CPIO[0]))
        except zlib.error:
            return None
        return RootKind(CPIO, "gzip") if inside.startswith(_CPIO) else None
    for name, magic in _PACKED.items():
        if head.startswith(magic):
            return RootKind(CPIO, name)
    return None
