# SPDX-License-Identifier: Apache-2.0
"""The board that a boot study boots, and its description in the run."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TypeVar

from perfboard.instruments.base import Instrument, notes_of
from perfboard.model.results.base import Result
from perfboard.model.results.boot import Boot
from perfboard.model.results.limits import LimitsResult
from perfboard.model.run import Metric
from perfboard.store.folder import RunFolder
from perfboard.store.recording import Subject

_Boot = TypeVar("_Boot")


@dataclass(frozen=True)
class BootSubject:
    """A board, virtual or real, that can be booted from reset.

    `boots` makes a number of boots, gives each as it ends, and leaves its artifacts in the folder;
    it raises PerfboardError if one fails. `head` and `notes` are asked after the last. The total is
    held against `budget_s`, if any, each side of which `margin` is its share; `has_model` tells
    whether the board can be timed. `metrics` go to the run as they are. `limits` says how far the
    boots are from what the board allows, or None. `beside` is asked after the last boot: it gives
    the results of instruments beside the board's own, and their metrics.
    """

    name: str
    head: Callable[[], Subject]
    boots: Callable[[int, RunFolder], Iterator[Boot]]
    budget_s: float | None = None
    margin: float = 0.0
    has_model: bool = False
    metrics: tuple[Metric, ...] = ()
    beside: Callable[[], tuple[Sequence[Result], Sequence[Metric]]] = lambda: ((), ())
    limits: Callable[[Sequence[Boot]], LimitsResult | None] = lambda boots: None
    notes: Callable[[], tuple[str, ...]] = tuple


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
