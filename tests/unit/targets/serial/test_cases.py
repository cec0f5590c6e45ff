# SPDX-License-Identifier: Apache-2.0
"""Boots over a serial line as people meet them, each with what is right of it."""

import pytest

from perfboard.model.errors import TargetError
from perfboard.model.results.boot import Boot, Span
from tests.support.serial_plan import (
    COPY,
    DECOMPRESS,
    EARLIER,
    LOG,
    LOGGED,
    UP_TO_ENTRY,
    USERSPACE,
    Right,
    boot,
    check,
    given,
)

CASES = {
    "boots-kexec": Right(
        {"root.mounted": 5.9, "kernel.freed": 5.95, "kernel.clock": 4.7, "usable": 8.0},
        {EARLIER: 3.5, USERSPACE: 2.04},
        note="began again 3.503 s after its reset: its kernel started another one",
    ),
    "boots-watchdog": Right(
        {"kernel.entry": 32.0, "kernel.clock": 32.2, "init.exec": 33.46, "usable": 35.0},
        {EARLIER: 30.2, "boot.bootloader": 0.3, DECOMPRESS: 0.2, LOG: 1.25},
        note="began again 30.20 s after its reset: its loader printed “U-Boot 2023.01",
    ),
    "clock-dmesg-shown": Right(
        {**LOGGED, "usable": 9.5}, {DECOMPRESS: 0.2, USERSPACE: 6.04}, note="left out"
    ),
    "clock-foreign-stamp": Right(
        {**LOGGED, "usable": 4.5}, note="left out of the kernel's clock: 1"
    ),
    "clock-jiffies-base": Right(
        {"kernel.clock": 2.2, "root.mounted": 3.4, "usable": 4.5}, {DECOMPRESS: 0.2}
    ),
    "initcall-behind-unfinished-line": Right({"kernel.clock": 2.2}),
    "initcall-never-returns": Right({"kernel.clock": 2.2}),
    "prefix-mediatek": Right({**LOGGED, "usable": 4.5}),
    "probe-with-driver": Right({"kernel.clock": 2.2}),
    "silent-103-s": Right({**LOGGED, "usable": 140.0}),
    "split-first-bytes-lost": Right({"kernel.entry": 2.0}, {DECOMPRESS: 0.2, LOG: 1.25}),
    "split-no-countdown": Right(
        {"kernel.entry": 2.0}, {UP_TO_ENTRY: 2.0, DECOMPRESS: 0.2, LOG: 1.25}
    ),
    "split-press-space": Right(
        {"bootloader.main": 0.5, "kernel.entry": 2.0},
        {"boot.delay+kernel.load.copy": 1.5, DECOMPRESS: 0.2, LOG: 1.25},
    ),
    "step-no-printk-time": Right(
        {"kernel.entry": 2.0, "kernel.freed": 3.45, "usable": 9.5},
        {COPY: 1.5, USERSPACE: 6.05},
        absent=(DECOMPRESS, LOG),
    ),
    "step-no-run-init": Right(
        {"kernel.freed": 3.45, "init.exec": 3.45, "usable": 9.5}, {LOG: 1.25, USERSPACE: 6.05}
    ),
    "step-stamped-starting-kernel": Right({"kernel.entry": 2.0}, {COPY: 1.5, DECOMPRESS: 0.2}),
    "usable-anchored-after-cr": Right({"usable": 4.5}),
    "usable-behind-long-progress": Right({"usable": 4.5}),
    "usable-colour": Right({"usable": 4.5}),
    "usable-cut-by-record": Right({"usable": 4.5}),
}


def recorded(name: str) -> Boot:
    usable, came = given(name)
    return boot(usable, came, silent_s=120)


@pytest.mark.parametrize("name", CASES)
def test_the_marks_and_phases_of(name: str) -> None:
    check(recorded(name), CASES[name])


def test_an_initcall_behind_an_unfinished_line() -> None:
    (span,) = recorded("initcall-behind-unfinished-line").spans
    assert (span.name, span.duration_ns) == ("init_sd [sd_mod]", 787_000)


def test_an_initcall_behind_a_vendors_prefix() -> None:
    (span,) = recorded("prefix-mediatek").spans
    assert (span.name, span.duration_ns) == ("a_init", 100_000)


def test_a_probe_names_its_driver() -> None:
    (span,) = recorded("probe-with-driver").spans
    expected = Span(
        kind="probe",
        name="a600000.usb",
        driver="dwc3-qcom",
        start_ns=span.start_ns,
        duration_ns=2_000,
        returned=-517,
    )
    assert span == expected


def test_an_initcall_that_never_returns_is_named() -> None:
    made = recorded("initcall-never-returns")
    assert (made.unfinished, made.spans) == (("hang_init",), ())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "panic-in-portions",
            "The kernel panicked: VFS: Unable to mount root fs on unknown-block(179,2)",
        ),
        ("panic-of-2.4", "The kernel panicked: VFS: Unable to mount root fs on 1f:02"),
    ],
)
@pytest.mark.parametrize("most", [1, 16, 4096])
def test_a_panic_is_told_whole(name: str, words: str, most: int) -> None:
    usable, came = given(name)
    split = [(t, data[at : at + most]) for t, data in came for at in range(0, len(data), most)]
    with pytest.raises(TargetError) as caught:
        boot(usable, split)
    assert (caught.value.kind, str(caught.value)) == ("panic", words)


def test_a_board_that_is_silent_for_longer_than_it_may_is_told_how_to_wait() -> None:
    usable, came = given("silent-103-s")
    with pytest.raises(TargetError, match="--silence 60 and --timeout 600") as caught:
        boot(usable, came)
    assert caught.value.kind == "hang"
    with pytest.raises(TargetError, match="--silence 120 and --timeout 100") as caught:
        boot(usable, came, silent_s=120, boot_s=100)
    assert "--timeout ended the boot" in str(caught.value)
