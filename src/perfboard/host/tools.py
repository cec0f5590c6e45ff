# SPDX-License-Identifier: Apache-2.0
"""The programs of this machine that images are built with, and where they come from."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from perfboard.model.board.architecture import ARCHITECTURES, Architecture
from perfboard.model.errors import EnvironmentLacksError

Use = Literal[
    "packages",
    "kernel",
    "compression",
    "direct",
    "tree",
    "header",
    "root",
    "mtd",
    "erofs",
    "romfs",
    "musl",
    "emulator",
    "scope",
]


@dataclass(frozen=True)
class Tool:
    """A program on PATH, or a file by its whole path, and its Debian package.

    It is for the images and boards of one `architecture`, or of all where that is None.
    """

    name: str
    package: str
    uses: frozenset[Use]
    architecture: str | None = None


def _tool(name: str, package: str, *uses: Use) -> Tool:
    return Tool(name, package, frozenset(uses))


def _tools_of(arch: Architecture) -> tuple[Tool, ...]:
    header = f"/usr/{arch.triplet}/include/stdio.h"
    compiled: frozenset[Use] = frozenset({"kernel", "root"})
    return (
        Tool(f"{arch.triplet}-gcc", arch.compiler_package, compiled, arch.name),
        Tool(header, arch.libc_package, frozenset({"root"}), arch.name),
        Tool(arch.emulator, arch.emulator_package, frozenset({"emulator"}), arch.name),
    )


TOOLS = (
    _tool("apt-get", "apt", "packages"),
    _tool("apt-cache", "apt", "packages"),
    _tool("dpkg-deb", "dpkg", "packages"),
    _tool("dpkg-source", "dpkg-dev", "musl"),
    _tool("make", "make", "kernel", "musl"),
    _tool("gcc", "gcc", "kernel", "musl", "scope"),
    _tool("/usr/include/stdio.h", "libc6-dev", "kernel", "musl", "scope"),
    _tool("ccache", "ccache", "kernel"),
    _tool("flex", "flex", "kernel"),
    _tool("bison", "bison", "kernel"),
    _tool("bc", "bc", "kernel"),
    _tool("tar", "tar", "kernel"),
    _tool("xz", "xz-utils", "kernel"),
    _tool("dtc", "device-tree-compiler", "direct", "tree"),
    _tool("mkimage", "u-boot-tools", "header"),
    _tool("lz4", "lz4", "compression"),
    _tool("lzma", "xz-utils", "compression"),
    _tool("lzop", "lzop", "compression"),
    _tool("mksquashfs", "squashfs-tools", "root"),
    _tool("sqfstar", "squashfs-tools", "root"),
    _tool("mkfs.jffs2", "mtd-utils", "mtd"),
    _tool("sumtool", "mtd-utils", "mtd"),
    _tool("mkfs.ubifs", "mtd-utils", "mtd"),
    _tool("ubinize", "mtd-utils", "mtd"),
    _tool("mkfs.erofs", "erofs-utils", "erofs"),
    _tool("fakeroot", "fakeroot", "erofs"),
    _tool("genromfs", "genromfs", "romfs"),
    _tool("setpriv", "util-linux", "emulator"),
    *(tool for arch in ARCHITECTURES for tool in _tools_of(arch)),
)


def missing_tools(uses: Iterable[Use] | None = None, architecture: str | None = None) -> list[Tool]:
    """The tools that this machine lacks, of those for `uses` and `architecture`; None: for all."""
    wanted = None if uses is None else frozenset(uses)
    return [
        tool
        for tool in TOOLS
        if (wanted is None or tool.uses & wanted)
        and (architecture is None or tool.architecture in (None, architecture))
        and not (Path(tool.name).exists() if "/" in tool.name else shutil.which(tool.name))
    ]


def require_tools(uses: Iterable[Use], architecture: str | None = None) -> None:
    """Raises EnvironmentLacksError that names every missing tool and the remedy."""
    missing = missing_tools(uses, architecture)
    if missing:
        names = ", ".join(tool.name for tool in missing)
        packages = " ".join(dict.fromkeys(tool.package for tool in missing))
        raise EnvironmentLacksError(
            f"this machine lacks {names}; on Debian: sudo apt-get install {packages}"
        )
