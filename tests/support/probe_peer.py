# SPDX-License-Identifier: Apache-2.0
"""A target in memory: a shell, and a peer that answers as the probe's server does.

Time is counted, not waited for. The wire between may lose, change or double bytes.
"""

import json
import random
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from perfboard.model.errors import TargetError
from perfboard.model.progress import Progress
from perfboard.probes.frames import (
    ACCEPTED,
    END,
    LINE,
    LONGEST_PAYLOAD,
    PART,
    UNREADABLE,
    Decoder,
    Frame,
    encode,
)
from perfboard.targets.base import Reply

# What a probe prints, and how it ends; None never answers.
Program = Callable[[Sequence[str]], tuple[Sequence[str], str] | None]


def split(id: int, lines: Iterable[str]) -> Iterator[Frame]:
    """The frames, numbered from 1, that carry `lines` in answer to request `id`."""
    number = 0
    for line in lines:
        whole = max(1, -(-len(line) // LONGEST_PAYLOAD))
        for part in range(whole):
            number += 1
            payload = line[part * LONGEST_PAYLOAD : (part + 1) * LONGEST_PAYLOAD]
            yield Frame(id, number, LINE if part == whole - 1 else PART, payload)


@dataclass
class Wire:
    """Damages bytes, each with a chance of `rate`, by a generator of its own."""

    rate: float = 0.0
    seed: int = 0
    damage: int = 0

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def __call__(self, data: bytes) -> bytes:
        out = bytearray()
        for byte in data:
            if self._random.random() >= self.rate:
                out.append(byte)
                continue
            self.damage += 1
            match self._random.randrange(3):
                case 0:
                    out.append(self._random.randrange(256))
                case 1:
                    out += bytes([byte, byte])
        return bytes(out)


@dataclass
class Peer:
    """A Channel whose other end serves `programs`, by probe."""

    programs: MutableMapping[str, Program]
    wire: Wire = field(default_factory=Wire)
    file: bytes = b"the binary"
    greets: bool = True
    # The request, counted from 1, at which it ends without a word.
    dies_at: int | None = None
    chatter: bytes = b""
    echoes: bool = False
    # What it prints first, and whether it then ends.
    prompt: bytes = b"Welcome to the board!\r\n$ "
    dead: bool = False

    def __post_init__(self) -> None:
        self.now = 0.0
        self.runs: list[str] = []
        self.asked_again = 0
        self.closed = self.said_bye = False
        self._decoder = Decoder()
        self._last_id = 0
        self._answer: list[Frame] = []
        self._out = bytearray(self.prompt)
        hello = {"hello": 1, "arch": "x86_64", "crc": f"{zlib.crc32(self.file):08x}", "pid": 7}
        self._hello = Frame(0, 0, ACCEPTED, json.dumps(hello))
        if self.greets:
            self._put(self._hello)

    def clock(self) -> float:
        return self.now

    def _put(self, frame: Frame) -> None:
        self._out += self.wire(self.chatter + encode(frame)[:-1] + b"\r\n")

    def write(self, data: bytes) -> None:
        self._end_if_dead()
        arrived = self.wire(data)
        if self.echoes:
            self._out += arrived.replace(b"\n", b"\r\n")
        for line, frame in self._decoder.feed(arrived):
            if frame is not None:
                self._handle(frame)
            elif line.startswith(b"~"):
                self._put(Frame(0, 0, UNREADABLE, ""))

    def _handle(self, frame: Frame) -> None:
        verb, *words = frame.payload.split(" ")
        if verb == "bye":
            self.said_bye = self.dead = True
        elif verb == "again" and frame.id == 0:
            self._put(self._hello)
        elif verb == "again" and frame.id == self._last_id:
            self.asked_again += 1
            number = int(words[0])
            if 0 < number <= len(self._answer):
                self._put(self._answer[number - 1])
        elif verb == "run":
            self._put(Frame(frame.id, 0, ACCEPTED, "run"))
            if frame.id != self._last_id:
                self._last_id = frame.id
                self.runs.append(frame.payload)
                self._answer = self._run(frame.id, words[1], words[2:])
            for answer in self._answer:
                self._put(answer)

    def _run(self, id: int, probe: str, arguments: Sequence[str]) -> list[Frame]:
        if self.dies_at == len(self.runs):
            self.dead = True
            return []
        done = self.programs[probe](arguments)
        if done is None:
            return []
        frames = list(split(id, done[0]))
        return [*frames, Frame(id, len(frames) + 1, END, done[1])]

    def read(self, timeout_s: float) -> bytes:
        if not self._out:
            self._end_if_dead()
            self.now += timeout_s
            return b""
        data = bytes(self._out[:100])
        del self._out[:100]
        self.now += 0.001
        return data

    def _end_if_dead(self) -> None:
        if self.dead:
            raise TargetError("lost", "The stream ended.")

    def close(self) -> None:
        self.closed = True


class FakeShell:
    """A Shell whose files are kept, and whose server is a Peer made by `serve`.

    A script that has a word of `answers` ends so; any other prints nothing.
    """

    def __init__(self, machine: str, serve: Callable[[bytes], Peer]) -> None:
        self.answers = {"uname -m": Reply(0, f"{machine}\n")}
        self.files: dict[str, bytes] = {}
        self.folders: set[str] = set()
        self.peers: list[Peer] = []
        self.scripts: list[str] = []
        self.gone = False
        self.damage_pushes = 0
        self._serve = serve

    def clock(self) -> float:
        """The newest server's, so that no test waits."""
        return self.peers[-1].now if self.peers else 0.0

    def run(self, script: str, *, timeout_s: float = 20) -> Reply:
        if self.gone:
            raise TargetError("lost", "The connection is gone.")
        found = (answer for word, answer in self.answers.items() if word in script)
        return next(found, Reply(0, ""))

    @contextmanager
    def hold(self, script: str, afterwards: str) -> Iterator[Reply]:
        (folder,) = re.findall(r"\Ad=(\S+)\n", script)
        self.folders.add(folder)
        try:
            yield self.run(script)
        finally:
            if not self.gone:
                assert afterwards.startswith(f"d={folder}\n") and 'rm -rf "$d"' in afterwards
                self.folders.remove(folder)

    def push(self, data: bytes, path: str, progress: Progress) -> None:
        if self.damage_pushes:
            self.damage_pushes -= 1
            data = data[:-1] + b"?"
        self.files[path] = data

    def start(self, script: str) -> Peer:
        self.scripts.append(script)
        (path,) = list(self.files)[-1:]
        self.peers.append(self._serve(self.files[path]))
        return self.peers[-1]
