# SPDX-License-Identifier: Apache-2.0
"""The files of a Debian system before its packages are configured."""

import subprocess
import tarfile
from pathlib import Path

from perfboard.images.debian.tree import CONFIGURE, SCRIPT, debian_tree


def unpacked(folder: Path, control: str, **files: str) -> Path:
    for name, text in {"DEBIAN/control": control, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if name.endswith("inst") else 0o644)
    return folder


def system(tmp_path: Path) -> dict[str, tarfile.TarInfo | bytes]:
    packages = {
        "tool": unpacked(
            tmp_path / "tool",
            "Package: tool\nVersion: 2\nArchitecture: armhf\nDescription: does\n it: all\n",
            **{
                "DEBIAN/postinst": "#!/bin/sh\n",
                "DEBIAN/preinst": "#!/bin/sh\n",
                "bin/tool": "x",
                "etc/hostname": "theirs\n",
            },
        ),
        "libx": unpacked(
            tmp_path / "libx",
            "Package: libx\nArchitecture: armhf\nMulti-Arch: same\nVersion: 1\n",
            **{"DEBIAN/triggers": "activate-noawait ldconfig\n", "usr/lib/libx.so": "y"},
        ),
    }
    archive = tmp_path / "root.tar"
    debian_tree(packages, {"etc/hostname": "ours\n"}).write(archive)
    found: dict[str, tarfile.TarInfo | bytes] = {}
    with tarfile.open(archive) as tar:
        for entry in tar:
            file = tar.extractfile(entry)
            found[entry.name] = file.read() if file else entry
    return found


def test_dpkg_is_told_of_packages_that_are_unpacked(tmp_path: Path) -> None:
    found = system(tmp_path)
    assert found["var/lib/dpkg/status"] == (
        b"Package: tool\nVersion: 2\nArchitecture: armhf\nDescription: does\n it: all\n"
        b"Status: install ok unpacked\n\n"
        b"Package: libx\nArchitecture: armhf\nMulti-Arch: same\nVersion: 1\n"
        b"Status: install ok unpacked\n"
    )
    kept = {name.rpartition("/")[2] for name in found if name.startswith("var/lib/dpkg/info/")}
    assert kept == {
        *("format", "tool.list", "tool.postinst", "tool.preinst"),
        *("libx:armhf.list", "libx:armhf.triggers"),
    }
    # A path is what the package calls it, though the folders are one.
    assert found["var/lib/dpkg/info/tool.list"] == b"/.\n/bin\n/etc\n/bin/tool\n/etc/hostname\n"
    assert found["usr/bin/tool"] == b"x" and "DEBIAN/control" not in found


def test_our_files_take_the_place_of_the_packages(tmp_path: Path) -> None:
    found = system(tmp_path)
    assert found["etc/hostname"] == b"ours\n"
    console, folder = found["dev/console"], found["tmp"]
    assert isinstance(console, tarfile.TarInfo) and console.ischr()
    assert isinstance(folder, tarfile.TarInfo) and folder.mode == 0o1777
    assert found[CONFIGURE] == SCRIPT.read_bytes()


def test_the_script_is_one_that_a_shell_reads() -> None:
    subprocess.run(["sh", "-n", str(SCRIPT)], check=True)
