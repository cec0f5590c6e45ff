# SPDX-License-Identifier: Apache-2.0
"""A board on a serial line, which is a terminal of this machine: a thread plays it."""

import os
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread


@contextmanager
def board_on_a_line(reset: Path, pieces: Sequence[bytes] = ()) -> Iterator[str]:
    """The target of a board that prints its pieces, each by itself, once the file `reset` exists.

    The first comes 0.2 s after it. The board has printed a line before.
    """
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    os.set_blocking(ours, False)
    os.write(ours, b"of before: Run /sbin/init\n")
    gone = Event()

    def play() -> None:
        while not reset.exists():
            if gone.wait(0.01):
                return
        gone.wait(0.2)
        for piece in pieces:
            while piece and not gone.wait(0.002):
                with suppress(BlockingIOError):
                    piece = piece[os.write(ours, piece) :]

    board = Thread(target=play)
    board.start()
    try:
        yield f"serial://{os.ttyname(theirs)}"
    finally:
        gone.set()
        board.join()
        os.close(ours)
        os.close(theirs)
