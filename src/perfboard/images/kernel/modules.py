# SPDX-License-Identifier: Apache-2.0
"""A kernel's modules, as a board's root file system has them for modprobe."""

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

_MODULE = re.compile(r"^CONFIG_\w+=m$", re.MULTILINE)
_DEPENDS = re.compile(rb"\bdepends=([\w,-]*)\0")


def has_modules(objects: Path) -> bool:
    """Whether the kernel with its `objects` there is configured to have any."""
    return _MODULE.search((objects / ".config").read_text()) is not None


def keep_modules(objects: Path, folder: Path) -> None:
    """Copies what a build has left in its folder of objects to a new `folder`.

    That is to be the board's /lib/modules: a folder of the name that the running kernel has,
    with the modules, and what each needs loaded before it (modules.dep(5)).
    """
    release = (objects / "include" / "config" / "kernel.release").read_text().strip()
    kept = folder / release
    kept.mkdir(parents=True)
    direct = {}
    # Others that lie there are of a build before, with other options.
    order = (objects / "modules.order").read_text().split()
    for path in sorted((objects / name).with_suffix(".ko") for name in order):
        shutil.copyfile(path, kept / path.name)
        named = _DEPENDS.search(path.read_bytes())
        direct[path.stem] = named[1].decode().split(",") if named and named[1] else []
    lines = (
        " ".join([f"{name}.ko:", *(f"{n}.ko" for n in needed(name, direct))]) for name in direct
    )
    (kept / "modules.dep").write_text("".join(f"{line}\n" for line in lines))


def needed(name: str, direct: Mapping[str, Sequence[str]]) -> list[str]:
    """All modules that `name` needs; one that another of them needs comes after that.

    `direct` has those that each module names itself.
    """
    found: dict[str, None] = {}

    def find(one: str) -> None:
        for other in direct[one]:
            if other not in found:
                find(other)
        found[one] = None

    find(name)
    return [*reversed(found)][1:]
