# SPDX-License-Identifier: Apache-2.0
"""How the reference root file system is made, as the levels of its factors change it."""

from dataclasses import dataclass, replace
from typing import Literal

from perfboard.model.errors import UsageError

SQUASHFS_BLOCK = 128 << 10
INIT = "/sbin/init"
APPLICATION = "/usr/bin/rectangles"
# The files that a boot reads, by their first use; a path may be a pattern. Files of /etc lie
# together: one that lies apart costs one more block to unpack.
_FIRST_USED = (
    "bin/busybox",
    "lib/ld-linux*",
    "lib/libresolv.so.2",
    "lib/libc.so.6",
    "etc/inittab",
    "etc/init.d/*",
    "etc/hostname",
    "usr/bin/rectangles",
    "usr/share/random.bin",
)

# The library, and the kernel's headers, which Debian has apart from it.
MUSL_PACKAGES = ("musl-dev", "linux-libc-dev")
# The levels whose programs do not need the board's packages.
_LINKED = {"static": ("busybox-static",), "musl": MUSL_PACKAGES}


@dataclass(frozen=True)
class Debian:
    """Debian's own system: the program that starts it, and the file system of the disk."""

    init: Literal["systemd", "sysvinit"] = "systemd"
    system: Literal["ext4", "f2fs"] = "ext4"


@dataclass(frozen=True)
class RootRecipe:
    """How to make one root file system of the reference system.

    With `debian`, it is that on the board's disk, and nothing of what follows. `system` is the file
    system, by its name in `filesystems.SYSTEMS`; `block` the bytes that a squashfs compresses as
    one. The others are levels of the factors of their names: `nodes` says where the device nodes
    come from, `init` what starts the scripts and how, `libraries` how the programs are linked,
    `order` what files and functions are sorted by, `readahead` what is read before it is wanted,
    and `drivers` when the network card's is loaded, which is the kernel's `module` of that name
    unless the kernel has it. One that `announces` the board has a script which sends a packet once
    there is a link.
    """

    system: str = "squashfs"
    block: int = SQUASHFS_BLOCK
    nodes: str = "mdev"
    init: str = "sequence"
    libraries: str = "dynamic"
    order: str = "name"
    readahead: str = "none"
    drivers: str = "builtin"
    module: str = ""
    # None: an image without it is the same as ever.
    announces: bool | None = None
    debian: Debian | None = None

    @property
    def first(self) -> str:
        """The path of the program that the kernel starts first."""
        return APPLICATION if self.init == "application" else INIT

    @property
    def first_used(self) -> tuple[str, ...]:
        """Paths below the root, or patterns of them, as a boot reads them first."""
        there = [path for path in _FIRST_USED if not path.startswith("lib/")]
        return tuple(there if self.static else _FIRST_USED)

    @property
    def static(self) -> bool:
        """Whether the programs hold what they need of libraries, of which the root has none."""
        return self.libraries != "dynamic"

    @property
    def packages(self) -> tuple[str, ...]:
        """Debian packages that it needs besides the board's, to be looked into before those."""
        linked = _LINKED.get(self.libraries, ())
        return (*linked, *(("startpar",) if self.init == "parallel" else ()))

    def check(self) -> None:
        """Raises UsageError where what its levels ask for cannot be together."""
        if self.debian and replace(self, debian=None) != RootRecipe():
            raise UsageError(
                "root=debian is made of Debian's packages as they are; leave out block, nodes, "
                "init, libraries, order, readahead and drivers"
            )
        squashfs = self.system.startswith("squashfs")
        if self.block != SQUASHFS_BLOCK and not squashfs:
            raise UsageError(
                f"block={self.block >> 10}k is a size of squashfs's blocks; found "
                f"root={self.system}, whose blocks have one size; leave one out"
            )
        if self.order == "use" and not squashfs:
            raise UsageError(
                f"order={self.order} sorts the files of a squashfs; found root={self.system}; "
                "leave one out"
            )
        if self.order == "functions" and self.libraries != "musl":
            raise UsageError(
                "order=functions lays out a busybox that is linked here, by libraries=musl; "
                "choose that as well, or leave it out"
            )
        if self.module and self.init == "application":
            raise UsageError(
                f"drivers={self.drivers} has a script load the network card's driver; "
                "init=application starts none; leave one out"
            )
        if self.static and self.init == "parallel":
            raise UsageError(
                "init=parallel needs startpar, which Debian has linked with libc alone; "
                f"found libraries={self.libraries}; choose one"
            )
