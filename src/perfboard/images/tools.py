# SPDX-License-Identifier: Apache-2.0
"""The programs of this machine that images are built with, and where they come from."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from perfboard.model.errors import EnvironmentLacksError

Use = Literal["packages", "kernel", "root", "emulator", "scope"]


@dataclass(frozen=True)
class Tool:
    """A program on PATH, or a file by its whole path, and its Debian package."""

    name: str
    package: str
    uses: frozenset[Use]


def _tool(name: str, package: str, *uses: Use) -> Tool:
    return Tool(name, package, frozenset(uses))


TOOLS = (
    _tool("apt-get", "apt", "packages"),
    _tool("apt-cache", "apt", "packages"),
    _tool("dpkg-deb", "dpkg", "packages"),
    _tool("make", "make", "kernel"),
    _tool("gcc", "gcc", "kernel", "scope"),
    _tool("/usr/include/stdio.h", "libc6-dev", "kernel", "scope"),
    _tool("flex", "flex", "kernel"),
    _tool("bison", "bison", "kernel"),
    _tool("bc", "bc", "kernel"),
    _tool("tar", "tar", "kernel"),
    _tool("xz", "xz-utils", "kernel"),
    _tool("arm-linux-gnueabihf-gcc", "gcc-arm-linux-gnueabihf", "kernel", "root"),
    _tool("/usr/arm-linux-gnueabihf/include/stdio.h", "libc6-dev-armhf-cross", "root"),
    _tool("mksquashfs", "squashfs-tools", "root"),
    _tool("qemu-system-arm", "qemu-system-arm", "emulator"),
    _tool("setpriv", "util-linux", "emulator"),
)


def missing_tools(uses: Iterable[Use] | None = None) -> list[Tool]:
    """The tools that this machine lacks, of those for `uses`, or of all."""
    wanted = None if uses is None else frozenset(uses)
    return [
        tool
        for tool in TOOLS
        if (wanted is None or tool.uses & wanted)
        and not (Path(tool.name).exists() if "/" in tool.name else shutil.which(tool.name))
    ]


def require_tools(uses: Iterable[Use]) -> None:
    """Raises EnvironmentLacksError that names every missing tool and the remedy."""
    missing = missing_tools(uses)
    if missing:
        names = ", ".join(tool.name for tool in missing)
        packages = " ".join(dict.fromkeys(tool.package for tool in missing))
        raise EnvironmentLacksError(
            f"this machine lacks {names}; on Debian: sudo apt-get install {packages}"
        )
