# SPDX-License-Identifier: Apache-2.0
"""What a target can do, as small protocols; a kind of target has those it can honour."""

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import Protocol

from perfboard.instruments.base import Instrument


class Cancelled(Exception):
    """The boot was given up because another thread asked for it."""


class Boot(Protocol):
    """A target that can be booted from reset while instruments watch it."""

    def boot(
        self,
        instruments: Sequence[Instrument],
        artifacts: Path,
        sighted: Callable[[str], None],
        cancelled: Event,
    ) -> float:
        """Boots until usable, and returns the host seconds it took.

        The console's bytes and the instruments' files go to the folder `artifacts`;
        `sighted` is told each mark as it is reached. Raises TargetError when the
        boot fails, and Cancelled soon after another thread sets `cancelled`.
        """
