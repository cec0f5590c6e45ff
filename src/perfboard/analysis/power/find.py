# SPDX-License-Identifier: Apache-2.0
"""Finds a power meter among the kernel's files, on this machine or on a target.

A shell says what files there are (`listing_script`), and that is read here (`meter_in`).
"""

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from perfboard.analysis.power.meter import Meter, battery, hwmon, rapl
from perfboard.analysis.raw_files import raw_files

FORMS = "rapl, hwmon:NAME (a chip of hwmon or IIO, as ina226) or battery"
_CHIP = (
    *("name", "update_interval", "power*_input", "power*_average", "power*_label"),
    *("energy*_input", "energy*_label", "curr*_input", "curr*_label", "in*_input"),
    *("in_power*_raw", "in_power*_scale", "in_voltage*_raw", "in_voltage*_scale"),
    *("in_current*_raw", "in_current*_scale"),
)


@dataclass(frozen=True)
class _MeterKind:
    """The folders of such meters, the files there, and the function that reads them."""

    folders: tuple[str, ...]
    files: tuple[str, ...]
    read: Callable[[Mapping[str, str]], Meter]
    # For somebody who may not read them.
    advice: str


_KINDS = {
    "rapl": _MeterKind(
        ("/sys/class/powercap",),
        ("*/name", "*/max_energy_range_uj", "*/energy_uj"),
        rapl,
        "energy_uj needs root: run as root there, or give its group the right to read it",
    ),
    "hwmon": _MeterKind(
        ("/sys/class/hwmon/*", "/sys/bus/iio/devices/*"), _CHIP, hwmon, "load its driver"
    ),
    "battery": _MeterKind(
        ("/sys/class/power_supply/*",),
        ("power_now", "voltage_now", "current_now"),
        battery,
        "not every battery shows its power",
    ),
}


@dataclass(frozen=True)
class MeterName:
    """The meter that the user means: its kind, and the name of its chip or its whole folder."""

    kind: str
    name: str = ""

    def __str__(self) -> str:
        """As the user writes it."""
        return f"{self.kind}:{self.name}" if self.name else self.kind


def parse_wanted(word: str) -> MeterName:
    """The meter that a word means. Raises ValueError."""
    kind, _, name = word.partition(":")
    if kind not in _KINDS or (kind == "hwmon" and not name):
        raise ValueError(f'"{word}" is no meter; write {FORMS}')
    if not re.fullmatch(r"[A-Za-z0-9_./:@-]{0,200}", name):
        raise ValueError(f'"{name}" is the name of no meter')
    return MeterName(kind, name)


def listing_script(wanted: MeterName) -> str:
    """A shell's script for `raw_files`: each folder, its path ended by "/", and then its files.

    They have one line each; one that may not be read has none.
    """
    kind = _KINDS[wanted.kind]
    own = wanted.name.startswith("/")
    folders = shlex.quote(wanted.name) if own else " ".join(kind.folders)
    return (
        f'for d in {folders}; do cd "$d" 2> /dev/null || continue; echo "@file $d/"; '
        f'for f in {" ".join(kind.files)}; do [ -f "$f" ] || continue; echo "@file $d/$f"; '
        '{ read -r v < "$f" && echo "$v"; } 2> /dev/null; done; done'
    )


def meter_in(wanted: MeterName, listed: str) -> Meter:
    """The meter in what the script printed; its files are whole paths.

    Raises ValueError where it is not there, or may not be read.
    """
    kind = _KINDS[wanted.kind]
    chips, refused = _read_listing(listed)
    if not chips:
        raise ValueError(f"there is no {' and no '.join(kind.folders)}")
    names = {folder: texts.get("name", "").strip() for folder, texts in chips.items()}
    reason = ""
    for folder, texts in chips.items():
        known = ("", folder, folder.rpartition("/")[2], names[folder])
        if wanted.name not in known:
            continue
        try:
            meter = kind.read(texts)
        except ValueError as error:
            denied = f"; {', '.join(refused[folder])} cannot be read" if refused[folder] else ""
            reason = f"{folder}: {error}{denied}. {kind.advice}"
            continue
        return replace(
            meter,
            channels=tuple(
                replace(each, files=tuple(f"{folder}/{file}" for file in each.files))
                for each in meter.channels
            ),
        )
    seen = ", ".join(sorted({name for name in names.values() if name})) or "none"
    raise ValueError(reason or f"there is no chip {wanted.name}; there are: {seen}")


def _read_listing(listed: str) -> tuple[dict[str, dict[str, str]], dict[str, list[str]]]:
    """By folder: the texts of files, and the files that may not be read."""
    chips: dict[str, dict[str, str]] = {}
    refused: dict[str, list[str]] = {}
    folder = ""
    for path, lines in raw_files(listed):
        name = path.removeprefix(folder)
        if path.endswith("/"):
            folder = path
            chips[folder[:-1]], refused[folder[:-1]] = {}, []
        elif folder and lines:
            chips[folder[:-1]][name] = lines[0]
        elif folder:
            refused[folder[:-1]].append(name)
    return chips, refused
