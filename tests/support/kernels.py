# SPDX-License-Identifier: Apache-2.0
"""Small kernels made for the tests: laid out as Linux's, with nothing to run."""

import gzip
import struct

BASE = 0xC0008000
WIDE_BASE = 0xFFFF800008000000  # that of 64-bit ARM
_FUNCTION = 0x100
_RODATA = 0x8000  # as in Linux: on a coarse boundary after the code
_BANNER = b"Linux version 6.1.0-made (test) #1\n\0"
# A name for each thing that a kernel needs on QEMU's machine `virt`, as Linux 6.1 has it.
FOR_VIRT = (
    *("__v7_setup", "gic_of_init", "arch_timer_of_init", "pl011_console_write"),
    *("cfi_cmdset_0001", "physmap_flash_probe", "mtdpart_setup", "mtdblock_open"),
    *("squashfs_fill_super", "squashfs_xz_uncompress"),
)
_CALLS = 8
_INITCALLS = 4


def make_kernel(grown: int = 0, thumb: bool = False) -> tuple[bytes, str]:
    """An Image and its System.map; each function after the first begins `grown` bytes later."""
    return _make(BASE, grown, thumb)


def _make(base: int, grown: int, thumb: bool) -> tuple[bytes, str]:
    wide = base > 0xFFFFFFFF
    functions = [
        base + _FUNCTION + 32 * i + (grown if i else 0) for i in range(_CALLS + _INITCALLS)
    ]
    banner, calls = base + _RODATA, base + _RODATA + 0x40
    initcalls = calls + 4 * _CALLS + 0x40
    image = bytearray(initcalls + 4 * _INITCALLS - base + 64)

    def put(address: int, content: bytes) -> None:
        image[address - base : address - base + len(content)] = content

    if wide:
        put(base + 0x38, b"ARM\x64")
    put(banner, _BANNER)
    for at, function in enumerate(functions[:_CALLS]):
        # 64-bit ARM fills the system calls in at boot.
        put(calls + 4 * at, struct.pack("<I", 0 if wide else function | thumb))
    for at, function in enumerate(functions[_CALLS:]):
        place = initcalls + 4 * at
        entry = struct.pack("<i", function - place) if wide else struct.pack("<I", function | thumb)
        put(place, entry)
    symbols = [(base, "T", "_text"), (banner, "D", "linux_banner")]
    symbols += [(address, "t", f"function_{i}") for i, address in enumerate(functions)]
    symbols += [(calls, "D", "sys_call_table"), (calls + 4 * _CALLS, "D", "after_the_calls")]
    symbols += [(initcalls, "D", "__initcall_start")]
    symbols += [(initcalls + 4 * _INITCALLS, "D", "__initcall_end")]
    symbols += [(base, "d", name) for name in FOR_VIRT]
    lines = [f"{address:08x} {kind} {name}" for address, kind, name in sorted(symbols)]
    return bytes(image), "\n".join(lines) + "\n"


def make_wide_kernel(grown: int = 0) -> tuple[bytes, str]:
    """An Image of 64-bit ARM and its System.map; see `make_kernel`."""
    return _make(WIDE_BASE, grown, thumb=False)


def with_header(kernel: bytes, arch: int = 2) -> bytes:
    """A kernel with a header for U-Boot's bootm; the architecture 2 is ARM, 22 its 64 bits."""
    return b"\x27\x05\x19\x56".ljust(28, b"\0") + bytes((5, arch, 2)).ljust(36, b"\0") + kernel


def make_zimage(image: bytes, payload: bytes | None = None) -> bytes:
    """A zImage with `image` in gzip, or with `payload` as it is."""
    head = bytes(0x24) + b"\x18\x28\x6f\x01" + bytes(64)
    return head + (gzip.compress(image, mtime=0) if payload is None else payload) + bytes(16)
