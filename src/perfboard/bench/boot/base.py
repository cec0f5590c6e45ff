# SPDX-License-Identifier: Apache-2.0
"""One boot with its instruments, virtual or real."""

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import TypeVar

from perfboard.instruments.base import Instrument, notes_of

_Boot = TypeVar("_Boot")


def boot_noted(
    boot: Callable[[Sequence[Instrument], Path, Callable[[str], None], Event], _Boot],
    instruments: Sequence[Instrument],
    artifacts: Path,
    seen: Callable[[str], None],
    cancelled: Event,
    notes: dict[str, None],
) -> _Boot:
    """One boot by `Bootable.boot`; `notes` gets those of the instruments, however it ends."""
    try:
        return boot(instruments, artifacts, seen, cancelled)
    finally:
        notes.update(dict.fromkeys(notes_of(instruments)))
