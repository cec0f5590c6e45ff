# SPDX-License-Identifier: Apache-2.0
"""The work of each core of a boot, as lines of text below its waterfall."""

from collections.abc import Iterator

from perfboard.model.results.boot import Boot, CoreTime
from perfboard.report.charts.text_waterfall import BAR, TITLE

# From idle to busy all the time.
_SHADES = " \N{LIGHT SHADE}\N{MEDIUM SHADE}\N{DARK SHADE}\N{FULL BLOCK}"


def text_cores(boot: Boot, whole_ns: int) -> Iterator[str]:
    """A line a core, the darker the more of the time it worked, and its share of the whole."""
    for core in boot.cores:
        cells = "".join(_shade(share) for share in _shares(core, whole_ns))
        yield f"{f'core {core.core}, busy':{TITLE}} {cells} {core.busy_ns / whole_ns:>9.0%}"


def _shade(share: float) -> str:
    # Any work at all is to be seen.
    return _SHADES[-(-round(share * 100) * (len(_SHADES) - 1) // 100)]


def _shares(core: CoreTime, whole_ns: int) -> list[float]:
    """The share of each cell that the core worked."""
    worked = [0.0] * BAR
    for stretch in core.stretches:
        start, end = (
            at / whole_ns * BAR for at in (stretch.start_ns, stretch.start_ns + stretch.duration_ns)
        )
        for cell in range(int(start), min(BAR, int(end) + 1)):
            worked[cell] += max(0.0, min(end, cell + 1) - max(start, cell))
    return [min(1.0, share) for share in worked]
