# SPDX-License-Identifier: Apache-2.0
"""An image that nobody here made: Debian's stock kernel and its installer's initrd."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from perfboard.images.packages.apt import AptState
from perfboard.model.progress import SilentProgress
from tests.support.runs import boots_of

from ..conftest import Perfboard

HERE = Path(__file__).parent


@pytest.fixture
def armmp(tmp_path: Path) -> Path:
    """The board file with Debian's files beside it, and Debian's stand-in for a System.map."""
    unpacked = AptState("armhf", SilentProgress()).unpack("debian-installer-12-netboot-armhf")
    images = unpacked / "usr/lib/debian-installer/images/12/armhf/text/debian-installer/armhf"
    for name in ("vmlinuz", "initrd.gz"):
        shutil.copyfile(images / name, tmp_path / name)
    (tmp_path / "System.map").write_text(
        "ffffffffffffffff B The real System.map is in the linux-image-<version>-dbg package\n"
    )
    shutil.copyfile(HERE / "debian-armmp.toml", tmp_path / "debian-armmp.toml")
    return tmp_path / "debian-armmp.toml"


def test_debians_stock_kernel_is_measured_by_its_console_and_log(
    perfboard: Perfboard, armmp: Path
) -> None:
    run = perfboard.json("study", "boot", "--board", str(armmp), "--boots", "1")
    assert any("stand-in" in note for note in run["provenance"]["notes"])
    marks: dict[str, Any] = {mark["name"]: mark for mark in boots_of(run)[0]["marks"]}
    sources = {name: marks[name]["source"] for name in marks}
    assert sources["kernel.entry"] == "scope"
    assert sources["bootloader.main"] == sources["usable"] == "console"
    assert sources["init.exec"] == sources["kernel.clock"] == "kernel-log"
    assert marks["init.exec"]["precision_ns"] > marks["kernel.entry"]["precision_ns"]
    assert marks["usable"]["precision_ns"] > 0
    names = [m["name"] for m in run["metrics"] if not m["name"].endswith(".instructions")]
    assert "boot.kernel.load+kernel.init+root.mount" in names
    assert "boot.kernel.log" in names
    assert "boot.total" in names
    report = Path(perfboard("report", run["id"]).stdout.strip()).read_text()
    assert "stand-in" in report
