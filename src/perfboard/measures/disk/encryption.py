# SPDX-License-Identifier: Apache-2.0
"""disk.encryption: files on encrypted storage, next to the same file system without."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Literal

from perfboard.bench.base import Facts
from perfboard.bench.job import WHOLE_DISK, Job, NotMeasurable
from perfboard.measures.base import (
    NOT_MEASURED,
    Example,
    Finding,
    Measure,
    Setting,
    ShownMetric,
)
from perfboard.measures.disk.points import (
    PARAMETERS,
    DiskPoint,
    example_points,
    failure_of,
    folder_line,
)
from perfboard.measures.rates import limit_of, rate_quantities, rated
from perfboard.model.rows import RefusedRow, Row, Word, read_rows, row_line
from perfboard.model.run import Evidence, Metric
from perfboard.model.units import format_value

_MIB = 1 << 20
# In the words of native/probe/commands/disk/crypt.c.
WAYS = {
    "plain": "without encryption",
    "xts": "dm-crypt, AES-XTS",
    "adiantum": "dm-crypt, Adiantum",
    "fscrypt": "fscrypt, AES-XTS",
    "ecryptfs": "eCryptfs, AES",
}
_OPERATIONS = ("write", "read")
_POINTS = " ".join(f"{operation}/buffered/65536/1" for operation in _OPERATIONS)
_KERNEL = ("dm-crypt", "ecryptfs", "fscrypt")


class CryptRow(Row):
    """The end of a way that was measured, with the kernel's driver of its cipher, or "none"."""

    row: Literal["crypt"]
    way: Word
    driver: Word


class DiskEncryption(Measure):
    """Each way has a file system of its own: on a virtual board's disk, else on a loop device."""

    name = "disk.encryption"
    title = "Encrypted storage"
    needs = ("on a live target, root and loop devices",)
    parameters = PARAMETERS
    metrics = tuple(
        quantity
        for operation in _OPERATIONS
        for quantity in rate_quantities(
            f"disk.encryption.{operation}",
            f"bytes a second to {operation}: labels way, driver",
            "processors that were busy in that time, whoever had them, at most 1",
        )
    )
    examples = (
        Example(
            example_points(f"{operation}/buffered/65536/1" for operation in _OPERATIONS)
            + row_line("crypt", way="xts", driver="xts-aes-neonbs"),
            {
                f"disk.encryption.{operation}.{what}": value
                for operation in _OPERATIONS
                for what, value in (("bandwidth", 1e6), ("busy", 0.5))
            },
        ),
    )

    def job(self, setting: Setting) -> Job:
        quick, exact = setting.parameters["quick"], setting.facts.exact
        repeats = 1 if quick else setting.repeats
        file = _MIB * (4 if exact else 8 if quick else 16)
        disk = _MIB * (32 if quick else 64)
        points = " ".join([_POINTS] * repeats)
        words = f'"$source" "$place" {disk} {file} 1000 {points}'
        script = f'for way in {" ".join(WAYS)}; do "$PROBE" disk-crypt $way {words}; done\n'
        return Job(
            f"{folder_line(setting)}{WHOLE_DISK.script}{script}",
            packages=WHOLE_DISK.packages,
            features=kernel_for(setting.facts),
            # A new file system takes less than a file.
            writes=len(WAYS) * (2 + repeats) * file,
            limit_s=900,
        )

    def read(self, output: str, setting: Setting) -> Finding:
        return _found(output)


def kernel_for(facts: Facts) -> tuple[str, ...]:
    """The kernel's features: a vendor's kernel has the ciphers that its part is fast at."""
    return (*WHOLE_DISK.features, *_KERNEL, *(() if "neon" in facts.lacks else ("neon-ciphers",)))


def _found(output: str) -> Finding:
    metrics: list[Metric] = []
    figures: dict[tuple[str, str], ShownMetric] = {}
    reasons: dict[str, list[str]] = {}
    drivers: dict[str, str] = {}
    for way, rows in _by_way(output).items():
        points = [row for row in rows if isinstance(row, DiskPoint)]
        if not points:
            refused = (row.why for row in rows if isinstance(row, RefusedRow))
            why = next(refused, "the probe measured no point")
            reasons.setdefault(why, []).append(WAYS[way])
            continue
        drivers[way] = next((row.driver for row in rows if isinstance(row, CryptRow)), "")
        for operation in _OPERATIONS:
            own = [point for point in points if point.operation == operation]
            if own:
                rate, busy = _rated(operation, way, drivers[way], own)
                metrics += [rate, busy]
                figures[way, operation] = ShownMetric(f"{operation}, {WAYS[way]}", rate, busy)
    if not any(way != "plain" for way, _ in figures):
        raise NotMeasurable("; ".join(reasons) or failure_of(output) or "the probe said nothing")
    notes = tuple(f"{NOT_MEASURED}{', '.join(ways)}: {why}." for why, ways in reasons.items())
    short, best = _short(figures)
    limit = limit_of(figures[best].busy, Evidence.TIMED, "disk")
    return Finding(tuple(metrics), tuple(figures.values()), short, limit, _drivers(drivers), notes)


def _rated(
    operation: str, way: str, driver: str, points: Sequence[DiskPoint]
) -> tuple[Metric, Metric]:
    labels = {"way": way, **({"driver": driver} if driver not in ("", "none") else {})}
    rates = [point.bytes / point.seconds for point in points]
    # The ciphers run in threads of the kernel.
    shares = [point.busy(Evidence.TIMED) for point in points]
    return rated(f"disk.encryption.{operation}", labels, rates, shares)


def _by_way(output: str) -> dict[str, list[Row]]:
    """The rows of each way, which end with its driver or its refusal."""
    found: dict[str, list[Row]] = {}
    rows: list[Row] = []
    for row in read_rows(output, DiskPoint, CryptRow, RefusedRow):
        rows.append(row)
        match row:
            case CryptRow(way=way) | RefusedRow(what=way) if way in WAYS:
                found[way], rows = rows, []
    return found


def _short(figures: Mapping[tuple[str, str], ShownMetric]) -> tuple[str, tuple[str, str]]:
    """The fastest way to write or else to read, next to none; and its figure's key."""
    for operation in _OPERATIONS:
        rates = {
            way: median(figure.metric.samples)
            for (way, of), figure in figures.items()
            if of == operation
        }
        plain = rates.pop("plain", None)
        if rates:
            way = max(rates, key=lambda way: rates[way])
            words = f"{operation}s {format_value(rates[way], 'B/s')} by {WAYS[way]}"
            beside = f" (without: {format_value(plain, 'B/s')})" if plain else ""
            return words + beside, (way, operation)
    raise NotMeasurable("no encrypted file could be written or read")


def _drivers(drivers: Mapping[str, str]) -> str:
    named = ", ".join(
        f"{WAYS[way]}: {driver}" for way, driver in drivers.items() if way != "plain" and driver
    )
    return f"The kernel's drivers: {named}." if named else ""


MEASURES = (DiskEncryption(),)
