# SPDX-License-Identifier: Apache-2.0
"""CSV of a power meter: Nordic's PPK2, hwmon and IIO logs, and any with a heading of units."""

from perfboard.analysis.formats.power_table import is_power_heading, read_power_table
from perfboard.importers.base import Imported, Importer, ImportOptions, SavedFile
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot, Mark


def _share(head: bytes) -> float:
    first, _, rest = head.partition(b"\n")
    is_table = rest[:1].isdigit() or rest[:2].strip(b'"-').isdigit()
    return float(is_table and is_power_heading(first[:4096].decode("utf-8", "replace").strip()))


def _read(file: SavedFile, options: ImportOptions) -> Imported:
    try:
        with file.open() as stream:
            trace = read_power_table(stream, options.volts or None)
    except ValueError as error:
        raise UsageError(f"{file.path}: {error}") from error
    rise = trace.rise()
    if rise is None:
        note = "The trace does not begin with the supply off, so that it shows no reset."
        return Imported(joins=True, power=trace, notes=(note,))
    at_s, off_s = rise
    mark = Mark(
        name="reset",
        t_ns=round(at_s * 1e9),
        clock="capture",
        source="power",
        precision_ns=round(off_s * 1e9),
    )
    note = "The first rise of the current is the mark reset."
    return Imported(boots=(Boot(marks=(mark,)),), joins=True, power=trace, notes=(note,))


IMPORTER = Importer(
    "power",
    "a power meter's CSV: a heading such as time (s),voltage (V),current (mA)",
    _share,
    _read,
)
