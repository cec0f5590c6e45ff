# SPDX-License-Identifier: Apache-2.0
"""The image for trying one command: a kernel, packages, and the command's files.

They lie in memory that the kernel is not given: the board's flash is too small for most
packages, and the emulator's own disks answer when its host does, so that no two runs would
be the same. The packages can lie on the board's modelled disk instead.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from perfboard.binaries.probe import find_binary
from perfboard.host.programs.tools import require_tools
from perfboard.images.disk import disk_arguments
from perfboard.images.hwcap import hwcap_arguments, hwcap_options
from perfboard.images.kernel.build import build_kernel
from perfboard.images.kernel.distribution import distribution_options
from perfboard.images.kernel.fragment import read_fragment
from perfboard.images.kernel.system_map import SystemMap, read_map
from perfboard.images.network import network_arguments
from perfboard.images.packages.apt import AptState
from perfboard.images.packages.root import (
    LARGE_BLOCKS,
    SHORT_BLOCKS,
    SMALL_BLOCKS,
    PackageRoot,
    build_package_root,
    largest,
    squash_files,
)
from perfboard.images.program.framebuffer import framebuffer_tree
from perfboard.images.program.pushed import entries, size_of
from perfboard.images.variant import Variant
from perfboard.model.board.kernel import BuiltKernel
from perfboard.model.board.virtual import FlashBoard, VirtualBoard
from perfboard.model.errors import UsageError
from perfboard.model.progress import Progress
from perfboard.model.units import format_size

FOLDER = "/work"
_FRAGMENT = Path(__file__).parent / "try.config"
_MIB = 1 << 20
# The emulator puts the board's device tree no further into memory than this.
_LEAST_OFFSET = 256 * _MIB
# A 32-bit kernel maps it all at once, in the addresses that its own memory leaves. Measured with
# 64, 256, 512, 760 and 1024 MiB of memory: the kernel boots with 838 MiB of both together, and
# does not with 840; of its own memory it maps 760 MiB at most.
_ADDRESSES = 830 * _MIB
_MOST_OWN = 760 * _MIB
_MOST_FILES = 512 * _MIB
# The kernel maps a larger disk by a window (native/kernel/perfboard_disk.c).
_WHOLE_DISK = 32 * _MIB
_WINDOW = 2 * _MIB
# Below the addresses of the machines' devices.
_MOST_MEMORY = 3 << 30
_MOST_OUTPUT = 16 * _MIB
_LITTLE = 48 * _MIB
_MOST_COMMAND = 1 << 20
# Packages that an error names.
_LARGEST = 5
# native/probe/run/trial.h
MOST_WORDS = 4096
_PAGE = 4096
# System calls that do nothing for a process without a terminal, by architecture.
_MARKS = ("sys_vhangup", "__arm64_sys_vhangup", "__ia32_sys_vhangup", "__x64_sys_vhangup")


@dataclass(frozen=True)
class ProgramJob:
    """A command, the user's files and folders for its folder, and its time limit.

    `without` are packages, or patterns of their names, that others depend on, and that are
    left out. `architecture` is Debian's whose packages are taken; "": the board's. `input` is the
    command's standard input; None: nothing. `from_disk` puts the packages on the
    board's disk, if it has one. `screen` has the scope look at the screen that a program shows it.
    `pages` is the folder whose files the far end of the board's network serves, over TLS too where
    the folder `authority` has its certificate. `framebuffer` has the kernel find the board's own.
    """

    command: tuple[str, ...]
    packages: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    limit_s: float = 600.0
    input: Path | None = None
    without: tuple[str, ...] = ()
    architecture: str = ""
    from_disk: bool = False
    screen: bool = False
    pages: Path | None = None
    authority: Path | None = None
    framebuffer: bool = False

    def size(self, most: int) -> int:
        """The bytes of its files, and of what the command reads; not counted beyond `most`."""
        own = self.input.stat().st_size if self.input else 0
        return own + size_of(self.files, most)


@dataclass(frozen=True)
class TrialBase:
    """The kernel and packages with which a board can try any command.

    `flash_devices` is how many the kernel makes of the board's own flash. `tree` is the board's
    device tree where the emulator's own does not do.
    """

    kernel: Path
    symbols: SystemMap
    root: PackageRoot
    packages: dict[str, str]
    notes: tuple[str, ...]
    flash_devices: int
    tree: Path | None = None

    @property
    def mark(self) -> int:
        """The kernel's address that is reached when the command begins, ends, and is done."""
        return next(self.symbols.addresses[n] for n in _MARKS if n in self.symbols.addresses)

    @property
    def screen(self) -> tuple[int, int]:
        """The kernel's addresses of a call of fchown, and of where the processor idles."""
        return self.symbols.addresses["ksys_fchown"], self.symbols.addresses["arch_cpu_idle"]

    @property
    def counts(self) -> tuple[int, int] | None:
        """The addresses of the names and the values of the kernel's counts of pages."""
        names, values = (self.symbols.addresses.get(n) for n in ("vmstat_text", "vm_node_stat"))
        return None if names is None or values is None else (names, values)


@dataclass(frozen=True)
class TrialLayout:
    """The places in physical memory; sizes are multiples of 1 MiB.

    `ram` is where the board's memory begins; `disk` is the size of its disk, or 0. `root` is 0
    where the packages are on that.
    """

    ram: int
    base: int
    root: int
    job: int
    results: int
    disk: int = 0

    @property
    def results_base(self) -> int:
        """The address of the results' first byte."""
        return self.base + self.root + self.job

    @property
    def disk_base(self) -> int:
        """The address of the disk's first byte, after all that is the trial's own."""
        return self.results_base + self.results

    @property
    def end(self) -> int:
        """The first address beyond."""
        return self.disk_base + self.disk

    def arguments(self) -> list[str]:
        """The kernel's arguments for it."""
        size = self.disk_base - self.base
        parts = ((self.root, "root"), (self.job, "job"), (self.results, "results"))
        named = ",".join(f"{length // 1024}k({name})" for length, name in parts if length)
        return [f"phram.phram=try,{self.base:#x},{size:#x}", f"mtdparts=try:{named}"]


def check_job(job: ProgramJob, board: VirtualBoard) -> None:
    """Raises UsageError for a command or a file that no board could be given."""
    if not job.command:
        raise UsageError("there is no command to try; write it after --, as in -- ls -l")
    if sum(len(os.fsencode(word)) + 2 for word in job.command) > _MOST_COMMAND // 2:
        raise UsageError("the command is longer than half a megabyte; put it into a script")
    if len(job.command) > MOST_WORDS:
        raise UsageError(
            f"the command has {len(job.command):,} words, and a board takes {MOST_WORDS:,}; put "
            "it into a script, or what they name into a file that the command reads"
        )
    if any("\0" in word for word in job.command):
        raise UsageError("the command has a NUL in it, which no program can be given")
    own = board.machine.architecture
    if job.architecture and job.architecture not in own.older:
        raise UsageError(
            f"--architecture {job.architecture}: board {board.name} has "
            f"{' and '.join(own.older) or 'none'} besides its own, {own.name}"
        )
    if (largest := lay_out(board, _MOST_FILES, 0)).end - largest.ram > _MOST_MEMORY:
        raise UsageError(
            f"disk.size: board {board.name} has no addresses for a disk of "
            f"{format_size(largest.disk)}; make it smaller"
        )
    check_room(board, "the pushed files and standard input", job.size(room_of(board)))


def room_of(board: VirtualBoard) -> int:
    """How many bytes the board can be given."""
    if board.machine.architecture.bits == 64:
        return _MOST_FILES
    empty = lay_out(board, 0, 0)
    # Root and files are rounded up.
    mapped = empty.disk if empty.disk <= _WHOLE_DISK else _WINDOW
    others = empty.disk_base - empty.base + mapped + 2 * _MIB
    return min(_MOST_FILES, _ADDRESSES - min(_whole(board.machine.ram), _MOST_OWN) - others)


def check_room(board: VirtualBoard, what: str, size: int, help: str = "") -> None:
    """Raises UsageError where the board cannot be given that many bytes; `help` ends its words."""
    room = room_of(board)
    if size > room:
        raise UsageError(
            f"{what} have {format_size(size)}, and board {board.name} can be given "
            f"{format_size(room)}; leave something out{help}"
        )


def build_trial_base(variant: Variant, job: ProgramJob, progress: Progress) -> TrialBase:
    """Kernel and packages, built where the cache does not have them.

    Raises UsageError where the board or a package does not do, EnvironmentLacksError where
    this machine lacks a tool, a package or room.
    """
    loaded, recipe = variant.loaded, variant.recipe
    board = loaded.board
    arch = board.machine.architecture
    require_tools({"packages", "kernel", "root"}, arch.name)
    kernel = board.image.kernel
    if not isinstance(kernel, BuiltKernel):
        raise UsageError(
            f"board {board.name} has a kernel of its own (image.kernel.file); a command can be "
            "tried where image.kernel has `source` and `config`, so that what a trial needs can "
            "be added"
        )
    state = AptState(job.architecture or arch.name, progress)
    probe = find_binary(arch.probe, progress)
    on_disk = job.from_disk and board.disk is not None
    blocks = f"{read_ahead(variant.board)}K" if on_disk else SMALL_BLOCKS
    root = build_package_root(state, job.packages, probe, progress, job.without, blocks)
    size = (0 if on_disk else root.image.stat().st_size) + job.size(room_of(board))
    if size > room_of(board):
        what = "the packages, what they depend on, the pushed files and standard input"
        sizes = [f"{name} ({format_size(n)})" for name, n in largest(root, state, _LARGEST)]
        more = f", as with --without NAME; the largest packages are {', '.join(sizes)}"
        check_room(board, what, size, more)
    fragment = loaded.file(kernel.config)
    needed = read_fragment(_FRAGMENT)
    # A slim kernel's options must not take away what a trial needs.
    extra = {**needed, **recipe.options, **hwcap_options(board), **needed}
    theirs = distribution_options(recipe, state, kernel.source)
    built = build_kernel(arch, state, kernel.source, fragment, progress, extra, theirs)
    options = {**read_fragment(fragment), **extra}
    return TrialBase(
        kernel=built / arch.kernel_name,
        symbols=read_map(built / "System.map"),
        root=root,
        packages={package.name: package.version for package in root.packages}
        | {kernel.source: state.resolve(kernel.source).version},
        notes=(*state.notes, *_left_out(root)),
        flash_devices=int(options.get("CONFIG_MTD_PHYSMAP_OF") == "y"),
        tree=framebuffer_tree(variant.board, progress) if job.framebuffer else None,
    )


def has_little_memory(board: VirtualBoard) -> bool:
    """Programs of a display fill the memory of such a board."""
    return board.machine.ram <= _LITTLE


def read_ahead(board: VirtualBoard) -> int:
    """How much is read of a file on its disk at once, in KiB.

    Sylpheed's start on 32 MiB took 94 s with 32, 64 s with 16 and 59 s with 8.
    """
    return SHORT_BLOCKS if has_little_memory(board) else LARGE_BLOCKS


def _left_out(root: PackageRoot) -> tuple[str, ...]:
    """The note on packages that were left out."""
    if not root.left_out:
        return ()
    return (
        f"Left out of the packages: {', '.join(root.left_out)}. A program that needs one of them "
        "fails.",
    )


def write_job(job: ProgramJob, board: VirtualBoard, image: Path) -> None:
    """Writes the squashfs that tells the board what to do, and has what the user gave."""
    words = [
        f"l{round(job.limit_s * 1e6)}",
        f"r{_output_room(board)}",
        f"d{FOLDER}",
        "vPATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/perfboard/bin",
        "vHOME=/root",
        *(f"w{word}" for word in job.command),
    ]
    files: dict[str, Path | bytes] = {
        "command": "".join(f"{word}\0" for word in words).encode(errors="surrogateescape")
    }
    files |= {f"files/{place}": path for place, path in entries(job.files)}
    if job.input is not None:
        files["input"] = job.input
    squash_files(files, image, ("files",))


def lay_out(board: VirtualBoard, root: int, job: int, from_disk: bool = False) -> TrialLayout:
    """The places of a root and a job; `root` and `job` are their sizes in bytes.

    The root may be `from_disk`, if there is one: that is as large as it takes.
    """
    offset = max(_whole(board.machine.ram), _LEAST_OFFSET)
    results = _whole(_PAGE + _output_room(board))
    ram = board.machine.ram_base
    disk = _whole(board.disk.trial_size) if board.disk else 0
    if disk and from_disk:
        disk, root = max(disk, _whole(root)), 0
    return TrialLayout(ram, ram + offset, _whole(root), _whole(job), results, disk)


def boot_arguments(
    board: VirtualBoard, layout: TrialLayout, flash_devices: int, timed: bool
) -> str:
    """The kernel's command line. `flash_devices` is how many the board's own flash makes."""
    ram = board.machine.ram
    if isinstance(board, FlashBoard) and board.framebuffer is not None:
        ram = board.framebuffer.address - board.machine.ram_base
    root = f"/dev/mtdblock{flash_devices}" if layout.root else "/dev/pbd"
    job, results = (flash_devices + bool(layout.root) + number for number in range(2))
    return " ".join(
        [
            f"console={board.console.device},{board.console.baud}",
            *("quiet", f"mem={ram // 1024}K"),
            *layout.arguments(),
            *_disk(board, layout, timed),
            *network_arguments(board.network, timed),
            *hwcap_arguments(board),
            *(f"root={root}", "ro", "rootfstype=squashfs"),
            *("init=/perfboard/probe", "--", "run", f"/dev/mtdblock{job}", f"/dev/mtd{results}"),
        ]
    )


def _disk(board: VirtualBoard, layout: TrialLayout, timed: bool) -> tuple[str, ...]:
    """The arguments for the board's disk, which has been there for long when a command starts."""
    if board.disk is None:
        return ()
    disk = board.disk.model_copy(update={"ready": None, "size": layout.disk})
    return disk_arguments(disk, layout.disk_base, timed)


def _output_room(board: VirtualBoard) -> int:
    return min(_MOST_OUTPUT, board.machine.ram // 8)


def _whole(size: int) -> int:
    return -(-size // _MIB) * _MIB
