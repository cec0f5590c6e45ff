# SPDX-License-Identifier: Apache-2.0
"""Requests to the probe's server and its answers, over a channel that may lose or garble."""

import json
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from perfboard.model.errors import TargetError
from perfboard.probes.frames import ACCEPTED, END, REQUEST, UNREADABLE, Decoder, Frame, encode, join
from perfboard.targets.base import Channel

# Seconds without a sign of what is waited for, until it is asked for again, and how often.
_SILENCE_S = 3.0
_TRIES = 6
_HELLO_S = 20.0
# A process is killed on the target at its limit; its answer must then begin within this.
_GRACE_S = 15.0
_FAREWELL_S = 3.0
_MOST_FRAMES = 50_000
_SLICE_S = 0.5
_TAIL = 2000
_GARBLED = (
    "what comes from the target is garbled or lost.\nCheck the line, its speed and its flow "
    "control, and that no other program reads it."
)


@dataclass(frozen=True)
class Hello:
    """The server's greeting; `crc` is the CRC-32 of its own file."""

    arch: str
    crc: int


@dataclass(frozen=True)
class ProbeAnswer:
    """The lines that a process printed, and its end: "exit N", "signal N" or "timeout"."""

    lines: tuple[str, ...]
    end: str


class _Parts:
    """The frames of one answer that have come so far."""

    def __init__(self) -> None:
        self._found: dict[int, Frame] = {}
        self._end: int | None = None
        self.missing = 1  # the first that has not come

    def __len__(self) -> int:
        return len(self._found)

    def add(self, frame: Frame) -> bool:
        """Takes a frame; whether it was a new one."""
        beyond = self._end is not None and frame.number > self._end
        if frame.number < 1 or beyond or frame.number in self._found:
            return False
        self._found[frame.number] = frame
        if frame.kind == END:
            self._end = frame.number
            self._found = {n: found for n, found in self._found.items() if n <= frame.number}
        while self.missing in self._found:
            self.missing += 1
        return True

    @property
    def has_gap(self) -> bool:
        return self._end is not None and not self.whole

    @property
    def whole(self) -> bool:
        return self._end is not None and len(self._found) == self._end

    def answer(self) -> ProbeAnswer:
        """The answer, once it is whole."""
        *frames, end = (self._found[number] for number in sorted(self._found))
        return ProbeAnswer(tuple(join(frames)), end.payload)


class Exchange:
    """Speaks with one server. All errors are TargetErrors: hang, transfer, garbage, lost."""

    def __init__(
        self,
        channel: Channel,
        patience: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`patience` stretches all times, for a target whose seconds are longer than ours."""
        self._channel = channel
        self._patience = patience
        self._clock = clock
        self._decoder = Decoder()
        self._frames: deque[Frame] = deque()
        self._id = 0
        self._noise = False
        self._damaged = False
        self._tail = b""

    @property
    def noise(self) -> str:
        """The last of the output that was no frame, for messages."""
        tail = self._tail + self._decoder.unfinished
        return tail.decode("ascii", "replace").strip()[-_TAIL:]

    def hello(self) -> Hello:
        """Waits for the server's first frame."""
        deadline = self._clock() + _HELLO_S * self._patience
        while (now := self._clock()) < deadline:
            frame = self._next(0, min(deadline, now + _SILENCE_S * self._patience))
            if frame is None:
                self._send(0, "again 0")
            elif frame.kind == ACCEPTED:
                with suppress(ValueError, KeyError, TypeError, RecursionError):
                    greeting = json.loads(frame.payload)
                    return Hello(str(greeting["arch"]), int(greeting["crc"], 16))
                raise TargetError("garbage", f"The probe's greeting is {frame.payload!r}.")
        if self._damaged:
            raise TargetError(
                "transfer", f"Its greeting never arrives whole: {_GARBLED}", self.noise
            )
        raise TargetError("hang", "The probe does not say that it has started.", self.noise)

    def run(self, request: str, limit_s: float) -> ProbeAnswer:
        """Sends a `run` request whose process may take `limit_s`; waits for the whole answer."""
        self._id += 1
        parts = _Parts()
        asked = request
        tries = 0
        finish_by: float | None = None
        self._send(self._id, request)
        deadline = self._soon()
        while not parts.whole:
            frame = self._next(self._id, deadline)
            if frame is not None and frame.kind == ACCEPTED:
                if finish_by is None:
                    tries = 0
                    finish_by = self._clock() + (limit_s + _GRACE_S) * self._patience
                # Later it is no sign of an answer any more: a peer may send it for ever.
                if self._clock() < finish_by:
                    deadline = max(self._soon(), 0 if parts else finish_by)
                continue
            if frame is None or frame.kind == UNREADABLE:
                if tries == 0:
                    # Output from the time when it answered does not explain why it stopped.
                    self._noise = False
                self._noise |= frame is not None
                tries += 1
                if tries > _TRIES:
                    accepted = finish_by is not None and not parts
                    raise self._unended(request, limit_s) if accepted else self._lost(request)
                asked = f"again {parts.missing}" if parts else request
                self._send(self._id, asked)
            elif not parts.add(frame):
                continue
            else:
                tries = 0
                if len(parts) > _MOST_FRAMES:
                    raise TargetError("garbage", f"The answer to `{request}` has no end.")
                # The end has come and something before it has not: that was lost.
                if parts.has_gap and asked != f"again {parts.missing}":
                    asked = f"again {parts.missing}"
                    self._send(self._id, asked)
            deadline = self._soon()
        return parts.answer()

    def bye(self) -> None:
        """Asks the server to end, and waits a little until it has. Raises nothing."""
        with suppress(TargetError):
            self._send(self._id + 1, "bye")
            deadline = self._clock() + _FAREWELL_S
            while self._clock() < deadline:
                self._channel.read(_SLICE_S)

    def _soon(self) -> float:
        return self._clock() + _SILENCE_S * self._patience

    def _send(self, id: int, payload: str) -> None:
        # The first line end ends whatever garbage the line may have carried before.
        self._channel.write(b"\n" + encode(Frame(id, 0, REQUEST, payload)))

    def _next(self, id: int, deadline: float) -> Frame | None:
        """The next frame of request `id`, or one that asks to repeat; None at the deadline."""
        while True:
            while self._frames:
                frame = self._frames.popleft()
                if frame.kind == UNREADABLE or (frame.id == id and frame.kind != REQUEST):
                    return frame
            left = deadline - self._clock()
            if left <= 0:
                return None
            data = self._channel.read(min(left, _SLICE_S))
            for line, found in self._decoder.feed(data):
                if found is not None:
                    self._frames.append(found)
                elif line.strip():
                    self._noise = True
                    self._damaged |= b"~0.0:" in line
                    self._tail = (self._tail + line[-_TAIL:] + b"\n")[-_TAIL:]

    def _unended(self, request: str, limit_s: float) -> TargetError:
        return TargetError(
            "hang",
            f"The target accepted `{request}` and gives no answer, though it was to end it "
            f"after {limit_s:.0f} s.",
            self.noise,
        )

    def _lost(self, request: str) -> TargetError:
        if self._noise:
            return TargetError(
                "transfer",
                f"The answer to `{request}` could not be had whole in {_TRIES} tries: {_GARBLED}",
                self.noise,
            )
        return TargetError(
            "hang", f"The target does not answer `{request}`, asked {_TRIES + 1} times.", self.noise
        )
