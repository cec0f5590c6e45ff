# SPDX-License-Identifier: Apache-2.0
"""Joules of a meter's readings: exact for counters, inside the interval for samples of power."""

import random

import numpy as np
import pytest

from perfboard.analysis.power.energy import Reading, energies
from perfboard.analysis.power.figures import whole_of
from perfboard.analysis.power.find import MeterName, listing_script, meter_in, parse_wanted
from perfboard.analysis.power.meter import Meter, MeterChannel

RANGE = 262_143_328_850


def counter(name: str = "package-0", range_uj: int = RANGE, total: bool = True) -> MeterChannel:
    return MeterChannel(name, "J", (f"/{name}",), 1e-6, range_uj * 1e-6, total)


def watts(renewed_s: float | None = 0.0, *files: str) -> Meter:
    files = files or ("/power1_input",)
    return Meter("ina226", (MeterChannel("supply", "W", files, 1e-6),), renewed_s)


def sampled(values: np.ndarray, period_s: float) -> list[Reading]:
    return [(round(i * period_s * 1e9), (round(v * 1e6),)) for i, v in enumerate(values)]


def test_a_counter_is_exact_wherever_it_wraps() -> None:
    chance = random.Random(31)
    for _ in range(500):
        steps = [chance.randrange(RANGE) for _ in range(chance.randrange(1, 6))]
        at, readings = chance.randrange(RANGE), []
        for i, step in enumerate([0, *steps]):
            at += step
            readings.append((i * 10**9, (at % RANGE,)))
        (found,) = energies(Meter("rapl", (counter(),), 1e-3), readings, 1.0)
        assert round(found.joules * 1e6) == sum(steps)
        assert found.seconds == len(steps)


def test_packages_and_their_memory_are_the_whole() -> None:
    channels = (
        counter(),
        counter("core", total=False),
        counter("dram"),
        counter("psys", total=False),
    )
    readings = [
        (0, (10, 10, RANGE - 5, 0)),
        (2 * 10**9, (3_000_010, 2_000_010, 999_995, 9_000_000)),
    ]
    found = energies(Meter("rapl", channels, 1e-3), readings, 1.0)
    assert [(each.name, round(each.joules, 6)) for each in found] == [
        *[("package-0", 3.0), ("core", 2.0), ("dram", 1.0), ("psys", 9.0), ("total", 4.0)]
    ]
    whole = whole_of(found)
    # A millisecond at 2 W at each end.
    assert whole is not None and whole.error == pytest.approx(4e-3)


def test_a_counter_that_never_wraps_may_not_go_back() -> None:
    meter = Meter("rapl", (counter(range_uj=0),), 1e-3)
    with pytest.raises(ValueError, match="goes back"):
        energies(meter, [(0, (5,)), (10**9, (4,))], 1.0)


@pytest.mark.parametrize("period_s", [0.001, 0.01, 0.25])
def test_power_is_inside_its_interval(period_s: float) -> None:
    chance = np.random.default_rng(7)
    for _ in range(50):
        # Plays for 4 s at two levels, which change where they like.
        change_s, low, high = chance.uniform(0.5, 3.5), *sorted(chance.uniform(0.1, 3, 2))
        times = np.arange(0, 4 + period_s / 2, period_s)
        readings = sampled(np.where(times < change_s, low, high), period_s)
        (found,) = energies(watts(), readings, period_s)
        true = low * change_s + high * (4 - change_s)
        assert abs(found.joules - true) <= found.error + 1e-5
        assert found.error < 0.4


def test_voltage_times_current_is_power() -> None:
    readings = [(i * 10**8, (5000, -200)) for i in range(11)]
    (found,) = energies(watts(0.0, "/in1_input", "/curr1_input"), readings, 0.1)
    assert found.joules == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("meter", "readings", "said"),
    [
        (watts(1.0), sampled(np.ones(30), 0.1), "3 values in 2.900 s, which needs .* 290.0 ms"),
        (watts(None), sampled(np.ones(30), 0.1), "supply of ina226 had 1 values"),
        (watts(), sampled(np.ones(5), 0.5), "had 5 values in 2.000 s"),
        (watts(), [(0, (1,))], "read 1 times"),
        (watts(), [(0, (1,)), (5, (1,)), (3, (1,))], "go back"),
        (watts(), [*sampled(np.ones(30), 0.1), (6 * 10**9, (1,))], "not read for 3.100 s"),
        (watts(), [(0, (1,)), (10**8, (None,))], "could not be read"),
    ],
)  # fmt: skip
def test_what_shows_no_energy_is_said(meter: Meter, readings: list[Reading], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        energies(meter, readings, 0.1)


def listed(folders: dict[str, dict[str, str]]) -> str:
    return "".join(
        f"@file {folder}/\n"
        + "".join(f"@file {folder}/{name}\n{text}\n" for name, text in texts.items())
        for folder, texts in folders.items()
    )


INA = {"name": "ina226", "update_interval": "2", "in0_input": "3", "in1_input": "5000",
       "curr1_input": "200", "power1_input": "1000000", "power1_label": "vdd"}  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "files", "scale", "name"),
    [
        (INA, ("power1_input",), 1e-6, "vdd"),
        ({"name": "ina226", "power2_average": "5"}, ("power2_average",), 1e-6, "power2"),
        ({"name": "ina226", "energy1_input": "5"}, ("energy1_input",), 1e-6, "energy1"),
        ({"name": "ina226", "in0_input": "3", "in1_input": "5", "curr1_input": "2"},
         ("in1_input", "curr1_input"), 1e-6, "curr1"),
        ({"name": "ina226", "in_power2_raw": "8", "in_power2_scale": "1.25",
          "in_voltage0_raw": "3"}, ("in_power2_raw",), 1.25e-3, "power2"),
        ({"name": "ina226", "in_voltage0_raw": "1", "in_voltage1_raw": "8", "in_current3_raw": "9",
          "in_voltage1_scale": "1.25", "in_current3_scale": "0.1"},
         ("in_voltage1_raw", "in_current3_raw"), 0.125e-6, "current3"),
    ],
)  # fmt: skip
def test_chips_are_found_by_their_names(
    texts: dict[str, str], files: tuple[str, ...], scale: float, name: str
) -> None:
    folders = {"/sys/class/hwmon/hwmon0": {"name": "cpu_thermal"}, "/sys/class/hwmon/hwmon3": texts}
    for word in ("hwmon:ina226", "hwmon:hwmon3"):
        found = meter_in(parse_wanted(word), listed(folders))
        (channel,) = found.channels
        assert channel.files == tuple(f"/sys/class/hwmon/hwmon3/{file}" for file in files)
        assert channel.scale == pytest.approx(scale) and channel.name == name
    assert found.renewed_s == (0.002 if texts is INA else 0)


def test_a_battery_shows_power_or_voltage_and_current() -> None:
    folder = "/sys/class/power_supply/BAT0"
    found = meter_in(
        MeterName("battery"),
        listed({"/sys/class/power_supply/AC": {}, folder: {"power_now": "9000000"}}),
    )
    assert found.files == (f"{folder}/power_now",) and found.renewed_s is None
    both = {"voltage_now": "12000000", "current_now": "750000"}
    (channel,) = meter_in(MeterName("battery"), listed({folder: both})).channels
    assert channel.scale * 12_000_000 * 750_000 == pytest.approx(9)


@pytest.mark.parametrize(
    ("word", "output", "said"),
    [
        ("rapl", "", "there is no /sys/class/powercap"),
        ("rapl", listed({"/sys/class/powercap": {"intel-rapl:0/name": "p"}})
         + "@file /sys/class/powercap/intel-rapl:0/energy_uj\n",
         "intel-rapl:0/energy_uj cannot be read. energy_uj needs root"),
        ("hwmon:ina219", listed({"/sys/class/hwmon/hwmon0": {"name": "ina226"}}),
         "there is no chip ina219; there are: ina226"),
        ("hwmon:ina226", listed({"/sys/class/hwmon/hwmon0": {"name": "ina226"}}), "shows no power"),
        ("battery", listed({"/sys/class/power_supply/AC": {}}), "neither power_now"),
    ],
)  # fmt: skip
def test_a_meter_that_is_not_there_is_said(word: str, output: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        meter_in(parse_wanted(word), output)


@pytest.mark.parametrize(
    "word", ["", "rapl2", "hwmon", "hwmon:a b", "hwmon:$(reboot)", "battery:'"]
)
def test_words_that_are_no_meter_are_refused(word: str) -> None:
    with pytest.raises(ValueError, match="no meter"):
        parse_wanted(word)


def test_the_script_quotes_a_folder() -> None:
    assert "for d in /a/powercap;" in listing_script(MeterName("rapl", "/a/powercap"))
