# SPDX-License-Identifier: Apache-2.0
"""Debian's kernel and initrd, in a board that `boards new` writes; test_wheel.py has an own one."""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from perfboard.images.image import Image
from perfboard.images.packages.apt import AptState
from perfboard.model.progress import SilentProgress
from tests.support.runs import boots_of

from ..conftest import COUNTED, Perfboard

_CONTRIB = Path(__file__).parents[3] / "contrib"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the commands work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def debian(here: Path) -> None:
    """Debian's stock kernel, its installer's initrd, and its stand-in for a System.map."""
    unpacked = AptState("armhf", SilentProgress()).unpack("debian-installer-12-netboot-armhf")
    images = unpacked / "usr/lib/debian-installer/images/12/armhf/text/debian-installer/armhf"
    for name in ("vmlinuz", "initrd.gz"):
        shutil.copyfile(images / name, here / name)
    (here / "System.map").write_text(
        "ffffffffffffffff B The real System.map is in the linux-image-<version>-dbg package\n"
    )


@pytest.mark.usefixtures("debian")
def test_debians_stock_kernel_is_measured_by_its_console_and_log(perfboard: Perfboard) -> None:
    new = (
        "boards",
        "new",
        "debian",
        "--like",
        "rpi2",
        "--kernel",
        "vmlinuz",
        "--root",
        "initrd.gz",
    )
    ready = "console:Starting system log daemon"
    perfboard(*new, "--system-map", "System.map", "--usable", ready)
    # Several cores that are counted have no time.
    words = ("--boots", "1", *COUNTED, "--set", "cores=1")
    run = perfboard.json("study", "boot", "--board", "./debian.toml", *words)
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


def built(image: Image, deploy: Path, linux: Path, root: str, system_map: str) -> None:
    """Leaves verdex's kernel, its System.map and its root file system as a build does."""
    for folder in (deploy, linux):
        folder.mkdir(parents=True)
    shutil.copyfile(image.kernel_file, deploy / "zImage")
    shutil.copyfile(image.kernel_file.with_name("System.map"), linux / system_map)
    bank = image.banks[1].read_bytes()
    at = bank.index(b"hsqs")
    (deploy / root).write_bytes(bank[at : at + image.sizes["root"]])


def test_the_image_that_buildroot_built_boots_after_the_build(
    perfboard: Perfboard, here: Path, image: Image
) -> None:
    # As a build leaves them: output/images, output/build/linux-VERSION, target and staging.
    images, linux = here / "output/images", here / "output/build/linux-6.1"
    built(image, images, linux, "rootfs.squashfs", "System.map")
    for name in ("target", "staging"):
        (here / "output" / name).mkdir()
    perfboard.environment |= {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "BUILD_DIR": str(linux.parent),
        "TARGET_DIR": str(here / "output/target"),
        "STAGING_DIR": str(here / "output/staging"),
        "PERFBOARD_USABLE": "exec:S99usable",
    }
    perfboard.words = [str(_CONTRIB / "buildroot/post-image.sh")]
    assert (
        "one boot (counted)"
        in perfboard(str(images), "verdex", *COUNTED, "--tag", "commit=a1").stdout
    )
    assert "needs the board to be timed as" in perfboard(str(images), code=2).stderr
    (images / "zImage").unlink()
    assert f"there is no {images}/Image" in perfboard(str(images), "verdex", code=2).stderr


def test_the_image_that_yocto_built_boots_by_the_task_of_the_class(
    perfboard: Perfboard, here: Path, image: Image
) -> None:
    deploy, linux = here / "deploy", here / "kernel-build-artifacts"
    built(image, deploy, linux, "core-image.squashfs", "System.map-6.1.0-yocto")
    variables = {
        "DEPLOY_DIR_IMAGE": deploy,
        "IMAGE_LINK_NAME": "core-image",
        "IMAGE_ROOTFS": here,
        "KERNEL_IMAGETYPE": "zImage",
        "PERFBOARD_FSTYPE": "squashfs",
        "PERFBOARD_LAYER": _CONTRIB / "yocto",
        "PERFBOARD_LIKE": "verdex",
        "PERFBOARD_PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PERFBOARD_USABLE": "exec:S99usable",
        "PERFBOARD_WORDS": " ".join(COUNTED),
        "STAGING_KERNEL_BUILDDIR": linux,
    }
    text = (_CONTRIB / "yocto/classes/perfboard.bbclass").read_text()
    (task,) = re.findall(r"(?ms)^do_perfboard\(\) \{\n(.*?)^\}", text)
    # BitBake puts its variables in, and leaves the shell's.
    script = re.sub(r"\$\{(\w+)\}", lambda found: str(variables[found[1]]), task)
    perfboard.words = ["sh", "-euc", script]
    assert "one boot (counted)" in perfboard().stdout
    assert "timed as verdex" in (deploy / "perfboard/image.toml").read_text()
