# SPDX-License-Identifier: Apache-2.0
"""How far from the limit a saved log is: only what its stamps can tell from nothing."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.command import imported

LINES = (
    (0.0, "U-Boot 2024.01 (Jan 01 2024 - 00:00:00 +0000)"),
    (0.4, "DRAM:  512 MiB"),
    (0.5, "starting USB..."),
    (1.5, "Net:   No ethernet found."),
    (2.5, "  Verifying Checksum ..."),
    (5.5, "OK"),
    (5.6, "switch to partitions #0, OK"),
    (6.0, "4000000 bytes read in 400 ms (9.5 MiB/s)"),
    (6.1, "Starting kernel ..."),
    (6.5, "[    0.000000] Booting Linux on physical CPU 0x0"),
    (6.5, "[    0.000000] Linux version 6.6.0 (gcc) #1"),
    (6.5, "[    0.000000] Kernel command line: console=ttyS0,115200 root=/dev/mmcblk0p2"),
    (6.6, "[    0.100000] Calibrating delay loop... 996.14 BogoMIPS (lpj=4980736)"),
    (6.8, "[    0.300000] pid_max: default: 32768 minimum: 301"),
    (7.6, "[    1.110000] Run /sbin/init as init process"),
    (12.0, "box login: "),
)


def shown(folder: Path, lines: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    path = folder / "box.log"
    path.write_text("".join(f"{line}\n" for line in lines))
    imported(str(path))
    return " ".join(capsys.readouterr().out.split())


def test_a_saving_below_the_resolution_of_whole_seconds_is_none(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = shown(tmp_path, [f"2024-05-01 10:00:{int(t):02d} {text}" for t, text in LINES], capsys)
    assert "scan of USB" not in words and "USB start" not in words
    assert "console" not in words[words.index("far from the limit") :].partition("rest")[0]
    # Three seconds, and what the kernel's own clock times, are known.
    assert "the check of the kernel's image 3.000 s, at best 0 s" in words
    assert "calibration of the delay loop 200.0 ms, at best 0 s" in words


def test_the_kernels_own_times_may_be_whole_seconds_too(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (
        (0, "Linux version 6.6.0 (gcc) #1"),
        (1, "Waiting for root device /dev/mmcblk0p2..."),
        (2, "mmc0: new high speed SDHC card at address aaaa"),
        (2, "ubi0: attaching mtd3"),
        (5, "ubi0: scanning is finished"),
        (6, "Run /sbin/init as init process"),
        (9, "systemd[1]: Reached target Multi-User System."),
    )
    words = shown(
        tmp_path, [f"[Wed May  1 10:00:{t:02d} 2024] {text}" for t, text in lines], capsys
    )
    assert "root's device" not in words
    assert "the scan of UBI 3.000 s, at best 0 s" in words


def test_fine_stamps_tell_the_same_savings(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = shown(tmp_path, [f"[10:00:{t:06.3f}] {text}" for t, text in LINES], capsys)
    assert "scan of USB 1.000 s, at best 0 s" in words
    assert "console" in words[words.index("far from the limit") :].partition("rest")[0]


def test_the_whole_has_no_bound_where_most_of_it_has_none(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = shown(tmp_path, [f"[10:00:{t:06.3f}] {text}" for t, text in LINES], capsys)
    assert "12.00 s, at best" not in words
    assert "No figure gives a bound to" in words and "of 12.00 s" in words
