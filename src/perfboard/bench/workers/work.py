# SPDX-License-Identifier: Apache-2.0
"""Work that is done in the background: on this machine's processors, or by others' workers."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Event
from typing import Protocol, TypeVar

from perfboard.bench.lab import Lab

Outcome_co = TypeVar("Outcome_co", covariant=True)
Outcome = TypeVar("Outcome")


class Work(Protocol[Outcome_co]):
    """Work on a virtual board, apart from all other. It can be pickled, and so can its outcome."""

    @property
    def title(self) -> str:
        """Its name while it is done."""

    @property
    def emulator(self) -> str:
        """The program that its outcome depends on."""

    def run(self, lab: Lab, cancelled: Event) -> Outcome_co:
        """Does it. Raises Cancelled soon after another thread sets `cancelled`."""


# Begins work in the background, and gives what its outcome will be in.
Submit = Callable[[Work[Outcome]], "Future[Outcome]"]
# Gets the title of work, and what is being done for it, or "" when that has ended.
Note = Callable[[str, str], None]
