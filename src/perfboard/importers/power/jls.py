# SPDX-License-Identifier: Apache-2.0
"""Files of a Joulescope (JLS), which pyjls reads, in a process of its own."""

import json
import sys
from importlib.util import find_spec

from perfboard.host.programs.reader import tool_output
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.power.supply import inputs_of, power_in
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.text import printable
from perfboard.model.units import format_value

_MAGIC = b"jlsfmt\r\n \n \x1a  \xb2\x1c"
# The format before, of the programs up to 2022.
_OLD = b"\xd3tagfmt \r\n"


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    # For such a file alone.
    import numpy as np

    from perfboard.analysis.formats.power_table import PowerTrace

    if file.head.startswith(_OLD):
        raise UsageError(
            f"{file.path}: is of the first version of JLS, which pyjls does not read; store it "
            "again with a Joulescope UI of today"
        )
    if find_spec("pyjls") is None:
        raise EnvironmentLacksError(
            f"{file.path}: pyjls reads such files, and is not installed with Perfboard; "
            "install it by: pip install 'perfboard[joulescope]'"
        )
    inputs = inputs_of(file, options)
    command = (sys.executable, "-m", "perfboard.importers.power.jls_process")
    words = (*command, str(file.content.absolute()), *inputs)
    with tool_output(words, "pyjls", file.path) as stream:
        line, data = stream.readline(1 << 16), stream.read()
    head = json.loads(line)
    rows = np.frombuffer(data, "<f4").reshape(-1, 2 + len(inputs)).astype(float)
    # A sample that the meter missed is not a number.
    values = {"watts": rows[:, 0], "amperes": rows[:, 1]}
    known = np.isfinite(rows[:, 1 if head["amperes"] else 0])
    if known.sum() < 3:
        raise UsageError(f"{file.path}: has fewer than three samples")
    period_s = head["joined"] / head["rate"]
    seconds = np.flatnonzero(known) * period_s
    width_s = period_s if head["joined"] > 1 else 0.0
    amperes = values["amperes"][known] if head["amperes"] else None
    watts = values["watts"][known] if head["watts"] or head["volts"] else None
    if watts is None and amperes is not None and options.volts:
        watts = amperes * options.volts
    notes: list[str] = []
    if head["joined"] > 1:
        notes.append(
            f"{head['joined']} samples each were joined to one of {format_value(period_s, 's')}: "
            "their mean power, and their highest current."
        )
    if head["others"]:
        notes.append(
            f"The file has {head['others'] + 1} meters; {printable(head['source'])[:80]} was read."
        )
    levels = {name: rows[known, place] for place, name in enumerate(inputs, 2)}
    trace = PowerTrace(seconds - seconds[0], amperes, watts, width_s, levels)
    return power_in(trace, inputs, notes)


IMPORTER = Importer(
    "jls",
    "a file of a Joulescope (JLS)",
    lambda head: 1.0 if head.startswith((_MAGIC, _OLD)) else 0.0,
    _read,
)
