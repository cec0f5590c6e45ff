# SPDX-License-Identifier: Apache-2.0
"""Standard output and error that fail in words: closed, full, left by their reader."""

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, TextIO

from perfboard.model.errors import EnvironmentLacksError

if TYPE_CHECKING:
    from typing_extensions import Buffer

_ESCAPED = "perfboard-escaped"


class _StandardStream(io.FileIO):
    """A descriptor whose reader may leave: what is written then goes nowhere.

    Other errors are raised once as EnvironmentLacksError, or not at all if it is `forgiving`.
    """

    def __init__(self, descriptor: int, name: str, forgiving: bool) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._name, self._forgiving = name, forgiving
        self._lost = False

    def write(self, data: "Buffer", /) -> int:
        size = memoryview(data).nbytes
        if self._lost:
            return size
        try:
            return super().write(data)
        except OSError as error:
            self._lost = True
            if self._forgiving or isinstance(error, BrokenPipeError):
                return size
            raise EnvironmentLacksError(f"{self._name}: {error.strerror}") from error


@contextmanager
def standard_streams() -> Iterator[None]:
    """Has `sys.stdout` and `sys.stderr` take any text, and not fail without words.

    A closed one goes nowhere. A character that the encoding of standard output lacks is
    printed as an escape of JSON: only JSON documents need each character.
    """
    # The next files that are opened would be standard output and error.
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    codecs.register_error(_ESCAPED, _escape)
    with (
        redirect_stdout(_text(sys.stdout, 1, "standard output", forgiving=False)),
        redirect_stderr(_text(sys.stderr, 2, "standard error", forgiving=True)),
    ):
        yield
        sys.stdout.flush()


def _text(old: TextIO | None, descriptor: int, name: str, *, forgiving: bool) -> TextIO:
    stream = _StandardStream(descriptor, name, forgiving)
    return io.TextIOWrapper(
        io.BufferedWriter(stream),
        encoding=old.encoding if old else "utf-8",
        errors="backslashreplace" if forgiving else _ESCAPED,
        line_buffering=forgiving or stream.isatty(),
    )


def _escape(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    pairs = zip(units[::2], units[1::2], strict=True)
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in pairs), error.end
