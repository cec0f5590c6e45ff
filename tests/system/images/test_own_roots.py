# SPDX-License-Identifier: Apache-2.0
"""Each form of a root file system of the user's own, in a board that `boards new` writes."""

import shutil
import subprocess
from pathlib import Path

import pytest

from perfboard.images.image import Image
from perfboard.images.packages.apt import AptState
from perfboard.images.root.entries import read_entries, write_cpio
from perfboard.images.root.make import make_file_system
from perfboard.images.root.recipe import RootRecipe
from perfboard.images.root.tree import CONSOLE
from perfboard.model.progress import SilentProgress
from tests.support.runs import boots_of

from ..conftest import COUNTED, Perfboard

_INIT = """\
#!/bin/sh
mount -t proc proc /proc && echo "root is up"
exec sleep 1000
"""
_SQUASHFS = ("squashfs", *(f"squashfs-{name}" for name in ("lzo", "xz", "lz4", "zstd")))
_IN_FLASH = (*_SQUASHFS, "cramfs", "romfs", "jffs2", "erofs")
# The commands that pack an archive so that Linux unpacks it.
_ARCHIVES = {
    "plain": ("cat",),
    "gzip": ("gzip",),
    "bzip2": ("bzip2",),
    "lzma": ("xz", "--format=lzma"),
    "xz": ("xz", "--check=crc32"),
    "lzo": ("lzop",),
    "lz4": ("lz4", "-l", "-"),
    "zstd": ("zstd",),
}
_SECTOR, _ROOM = 256 << 10, 16 << 20


@pytest.fixture
def kernel(image: Image) -> Path:
    """The folder of a kernel that reads all of them, and of its System.map."""
    return image.kernel_file.parent


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The folder of its files: a shell, and a script that says that it runs."""
    busybox = AptState("armhf", SilentProgress()).unpack("busybox-static") / "bin/busybox"
    root = tmp_path / "root"
    for name in ("bin", "dev", "proc", "sbin"):
        (root / name).mkdir(parents=True)
    shutil.copyfile(busybox, root / "bin/busybox")
    (root / "sbin/init").write_text(_INIT)
    for name in ("bin/busybox", "sbin/init"):
        (root / name).chmod(0o755)
    for name in ("mount", "sh", "sleep"):
        (root / "bin" / name).symlink_to("busybox")
    (root / "init").symlink_to("sbin/init")
    return root


@pytest.mark.parametrize("system", _IN_FLASH)
def test_a_root_in_flash_boots(
    perfboard: Perfboard, kernel: Path, tree: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    monkeypatch.chdir(tree.parent)
    image = make_file_system(RootRecipe(system), tree.parent, (CONSOLE,), _SECTOR, _ROOM)
    check_boot(perfboard, kernel, image)


@pytest.mark.parametrize("pack", _ARCHIVES)
def test_a_root_in_memory_boots(
    perfboard: Perfboard, kernel: Path, tree: Path, monkeypatch: pytest.MonkeyPatch, pack: str
) -> None:
    monkeypatch.chdir(tree.parent)
    archive = write_cpio(read_entries(tree, (CONSOLE,)))
    packed = subprocess.run(_ARCHIVES[pack], input=archive, stdout=subprocess.PIPE, check=True)
    image = tree.parent / "root.cpio"
    image.write_bytes(packed.stdout)
    check_boot(perfboard, kernel, image)


def check_boot(perfboard: Perfboard, kernel: Path, root: Path) -> None:
    """Writes a board with that kernel and root, and boots it to where init has said so."""
    files = ("--kernel", str(kernel / "zImage"), "--system-map", str(kernel / "System.map"))
    words = (*files, "--root", str(root), "--usable", "console:root is up")
    perfboard("boards", "new", "own", "--like", "verdex", *words)
    run = perfboard.json("study", "boot", "--board", "./own.toml", "--boots", "1", *COUNTED)
    marks = {mark["name"]: mark["source"] for mark in boots_of(run)[0]["marks"]}
    assert marks["usable"] == "console"
    # The scope has the functions of the System.map.
    assert marks["kernel.start_kernel"] == marks["init.exec"] == "scope"
    assert not any("System.map" in note for note in run["provenance"]["notes"])
