# SPDX-License-Identifier: Apache-2.0
"""CSV of a power meter: Nordic's PPK2, hwmon and IIO logs, and any with a heading of units."""

from perfboard.analysis.formats.power_heading import is_power_heading
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.power.supply import inputs_of, power_in
from perfboard.model.errors import UsageError


def _share(head: bytes) -> float:
    first, _, rest = head.partition(b"\n")
    is_table = rest[:1].isdigit() or rest[:2].strip(b'"-').isdigit()
    return float(is_table and is_power_heading(first[:4096].decode("utf-8", "replace").strip()))


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    # numpy is for such a file alone, and takes a tenth of a second.
    from perfboard.analysis.formats.power_table import read_power_table

    inputs = inputs_of(file, options)
    try:
        with file.open() as stream:
            trace = read_power_table(stream, options.volts or None, inputs)
    except ValueError as error:
        raise UsageError(f"{file.path}: {error}") from error
    return power_in(trace, inputs)


IMPORTER = Importer(
    "power",
    "a power meter's CSV: a heading such as time (s),voltage (V),current (mA)",
    _share,
    _read,
)
