# SPDX-License-Identifier: Apache-2.0
"""The files of a Debian system whose packages are unpacked, and not configured yet.

dpkg's database says so of each (dpkg(1), "unpacked"; deb-control(5)), so that dpkg does the rest.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from perfboard.images.packages.apt import SCRIPTS
from perfboard.images.packages.tree import PROGRAM, Tree, found_in

CONFIGURE = "perfboard-configure"
SCRIPT = Path(__file__).with_name("configure.sh")
_FOLDERS = (
    *("boot", "dev", "etc", "home", "mnt", "proc", "root", "run", "srv", "sys", "tmp", "usr"),
    *("var", "var/log", "var/lib", "var/lib/dpkg", "var/lib/dpkg/info", "var/lib/dpkg/updates"),
    "var/lib/dpkg/triggers",
)
_ANYONES = ("tmp", "var/tmp")
_DATABASE = "var/lib/dpkg"
# dpkg keeps the other files next to the scripts (deb(5)), and this one in its status.
_NOT_KEPT = ("control",)


def debian_tree(unpacked: Mapping[str, Path], files: Mapping[str, str]) -> Tree:
    """The system of these packages, each in the folder where it is unpacked.

    `files` are more, by their paths, which take the place of the packages'.
    """
    tree = Tree()
    for place, text in files.items():
        tree.add_bytes(place, text.encode())
    for place in _ANYONES:
        tree.add_folder(place, 0o1777)
    for name, folder in unpacked.items():
        tree.add_package(name, folder)
    for place in _FOLDERS:
        tree.add_folder(place)
    tree.add_usual()
    _add_database(tree, unpacked.values())
    tree.add_bytes(CONFIGURE, SCRIPT.read_bytes(), PROGRAM)
    return tree


def _add_database(tree: Tree, unpacked: Iterable[Path]) -> None:
    status = []
    for folder in unpacked:
        control = (folder / SCRIPTS / "control").read_text(errors="replace").strip()
        status.append(f"{control}\nStatus: install ok unpacked\n")
        fields = dict(line.split(": ", 1) for line in control.splitlines() if ": " in line)
        name = fields["Package"]
        if fields.get("Multi-Arch") == "same":
            name = f"{name}:{fields['Architecture']}"
        paths = ["/.", *(f"/{place}" for place, _ in found_in(folder))]
        tree.add_bytes(f"{_DATABASE}/info/{name}.list", "\n".join([*paths, ""]).encode())
        for path in sorted((folder / SCRIPTS).iterdir()):
            if path.name not in _NOT_KEPT:
                tree.add_file(f"{_DATABASE}/info/{name}.{path.name}", path)
    tree.add_bytes(f"{_DATABASE}/status", "\n".join(status).encode())
    tree.add_bytes(f"{_DATABASE}/info/format", b"1\n")
    tree.add_bytes(f"{_DATABASE}/available", b"")
