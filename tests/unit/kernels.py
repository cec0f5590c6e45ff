# SPDX-License-Identifier: Apache-2.0
"""Small kernels made for the tests: laid out as Linux's, with nothing to run."""

import gzip
import struct

BASE = 0xC0008000
_FUNCTION = BASE + 0x100
_RODATA = BASE + 0x8000  # as in Linux: on a coarse boundary after the code
_BANNER = b"Linux version 6.1.0-made (test) #1\n\0"
_CALLS = 8
_INITCALLS = 4


def make_kernel(grown: int = 0, thumb: bool = False) -> tuple[bytes, str]:
    """An Image and its System.map; each function after the first begins `grown` bytes later."""
    functions = [_FUNCTION + 32 * i + (grown if i else 0) for i in range(_CALLS + _INITCALLS)]
    banner, calls = _RODATA, _RODATA + 0x40
    initcalls = calls + 4 * _CALLS + 0x40
    image = bytearray(initcalls + 4 * _INITCALLS - BASE + 64)

    def put(address: int, content: bytes) -> None:
        image[address - BASE : address - BASE + len(content)] = content

    put(banner, _BANNER)
    words = struct.pack(f"<{len(functions)}I", *(address | thumb for address in functions))
    put(calls, words[: 4 * _CALLS])
    put(initcalls, words[4 * _CALLS :])
    symbols = [(BASE, "T", "_text"), (banner, "D", "linux_banner")]
    symbols += [(address, "t", f"function_{i}") for i, address in enumerate(functions)]
    symbols += [(calls, "D", "sys_call_table"), (calls + 4 * _CALLS, "D", "after_the_calls")]
    symbols += [(initcalls, "D", "__initcall_start")]
    symbols += [(initcalls + 4 * _INITCALLS, "D", "__initcall_end")]
    lines = [f"{address:08x} {kind} {name}" for address, kind, name in sorted(symbols)]
    return bytes(image), "\n".join(lines) + "\n"


def make_zimage(image: bytes, payload: bytes | None = None) -> bytes:
    """A zImage with `image` in gzip, or with `payload` as it is."""
    head = bytes(0x24) + b"\x18\x28\x6f\x01" + bytes(64)
    return head + (gzip.compress(image) if payload is None else payload) + bytes(16)
