# SPDX-License-Identifier: Apache-2.0
"""The programs of this machine that Perfboard runs, what for, and where they come from."""

import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from perfboard.host.files.scratch import temporary_folder
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
    "debian",
    "ext4",
    "f2fs",
    "mtd",
    "erofs",
    "romfs",
    "musl",
    "emulator",
    "scope",
    "ssh",
    "tls",
]
_VERSION = re.compile(r"\d+\.\d+(?:[\w.+~-]*\w)?")
_PATIENCE_S = 20


@dataclass(frozen=True)
class Tool:
    """A program on PATH, or a file by its whole path, and its Debian package.

    It is for the images and boards of one `architecture`, or of all where that is None.
    `asked` is the option by which it says its version, if it does.
    """

    name: str
    package: str
    uses: frozenset[Use]
    architecture: str | None = None
    asked: str = "--version"

    @property
    def missing(self) -> bool:
        """Whether this machine lacks it."""
        return not (Path(self.name).exists() if "/" in self.name else shutil.which(self.name))

    def version(self) -> str:
        """The version that it prints, as "5.4.1"; empty where it is missing or says nothing."""
        if "/" in self.name or not self.asked or self.missing:
            return ""
        try:
            done = subprocess.run(
                [self.name, self.asked],
                cwd=temporary_folder(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_PATIENCE_S,
                check=False,
            )
        except (subprocess.SubprocessError, OSError):
            return ""
        found = _VERSION.search(done.stdout.decode(errors="replace"))
        return found[0] if found else ""


@dataclass(frozen=True)
class Purpose:
    """A thing to do, in words that follow "To", and the uses of the tools that it takes.

    It takes those of one `architecture`, or, where that is None, the ones for all.
    """

    words: str
    uses: frozenset[Use]
    architecture: str | None = None

    @property
    def tools(self) -> list[Tool]:
        """The tools that it needs."""
        return [
            tool
            for tool in TOOLS
            if tool.uses & self.uses and tool.architecture in (None, self.architecture)
        ]


def _tool(name: str, package: str, *uses: Use, asked: str = "--version") -> Tool:
    return Tool(name, package, frozenset(uses), asked=asked)


def _tools_of(arch: Architecture) -> tuple[Tool, ...]:
    header = f"/usr/{arch.triplet}/include/stdio.h"
    compiled: frozenset[Use] = frozenset({"kernel", "root"})
    return (
        Tool(f"{arch.triplet}-gcc", arch.compiler_package, compiled, arch.name),
        Tool(header, arch.libc_package, frozenset({"root"}), arch.name),
        Tool(arch.emulator, arch.emulator_package, frozenset({"emulator"}), arch.name),
    )


TOOLS = (
    _tool("apt-get", "apt", "packages", "tls"),
    _tool("apt-cache", "apt", "packages", "tls"),
    _tool("dpkg-deb", "dpkg", "packages"),
    _tool("dpkg-source", "dpkg-dev", "musl", "tls"),
    _tool("make", "make", "kernel", "musl"),
    _tool("gcc", "gcc", "kernel", "musl", "scope"),
    _tool("/usr/include/stdio.h", "libc6-dev", "kernel", "musl", "scope"),
    _tool("ccache", "ccache", "kernel"),
    _tool("flex", "flex", "kernel"),
    _tool("bison", "bison", "kernel"),
    _tool("bc", "bc", "kernel"),
    _tool("tar", "tar", "kernel", "debian"),
    _tool("xz", "xz-utils", "kernel"),
    _tool("dtc", "device-tree-compiler", "direct", "tree"),
    _tool("mkimage", "u-boot-tools", "header"),
    _tool("lz4", "lz4", "compression"),
    _tool("lzma", "xz-utils", "compression"),
    _tool("lzop", "lzop", "compression"),
    _tool("mksquashfs", "squashfs-tools", "root", asked="-version"),
    _tool("sqfstar", "squashfs-tools", "root", asked="-version"),
    _tool("mkfs.jffs2", "mtd-utils", "mtd"),
    _tool("sumtool", "mtd-utils", "mtd"),
    _tool("mkfs.ubifs", "mtd-utils", "mtd"),
    _tool("ubinize", "mtd-utils", "mtd"),
    _tool("mkfs.erofs", "erofs-utils", "erofs"),
    _tool("fakeroot", "fakeroot", "erofs", "debian"),
    _tool("mke2fs", "e2fsprogs", "ext4", asked="-V"),
    _tool("mkfs.f2fs", "f2fs-tools", "f2fs", asked="-V"),
    _tool("sload.f2fs", "f2fs-tools", "f2fs", asked="-V"),
    _tool("genromfs", "genromfs", "romfs", asked=""),
    _tool("setpriv", "util-linux", "emulator", "debian"),
    _tool("ssh", "openssh-client", "ssh", asked="-V"),
    _tool("openssl", "openssl", "tls", asked="version"),
    *(tool for arch in ARCHITECTURES for tool in _tools_of(arch)),
)

_BOOT: frozenset[Use] = frozenset({"packages", "kernel", "root", "emulator", "scope"})
_LEVELS: frozenset[Use] = frozenset(
    {
        "compression",
        "direct",
        "tree",
        "header",
        "mtd",
        "erofs",
        "romfs",
        "musl",
        "debian",
        "ext4",
        "f2fs",
    }
)
SSH = Purpose("measure a board by SSH", frozenset({"ssh"}))
TLS = Purpose("load pages over TLS", frozenset({"tls"}))
VIRTUAL = (
    *(
        Purpose(f"boot virtual boards with {arch.title}", _BOOT, arch.name)
        for arch in ARCHITECTURES
    ),
    Purpose("try every level in a tune", _LEVELS),
)


def missing_tools(uses: Iterable[Use] | None = None, architecture: str | None = None) -> list[Tool]:
    """The tools that this machine lacks, of those for `uses` and `architecture`; None: for all."""
    wanted = None if uses is None else frozenset(uses)
    return [
        tool
        for tool in TOOLS
        if (wanted is None or tool.uses & wanted)
        and (architecture is None or tool.architecture in (None, architecture))
        and tool.missing
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
