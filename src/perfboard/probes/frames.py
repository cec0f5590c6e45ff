# SPDX-License-Identifier: Apache-2.0
"""Frames: the checksummed lines in which host and probe talk over any byte stream.

A frame is `~ID.NUMBER:CRC:KIND` and the payload, up to the end of the line. The CRC is
CRC-32 of `ID.NUMBER:KIND` and the payload, as eight hexadecimal digits. Lines that hold no
frame (echo, kernel messages, prompts) are nothing to either side.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

REQUEST = "?"
ACCEPTED = "*"
PART = "+"
LINE = "="
END = "."
UNREADABLE = "!"

LONGEST_PAYLOAD = 400
# Numbers are of at most nine digits, so that none overflows on a small target.
_FRAME = re.compile(rb"~(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8}):([0-9a-f]{8}):([?*+=.!])(.*)", re.DOTALL)
_LONGEST_FRAME = len("~.::?") + 2 * 9 + 8 + LONGEST_PAYLOAD


@dataclass(frozen=True)
class Frame:
    """One frame; `id` is the request's, `number` counts the frames of its answer."""

    id: int
    number: int
    kind: str
    payload: str


def encode(frame: Frame) -> bytes:
    """The frame as a line, with its end. The payload is of Latin-1, without line ends."""
    head = f"{frame.id}.{frame.number}:"
    rest = f"{frame.kind}{frame.payload}"
    checksum = zlib.crc32(f"{head}{rest}".encode("latin-1"))
    return f"~{head}{checksum:08x}:{rest}\n".encode("latin-1")


def decode(line: bytes) -> Frame | None:
    """The frame that ends the line, whatever stands before it, or None.

    A payload may itself hold what looks like a frame: the outermost is meant.
    """
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    start = line.find(b"~", max(0, len(line) - _LONGEST_FRAME))
    while start >= 0:
        match = _FRAME.fullmatch(line, start)
        if match is not None and len(match[5]) <= LONGEST_PAYLOAD:
            id, number, checksum, kind, payload = match.groups()
            if zlib.crc32(b"%b.%b:%b%b" % (id, number, kind, payload)) == int(checksum, 16):
                return Frame(int(id), int(number), kind.decode(), payload.decode("latin-1"))
        start = line.find(b"~", start + 1)
    return None


class Decoder:
    """Cuts a stream of bytes into frames."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[tuple[bytes, Frame | None]]:
        """Each line that `data` completes, with its frame if it holds one."""
        *lines, rest = (self._rest + data).split(b"\n")
        # A frame ends its line: of a line without end, only the last bytes can matter.
        self._rest = rest[-_LONGEST_FRAME - 1 :]
        for line in lines:
            yield line, decode(line)

    @property
    def unfinished(self) -> bytes:
        """The last bytes of the line that has not ended."""
        return self._rest


def join(frames: Iterable[Frame]) -> list[str]:
    """The lines that frames in their order carry; one that a part left open included."""
    lines: list[str] = []
    parts: list[str] = []
    for frame in frames:
        parts.append(frame.payload)
        if frame.kind == LINE:
            lines.append("".join(parts))
            parts = []
    return [*lines, "".join(parts)] if parts else lines
