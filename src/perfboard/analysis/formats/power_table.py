# SPDX-License-Identifier: Apache-2.0
"""Tables of power meters: a heading that names quantities and units, then a row a sample."""

import io
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np

from perfboard.analysis.formats.capture import MOST_NS, lines_in_portions
from perfboard.analysis.formats.power_heading import UNITS, columns_of, is_time, separator_of

# As many as fit in 1 GB with room for the work on them.
_MOST_ROWS = 20_000_000
_MOST_HEADING = 4096
# More volts, amperes or watts than any board takes.
_LARGEST = 1e9
# The seconds since 1970 are some 10^9, and were more than 10^8 since 1973.
_EPOCHS = ((1e17, 1e-9), (1e14, 1e-6), (1e11, 1e-3))


@dataclass(frozen=True)
class PowerTrace:
    """Samples of a meter: times in s on its clock, amperes and watts; None for what it lacks.

    A sample may be the mean power and the highest current of a span of `width_s`, in whose middle
    its time lies. `levels` are those of the meter's logic inputs, by the names of their columns.
    """

    seconds: np.ndarray
    amperes: np.ndarray | None
    watts: np.ndarray | None
    width_s: float = 0.0
    levels: Mapping[str, np.ndarray] = field(default_factory=dict)

    def edges(self, name: str) -> list[tuple[float, float]]:
        """When a logic input changed its level, in s, and how far each may be off."""
        high = self.levels[name] > self.levels[name].max() / 2
        places = np.flatnonzero(high[1:] != high[:-1])
        return [
            (float(before + after) / 2, (float(after - before) + self.width_s) / 2)
            for before, after in zip(self.seconds[places], self.seconds[places + 1], strict=True)
        ]

    def rise(self) -> tuple[float, float] | None:
        """When the supply was switched on, in s, and how far that may be off; None if not shown.

        That is the first sample above half the usual level, if the trace begins below a tenth.
        """
        levels = self.watts if self.amperes is None else self.amperes
        usual = float(np.median(levels)) if levels is not None else 0.0
        if levels is None or usual <= 0 or levels[0] > usual / 10:
            return None
        at = int(np.argmax(levels > usual / 2))
        before, after = self.seconds[at - 1], self.seconds[at]
        return float(before + after) / 2, (float(after - before) + self.width_s) / 2

    @property
    def period_s(self) -> float:
        """The usual time between two samples."""
        return float(np.median(np.diff(self.seconds)))


def read_power_table(
    stream: BinaryIO, supply_v: float | None, inputs: Collection[str] = ()
) -> PowerTrace:
    """The samples of a table. `supply_v` is the voltage where the table has none.

    `inputs` are columns of logic levels that are wanted, by their headings.

    The separator is a comma, a semicolon or a tab; with the last two numbers may have a decimal
    comma. Raises ValueError for a table that is not so, or whose times go back.
    """
    portions = lines_in_portions(stream)
    first = next(portions, b"")
    head, _, rest = first.partition(b"\n")
    heading = head[:_MOST_HEADING].decode("utf-8-sig", "replace").strip()
    separator = separator_of(heading)
    columns = {what: (place, scale) for what, place, scale in columns_of(heading, separator)}
    if "time" not in columns or not columns.keys() & {"amperes", "watts"}:
        raise ValueError(
            "its first line names no time and current or power with their units, as in "
            '"time (s),voltage (V),current (A)"'
        )
    names = [cell.strip().strip('"').strip() for cell in heading.split(separator)]
    if lacking := [name for name in inputs if name not in names]:
        raise ValueError(
            f"it has no column {', '.join(lacking)}; its columns are {', '.join(names)}"
        )
    columns |= {name: (names.index(name), 1.0) for name in inputs}
    rows = np.concatenate([*_rows(rest, portions, separator, columns)])
    values = {what: rows[:, i] * scale for i, (what, (_, scale)) in enumerate(columns.items())}
    if len(rows) < 3 or not np.isfinite(rows).all():
        raise ValueError("it has fewer than three samples, or one that is no number")
    seconds = values["time"] - values["time"][0]
    if is_time(names[columns["time"][0]]):
        seconds *= _epoch_unit(float(values["time"][0]))
    if (far := np.abs(seconds) > MOST_NS / 1e9).any():
        raise ValueError(
            f"sample {int(np.argmax(far)) + 1} is {seconds[int(np.argmax(far))]:.3g} s after the "
            "first, which no trace lasts"
        )
    for what in ("volts", "amperes", "watts"):
        if what in values and (far := np.abs(values[what]) > _LARGEST).any():
            place = int(np.argmax(far))
            raise ValueError(
                f"sample {place + 1} is of {values[what][place]:.3g} {UNITS[what]}, which no "
                "meter shows"
            )
    if (np.diff(seconds) <= 0).any():
        place = int(np.argmax(np.diff(seconds) <= 0)) + 2
        raise ValueError(f"its times do not go on at sample {place}")
    volts, amperes = values.get("volts", supply_v), values.get("amperes")
    watts = values.get("watts")
    if watts is None and volts is not None and amperes is not None:
        watts = amperes * volts
    levels = {name: values[name] for name in inputs}
    return PowerTrace(seconds, amperes, watts, levels=levels)


def _epoch_unit(first: float) -> float:
    """The seconds of a time's unit that a heading does not name: an epoch's shows it by its size.

    Other times are seconds.
    """
    return next((unit for least, unit in _EPOCHS if first >= least), 1.0)


def _rows(
    first: bytes,
    others: Iterator[bytes],
    separator: str,
    columns: dict[str, tuple[int, float]],
) -> Iterator[np.ndarray]:
    places = [place for place, _ in columns.values()]
    total = 0
    portion: bytes | None = first
    while portion is not None:
        if separator != ",":
            portion = portion.replace(b",", b".")
        portion = portion.replace(b'"', b"")
        if portion.strip():
            try:
                found = np.loadtxt(
                    io.BytesIO(portion), delimiter=separator, usecols=places, ndmin=2, comments=None
                )
            except ValueError as error:
                raise ValueError(f"a row is no sample: {str(error)[:120]}") from error
            total += len(found)
            if total > _MOST_ROWS:
                raise ValueError(f"it has more than {_MOST_ROWS:,} samples; cut the boot out of it")
            yield found
        portion = next(others, None)
