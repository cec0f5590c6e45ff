# SPDX-License-Identifier: Apache-2.0
"""Which files of the kernel are a power meter, by what stands in its folders.

The interfaces are those of Linux 6.1: Documentation/power/powercap/powercap.rst,
Documentation/hwmon/sysfs-interface.rst, and Documentation/ABI/testing/ of sysfs-bus-iio and
sysfs-class-power. Each function takes the texts of a folder's files by their paths there.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

# A processor renews its counters of energy about each millisecond (Intel's SDM, volume 3, 15.10.3).
_COUNTED_S = 1e-3


@dataclass(frozen=True)
class MeterChannel:
    """A quantity that a meter shows: the product of the numbers in its files, times `scale`.

    `unit` is J for a counter, which begins anew after `range_j` if that is not 0, and else W.
    `total` says that it is part of the whole; others are parts of one that is.
    """

    name: str
    unit: Literal["J", "W"]
    files: tuple[str, ...]
    scale: float
    range_j: float = 0.0
    total: bool = True


@dataclass(frozen=True)
class Meter:
    """A meter. It has a new value each `renewed_s`; None: only a change shows it."""

    name: str
    channels: tuple[MeterChannel, ...]
    renewed_s: float | None

    @property
    def files(self) -> tuple[str, ...]:
        """The files to read, in the order in which `analysis.power.energy` needs their numbers."""
        return tuple(dict.fromkeys(file for each in self.channels for file in each.files))

    @property
    def counts(self) -> bool:
        """Whether it counts energy by itself, so that nothing is lost between two readings."""
        return all(each.unit == "J" for each in self.channels)


def rapl(texts: Mapping[str, str]) -> Meter:
    """The domains of /sys/class/powercap: packages, and their parts core, uncore and dram.

    The whole is the packages and their memory, which a package's counter leaves out. Raises
    ValueError where there is no domain that can be read.
    """
    channels = []
    for path in sorted(texts):
        match = re.fullmatch(r"(intel-rapl(?::\d+)+)/energy_uj", path)
        if match is None:
            continue
        folder = match[1]
        name = texts.get(f"{folder}/name", folder).strip()
        above = texts.get(f"{folder.rpartition(':')[0]}/name", "").strip()
        channels.append(
            MeterChannel(
                name=f"{above}/{name}" if above and folder.count(":") > 1 else name,
                unit="J",
                files=(path,),
                scale=1e-6,
                range_j=_number(texts.get(f"{folder}/max_energy_range_uj", "")) * 1e-6,
                total=name.startswith("package") or name == "dram",
            )
        )
    if not channels:
        raise ValueError("no powercap domain intel-rapl:* can be read")
    return Meter("rapl", tuple(channels), _COUNTED_S)


def hwmon(texts: Mapping[str, str]) -> Meter:
    """A chip of /sys/class/hwmon or /sys/bus/iio/devices, as an INA2xx: the files of its folder.

    Raises ValueError where it shows neither power, nor energy, nor voltage and current.
    """
    channels = tuple(_first_of(texts))
    if not channels:
        raise ValueError("it shows no power, no energy, and no voltage with its current")
    interval = _number(texts.get("update_interval", "")) / 1e3
    return Meter(texts.get("name", "meter").strip(), channels, interval)


def battery(texts: Mapping[str, str]) -> Meter:
    """A battery of /sys/class/power_supply. Raises ValueError where it shows no power."""
    if _shown(texts, "power_now"):
        files: tuple[str, ...] = ("power_now",)
    elif _shown(texts, "voltage_now") and _shown(texts, "current_now"):
        files = ("voltage_now", "current_now")
    else:
        raise ValueError("it has neither power_now, nor voltage_now with current_now")
    return Meter("battery", (MeterChannel("battery", "W", files, 1e-6 ** len(files)),), None)


def _first_of(texts: Mapping[str, str]) -> Iterator[MeterChannel]:
    """The channels of the first kind that there is: the others say the same."""
    for kind in (_hwmon_power, _hwmon_energy, _hwmon_product, _iio_power, _iio_product):
        found = tuple(kind(texts))
        if found:
            yield from found
            return


def _hwmon_power(texts: Mapping[str, str]) -> Iterator[MeterChannel]:
    for number in _numbers(texts, r"power(\d+)_(?:input|average)"):
        file = f"power{number}_input"
        file = file if _shown(texts, file) else f"power{number}_average"
        yield MeterChannel(_label(texts, f"power{number}"), "W", (file,), 1e-6)


def _hwmon_energy(texts: Mapping[str, str]) -> Iterator[MeterChannel]:
    for number in _numbers(texts, r"energy(\d+)_input"):
        yield MeterChannel(_label(texts, f"energy{number}"), "J", (f"energy{number}_input",), 1e-6)


def _hwmon_product(texts: Mapping[str, str]) -> Iterator[MeterChannel]:
    for number in _numbers(texts, r"curr(\d+)_input"):
        # An INA219 or INA226 has its shunt as in0 and the supply as in1.
        if _shown(texts, f"in{number}_input"):
            files = (f"in{number}_input", f"curr{number}_input")
            yield MeterChannel(_label(texts, f"curr{number}"), "W", files, 1e-6)


def _iio_power(texts: Mapping[str, str]) -> Iterator[MeterChannel]:
    for number in _numbers(texts, r"in_power(\d+)_raw"):
        scale = _number(texts.get(f"in_power{number}_scale", "1"))
        yield MeterChannel(f"power{number}", "W", (f"in_power{number}_raw",), scale * 1e-3)


def _iio_product(texts: Mapping[str, str]) -> Iterator[MeterChannel]:
    volts = _numbers(texts, r"in_voltage(\d+)_raw")
    amperes = _numbers(texts, r"in_current(\d+)_raw")
    # An INA2xx has the shunt's voltage first, and the supply's last.
    for volt, ampere in zip(volts[-1:], amperes[:1], strict=False):
        files = (f"in_voltage{volt}_raw", f"in_current{ampere}_raw")
        scale = _number(texts.get(f"in_voltage{volt}_scale", "1"))
        scale *= _number(texts.get(f"in_current{ampere}_scale", "1"))
        yield MeterChannel(f"current{ampere}", "W", files, scale * 1e-6)


def _numbers(texts: Mapping[str, str], pattern: str) -> list[int]:
    matches = (re.fullmatch(pattern, path) for path in texts if _shown(texts, path))
    return sorted({int(match[1]) for match in matches if match})


def _shown(texts: Mapping[str, str], path: str) -> bool:
    return re.fullmatch(r"-?\d+\s*", texts.get(path, "")) is not None


def _label(texts: Mapping[str, str], name: str) -> str:
    return texts.get(f"{name}_label", name).strip()[:40] or name


def _number(text: str) -> float:
    match = re.fullmatch(r"\s*(\d{1,18}(?:\.\d{1,18})?)\s*", text)
    return float(match[1]) if match else 0.0
