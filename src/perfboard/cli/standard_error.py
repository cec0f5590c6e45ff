# SPDX-License-Identifier: Apache-2.0
"""Standard error whose reader may leave: the work goes on in silence."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from typing import Any, TextIO, cast


class _Forgiving:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def forgiving_stderr() -> Iterator[None]:
    """No write to `sys.stderr` raises OSError in it, at the end of a pipe or of a terminal."""
    with redirect_stderr(cast(TextIO, _Forgiving(sys.stderr))):
        yield
