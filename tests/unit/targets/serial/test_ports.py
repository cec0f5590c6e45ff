# SPDX-License-Identifier: Apache-2.0
"""The serial lines that a machine has, and who may use them."""

import getpass
import os
import subprocess
from pathlib import Path

import pytest

from perfboard.targets.serial.ports import Port, serial_ports
from tests.support.serial_board import board_on_a_line


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """As /sys/class/tty, with a UART, a place for one, and what has no device."""
    for name, kind in (("ttyS0", "4"), ("ttyS1", "0"), ("ttyUSB0", None), ("tty1", None)):
        (tmp_path / "dev").mkdir(exist_ok=True)
        (tmp_path / "dev" / name).touch()
        line = tmp_path / "tty" / name
        line.mkdir(parents=True)
        if name != "tty1":
            (line / "device").mkdir()
        if kind:
            (line / "type").write_text(f"{kind}\n")
    return tmp_path / "tty"


def test_lines_with_a_device_are_found(known: Path) -> None:
    devices = known.parent / "dev"
    (devices / "ttyUSB0").unlink()
    assert serial_ports(known, devices) == [Port(str(devices / "ttyS0"), "")]


@pytest.mark.parametrize(
    ("mode", "group", "said"),
    [
        (0o660, 20, f"not yours to use: sudo adduser {getpass.getuser()} dialout, and log in"),
        (0o660, 4242, "adduser"),
        (0o600, 20, "its owner and root may"),
    ],
)
def test_the_right_to_use_one(known: Path, mode: int, group: int, said: str) -> None:
    devices = known.parent / "dev"
    line = devices / "ttyUSB0"
    line.chmod(mode)
    try:
        os.chown(line, -1, group)
    except PermissionError:
        pytest.skip("only root gives a file to a group that is not its own")
    used, usb = serial_ports(known, devices, lambda path, _: path != line)
    assert used.problem == ""
    assert said in usb.problem


def test_who_holds_one_is_named(known: Path, tmp_path: Path) -> None:
    with board_on_a_line(tmp_path / "reset") as target:
        path = Path(target.removeprefix("serial://"))
        (known / path.name / "device").mkdir(parents=True)
        with path.open("rb") as line:
            program = subprocess.Popen(["sleep", "60"], stdin=line)
        try:
            (found,) = serial_ports(known, path.parent)
            assert found.problem == f"open in sleep (pid {program.pid}): end that first"
        finally:
            program.kill()
            program.wait()
