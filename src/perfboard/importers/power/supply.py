# SPDX-License-Identifier: Apache-2.0
"""From a meter's samples to the mark that they show: the supply that is switched on."""

from perfboard.analysis.formats.power_table import PowerTrace
from perfboard.importers.base import Imported
from perfboard.model.results.boot import Boot, Mark


def power_in(trace: PowerTrace, notes: tuple[str, ...] = ()) -> Imported:
    """A trace, and if it begins with the supply off, the reset where it is switched on."""
    rise = trace.rise()
    if rise is None:
        note = "The trace does not begin with the supply off, so that it shows no reset."
        return Imported(joins=True, power=trace, notes=(*notes, note))
    at_s, off_s = rise
    mark = Mark(
        name="reset",
        t_ns=round(at_s * 1e9),
        clock="capture",
        source="power",
        precision_ns=round(off_s * 1e9),
    )
    note = "The first rise of the current is the mark reset."
    return Imported(boots=(Boot(marks=(mark,)),), joins=True, power=trace, notes=(*notes, note))
