# SPDX-License-Identifier: Apache-2.0
"""A Debian root file system: packages that a virtual board has configured in one untimed boot.

Their scripts run on the board's own processor, so this machine's kernel learns of no foreign
program. The boot counts instructions, as every boot that is not timed does: the same packages
give the same system.
"""

import json
import re
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from perfboard.host.cache.cache import cached, hash_file
from perfboard.host.files.sparse import copy_sparse
from perfboard.host.programs.command import failure, follow, run_tool
from perfboard.host.programs.sandbox import sandbox
from perfboard.images.debian.tree import CONFIGURE, SCRIPT, debian_tree
from perfboard.images.disk import disk_arguments
from perfboard.images.packages.apt import AptState, Package
from perfboard.images.packages.tree import found_in
from perfboard.images.root.recipe import Debian
from perfboard.images.root.writable import BLOCK, WRITABLE
from perfboard.model.board.disk import Disk
from perfboard.model.board.virtual import FlashBoard
from perfboard.model.progress import Progress

_MIB = 1 << 20
# The packages of a system that starts by itself, besides the essential ones. usr-is-merged takes
# the place of a package that would merge the folders now, and of Perl with it.
_ESSENTIAL = ("?essential", "usr-is-merged", "udev", "kmod", "iproute2", "procps")
_INITS = {
    "systemd": ("systemd-sysv", "libpam-systemd", "dbus"),
    "sysvinit": ("sysvinit-core",),
}
# The checker of the root, which comes before the first write. Without it System V init stops.
_CHECKS = {"ext4": "e2fsprogs", "f2fs": "f2fs-tools"}
_FILES = {
    "etc/fstab": "/dev/pbd / auto defaults 0 1\n",
    "etc/hostname": "board\n",
    "etc/hosts": "127.0.0.1 localhost board\n",
}
_SESSION = "umask 022\nmkdir root\ntar -xpf root.tar -C root\n"
# For the logs and states of what runs in it.
_ROOM = 48 * _MIB
_DONE = re.compile(r"perfboard-configure: (.*)")
_STEP = re.compile(r"Setting up (\S+) ")
_IMAGE = "disk.img"


@dataclass(frozen=True)
class DebianRoot:
    """The image of a disk that has the system of these packages."""

    image: Path
    packages: tuple[Package, ...]


def build_debian_root(
    packages: AptState,
    board: FlashBoard,
    kernel: Path,
    debian: Debian,
    more: tuple[str, ...],
    progress: Progress,
) -> DebianRoot:
    """The disk's file system with a Debian system, as `debian` says, and `more` packages.

    `kernel` is the board's, which has the disk's driver and what the packages ask for. Raises
    UsageError for packages that there are not, that do not go together, or that the board's disk
    does not hold; BuildError where one cannot be configured; EnvironmentLacksError where this
    machine lacks room.
    """
    chosen = packages.closure((*_ESSENTIAL, _CHECKS[debian.system], *_INITS[debian.init], *more))
    inputs = {
        "script": hash_file(SCRIPT),
        "init": debian.init,
        "system": debian.system,
        "packages": json.dumps([asdict(package) for package in chosen]),
        # Not the kernel's: a system that one of its kernels configured boots with any of them.
        "console": f"{board.console.device} {board.console.baud}",
        "machine": f"{board.machine.emulator} {board.machine.type} {board.machine.cpu}",
    }

    def build(folder: Path) -> None:
        image = folder / _IMAGE
        with progress.step("fetching Debian's packages", len(chosen)) as step:
            unpacked = {}
            for number, package in enumerate(chosen):
                step.update(number, package.name)
                unpacked[package.name] = packages.unpack(package.name)
        with progress.step("building Debian's root file system", 2) as step:
            debian_tree(unpacked, _FILES).write(folder / "root.tar")
            step.update(1)
            size = _size(unpacked.values())
            _make(debian.system, folder, image, size)
            shutil.rmtree(folder / "root")
            for name in ("root.tar", "times"):
                (folder / name).unlink(missing_ok=True)
        _configure(board, kernel, debian.system, image, len(chosen), progress)

    return DebianRoot(cached("debian", inputs, build, progress) / _IMAGE, chosen)


def _size(unpacked: Iterable[Path]) -> int:
    """The bytes of a file system with these files, and room for what runs in it."""
    blocks = sum(
        1 + path.lstat().st_size // BLOCK for folder in unpacked for _, path in found_in(folder)
    )
    return -(-(blocks * BLOCK * 5 // 4 + _ROOM) // _MIB) * _MIB


def _make(system: str, folder: Path, image: Path, size: int) -> None:
    """Makes the file system of the archive in `folder`."""
    script = _SESSION + WRITABLE[system]
    command = ["fakeroot", "--", "sh", "-e", "-c", script, "sh", image.name, f"{size // BLOCK}"]
    run_tool(command, folder)


def _configure(
    board: FlashBoard, kernel: Path, system: str, image: Path, count: int, progress: Progress
) -> None:
    """Boots the board once on the image, whose script configures the packages and ends the boot.

    The board's memory is a file meanwhile, and the disk its end.
    """
    memory, machine, size = image.with_name("memory"), board.machine, image.stat().st_size
    disk = disk_arguments(Disk(size=size), machine.ram_end, timed=False)
    console = f"{board.console.device},{board.console.baud}"
    arguments = (
        *(f"console={console}", "quiet", "panic=-1", f"mem={machine.ram // 1024}K", *disk),
        *("root=/dev/pbd", "rw", f"rootfstype={system}", f"init=/{CONFIGURE}"),
        *("--", board.console.device, str(board.console.baud)),
    )
    backend = f"memory-backend-file,id=ram,share=on,mem-path={memory},size={machine.ram + size}"
    command = [
        *("setpriv", "--pdeathsig", "KILL", machine.emulator),
        *("-M", f"{machine.type},memory-backend=ram", "-object", backend),
        *("-cpu", machine.cpu, "-m", f"{(machine.ram + size) // 1024}k"),
        *("-icount", f"shift={machine.icount_shift},sleep=off", "-rtc", "base=2010-01-01,clock=vm"),
        *("-display", "none", "-no-reboot", "-no-user-config", "-nodefaults", "-serial", "stdio"),
        *("-kernel", str(kernel), "-append", " ".join(arguments)),
        *sandbox(machine.emulator),
    ]
    copy_sparse(image, 0, memory, machine.ram, size)
    done = ""
    with progress.step("configuring Debian's packages on the board", count) as step:
        configured = 0

        def show(line: str) -> bool:
            nonlocal configured, done
            if match := _STEP.match(line):
                configured += 1
                step.update(min(configured, count), match[1])
            elif match := _DONE.match(line):
                done = match[1].strip()
            return False

        outcome = follow(command, show, folder=image.parent)
    if outcome.code or done != "done":
        raise failure(
            f"configuring Debian's packages failed ({done or 'no end'})", outcome, image.parent
        )
    image.unlink()
    copy_sparse(memory, machine.ram, image, 0, size)
    memory.unlink()
