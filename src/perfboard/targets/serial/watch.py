# SPDX-License-Identifier: Apache-2.0
"""Judges what a board prints while it boots."""

import re
from collections.abc import Sequence

from perfboard.analysis.boot.reading.panics import PanicWatch
from perfboard.analysis.boot.reading.screen import matches
from perfboard.instruments.base import InstrumentSighting
from perfboard.model.errors import TargetError

# How long a board may be silent, and may take to be usable, if the user does not say.
SILENT_S = 60.0
BOOT_S = 600.0


class LineWatch:
    """Judges what is sighted of one boot. Times are nanoseconds since the reset."""

    def __init__(
        self, usable: re.Pattern[str], silent_s: float = SILENT_S, boot_s: float = BOOT_S
    ) -> None:
        """`usable` is the line that says that the board is usable, within `boot_s`."""
        self._usable = usable
        self._silent_s = silent_s
        self._boot_s = boot_s
        self._panics = PanicWatch()
        self._prompt = ""
        self._last_ns = 0

    def is_usable(self, sightings: Sequence[InstrumentSighting], now_ns: int) -> bool:
        """Whether one of them says that the board is usable."""
        if any(matches(self._usable, sighting.text) for sighting in sightings):
            return True
        if sightings:
            self._last_ns = now_ns
            lines = [each.text for each in sightings if each.kind == "line"]
            self._prompt = sightings[-1].text if sightings[-1].kind == "prompt" else ""
            self._panics.add(lines, now_ns)
        return False

    def check(self, now_ns: int) -> None:
        """Raises TargetError if the kernel panicked, or the board is silent or takes too long."""
        if panic := self._panics.found(now_ns, self._prompt):
            raise TargetError("panic", f"The kernel panicked: {panic.text}")
        silent_s, whole_s = (now_ns - self._last_ns) / 1e9, now_ns / 1e9
        if silent_s > self._silent_s or whole_s > self._boot_s:
            limit = "--silence" if silent_s > self._silent_s else "--timeout"
            raise TargetError(
                "hang",
                f"No line of the console matches {self._usable.pattern!r}: it has been silent for "
                f"{silent_s:.0f} s, {whole_s:.0f} s since the reset. Is that what the board prints "
                f"when it is usable? It was given --silence {self._silent_s:g} and --timeout "
                f"{self._boot_s:g}, in seconds; {limit} ended the boot. Give more to a slow board.",
            )
