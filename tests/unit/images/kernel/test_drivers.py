# SPDX-License-Identifier: Apache-2.0
"""Our drivers in a kernel's source: those that it asks for, and no others."""

import shutil
from pathlib import Path

from perfboard.images.kernel.drivers import add_drivers, driver_files, hash_drivers

CLOCK, DISK = "CONFIG_PERFBOARD_CLOCK", "CONFIG_PERFBOARD_DISK"


def test_a_kernel_gets_the_drivers_that_it_asks_for() -> None:
    assert driver_files({"CONFIG_NET": "y", DISK: "n"}) == ()
    assert [file.name for file in driver_files({DISK: "y", CLOCK: "y"})] == [
        "perfboard_clock.c",
        "perfboard_clock.Kconfig",
        "perfboard_disk.c",
        "perfboard_disk.Kconfig",
    ]


def test_a_module_is_a_driver_and_what_it_includes_and_selects_comes_along() -> None:
    files = driver_files({"CONFIG_PERFBOARD_NIC": "m", "CONFIG_PERFBOARD_NET": "n"})
    assert [file.name for file in files] == [
        "perfboard_nic.c",
        "perfboard_nic.Kconfig",
        "perfboard_net.c",
        "perfboard_far_end.h",
        "perfboard_far_end.c",
        "perfboard_far_end.Kconfig",
    ]


def test_an_included_file_is_no_driver_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "drivers"
    folder.mkdir()
    for name in ("Kconfig", "Makefile"):
        (folder / name).touch()
    add_drivers(tmp_path, driver_files({"CONFIG_PERFBOARD_NIC": "m"}))
    ours = folder / "perfboard"
    assert (ours / "Makefile").read_text().splitlines() == [
        "obj-$(CONFIG_PERFBOARD_NIC) += perfboard_nic.o",
        "obj-$(CONFIG_PERFBOARD_FAR_END) += perfboard_far_end.o",
    ]
    assert (ours / "perfboard_net.c").is_file()


def test_an_option_that_is_no_drivers_is_left_to_the_kernel() -> None:
    assert driver_files({"CONFIG_PERFBOARD_WARP": "y", "CONFIG_PERFBOARD_../X": "y"}) == ()


def test_another_drivers_change_does_not_concern_a_kernel(tmp_path: Path) -> None:
    clock, disk = (
        tuple(Path(shutil.copy(file, tmp_path)) for file in driver_files({option: "y"}))
        for option in (CLOCK, DISK)
    )
    before = hash_drivers(clock), hash_drivers(disk)
    (tmp_path / "perfboard_disk.c").write_text("/* changed */")
    assert hash_drivers(clock) == before[0]
    assert hash_drivers(disk) != before[1]


def test_they_are_made_part_of_the_source(tmp_path: Path) -> None:
    folder = tmp_path / "drivers"
    folder.mkdir()
    (folder / "Kconfig").write_text("menu\n")
    (folder / "Makefile").write_text("obj-y += net/\n")
    add_drivers(tmp_path, driver_files({CLOCK: "y", DISK: "y"}))
    assert (folder / "Kconfig").read_text() == 'menu\nsource "drivers/perfboard/Kconfig"\n'
    assert (folder / "Makefile").read_text() == "obj-y += net/\nobj-y += perfboard/\n"
    ours = folder / "perfboard"
    assert (ours / "Makefile").read_text().splitlines() == [
        "obj-$(CONFIG_PERFBOARD_CLOCK) += perfboard_clock.o",
        "obj-$(CONFIG_PERFBOARD_DISK) += perfboard_disk.o",
    ]
    kconfig = (ours / "Kconfig").read_text()
    assert (
        kconfig.count("config PERFBOARD_CLOCK\n") == kconfig.count("config PERFBOARD_DISK\n") == 1
    )
    assert {file.name for file in ours.iterdir()} == {
        "Kconfig",
        "Makefile",
        "perfboard_clock.c",
        "perfboard_disk.c",
    }
