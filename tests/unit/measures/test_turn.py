# SPDX-License-Identifier: Apache-2.0
"""A measure under way: what it tells of its progress."""

from collections.abc import Iterator
from contextlib import contextmanager

from perfboard.measures.base import Turn
from perfboard.model.progress import Step


class Notes:
    def __init__(self) -> None:
        self.told: list[tuple[float, str]] = []

    @contextmanager
    def step(self, title: str, total: float) -> Iterator[Step]:
        self.told.append((total, title))
        yield self

    def update(self, done: float, note: str = "") -> None:
        self.told.append((done, note))


def test_a_step_of_unknown_length_says_how_long_the_board_has_run() -> None:
    notes = Notes()
    with Turn("measuring", notes).running() as notify:
        notify(12.4)
    assert notes.told == [(float("inf"), "measuring"), (12.4, "12 s of the board's time")]
