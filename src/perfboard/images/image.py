# SPDX-License-Identifier: Apache-2.0
"""A board's image: what its emulator boots, and what is known of it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from perfboard.boards.loader import LoadedBoard
from perfboard.host.cache.cache import cached, hash_file
from perfboard.host.programs.tools import Use, require_tools
from perfboard.images.bootloader.device_tree import build_tree, settings
from perfboard.images.bootloader.direct import build_start, start_marks
from perfboard.images.debian.build import build_debian_root
from perfboard.images.disk import check_disk_holds, disk_arguments
from perfboard.images.disk import kernel_arguments as disk_kernel_arguments
from perfboard.images.flash.layout import (
    Devices,
    boot_command,
    check_addresses,
    check_fits,
    environment_block,
    flash_devices,
    kernel_arguments,
    write_banks,
)
from perfboard.images.flash.place import HEADER_SIZE, PLAIN, driven_banks, placed
from perfboard.images.hwcap import hwcap_arguments, hwcap_options
from perfboard.images.kernel.build import build_kernel
from perfboard.images.kernel.distribution import distribution_options
from perfboard.images.kernel.image import add_header, has_header, unpack_kernel
from perfboard.images.kernel.system_map import read_map
from perfboard.images.network import NETWORK_DRIVER, PROBED_DRIVER, network_arguments
from perfboard.images.own_files import keep_own_files
from perfboard.images.packages.apt import AptState
from perfboard.images.recipe import Recipe
from perfboard.images.root.build import build_root, has_reference, keep_file
from perfboard.images.root.filesystems import SYSTEMS, format_rest
from perfboard.images.root.recipe import Debian
from perfboard.images.variant import Variant
from perfboard.model.board.image import (
    DebianBootloader,
    FlashImage,
    ReferenceRoot,
)
from perfboard.model.board.kernel import BuiltKernel, OwnKernel
from perfboard.model.board.virtual import DiskBoard, FlashBoard
from perfboard.model.errors import UsageError
from perfboard.model.progress import Progress

# The marks of a kernel that the emulator itself starts.
_AT_ENTRY = ("bootloader.main", "boot.command", "kernel.entry")
_IN_FLASH = (
    "The bootloader reads the kernel from the board's medium. The root file system lies in flash "
    "that is as fast as memory, since only a kernel that is built here has the medium's driver.",
)
# U-Boot maps its memory by such sections, and runs at the end of it.
_SECTION = 2 << 20
# For a program that is handed to the board after the root file system.
_ROOM = 1 << 20


@dataclass(frozen=True)
class Image:
    """The image that a virtual board boots.

    `banks` are the two flash banks, read-only and shared; where there are none, `root` is the
    content of the disk, and the emulator starts the kernel itself. `arguments` are the kernel's.
    `kernel_file` is what the bootloader starts; `entries` are the addresses that are reached at
    marks of the boot, by mark. `tree` is the machine's device tree, where that is not the
    emulator's own. A card's root, and a disk of Debian's system, is `root` too; `disk_size` is how
    many bytes that disk has, and `medium_wait_ms` how long the bootloader waits for it.
    `symbols` are the
    kernel's, by name, and empty where no System.map is to be had; `notes` say so, and whatever else
    a reader of the results should know. `hashes` are SHA-256 sums by part, `sizes` bytes;
    `packages` versions by Debian package; `variables` U-Boot's.
    """

    banks: tuple[Path, ...]
    kernel_file: Path
    entries: dict[str, int]
    symbols: dict[str, int]
    notes: tuple[str, ...]
    hashes: dict[str, str]
    packages: dict[str, str]
    root: Path | None = None
    disk_size: int = 0
    medium_wait_ms: float = 0.0
    tree: Path | None = None
    arguments: str = ""
    sizes: dict[str, int] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files to write to a board: its banks; or kernel, device tree, disk, if any."""
        files = self.banks or (self.kernel_file, self.tree, self.root)
        return tuple(file for file in files if file is not None)


def build_image(variant: Variant, progress: Progress) -> Image:
    """The variant's image, built where the cache does not have it.

    Raises UsageError where the board or a file of its does not do, BuildError where a tool
    fails at it, and EnvironmentLacksError where this machine lacks a tool, a package or room.
    """
    loaded, recipe, board, timed = variant.loaded, variant.recipe, variant.board, variant.timed
    driver = PROBED_DRIVER if PROBED_DRIVER in recipe.options else NETWORK_DRIVER
    network = network_arguments(board.network, timed, driver)
    disk: tuple[str, ...] = ()
    if recipe.root.debian and board.disk is not None:
        disk = disk_arguments(board.disk, board.machine.ram_end, timed)
    hidden = hwcap_arguments(board)
    recipe = replace(recipe, arguments=(*network, *disk, *hidden, *recipe.arguments))
    recipe = recipe.with_options(hwcap_options(board))
    if isinstance(board, FlashBoard):
        check_addresses(board)
    architecture = board.machine.architecture.name
    require_tools(tools_for(recipe), architecture)
    packages = AptState(architecture, progress)
    files = keep_own_files(loaded, progress)
    if isinstance(board, FlashBoard):
        for name, file in files.items():
            check_fits(board, name, file.stat().st_size)
    files |= _built_files(loaded, recipe, packages, progress)

    if isinstance(board, FlashBoard):
        image = _in_flash(recipe, board, files, timed, progress)
        if recipe.root.debian:
            image = _with_debian(image, board, recipe.root.debian, packages, progress)
    else:
        image = _on_disk(recipe, board, files, timed)
    symbols, notes = _symbols(loaded, files["kernel"].with_name("System.map"))
    names = _package_names(recipe)
    if names:
        notes = (*notes, *packages.notes)
    return replace(
        image,
        symbols=symbols,
        notes=(*image.notes, *notes),
        packages={
            **image.packages,
            **{name: packages.resolve(name).version for name in names},
        },
    )


def _with_debian(
    image: Image, board: FlashBoard, debian: Debian, packages: AptState, progress: Progress
) -> Image:
    """The image with Debian's system on the board's disk."""
    more = board.image.debian.packages
    root = build_debian_root(packages, board, image.kernel_file, debian, more, progress)
    size = root.image.stat().st_size
    if board.disk is not None:
        check_disk_holds(board.disk, size)
    return replace(
        image,
        root=root.image,
        disk_size=board.disk.size if board.disk else 0,
        hashes={**image.hashes, "disk": hash_file(root.image)},
        sizes={**image.sizes, "disk": size},
        packages={package.name: package.version for package in root.packages},
    )


def _on_disk(recipe: Recipe, board: DiskBoard, files: Mapping[str, Path], timed: bool) -> Image:
    check_disk_holds(board.disk, files["root"].stat().st_size)
    return Image(
        banks=(),
        kernel_file=files["kernel"],
        entries=dict.fromkeys(_AT_ENTRY, board.machine.architecture.entry),
        symbols={},
        notes=(
            "The board's own firmware is not modelled: boot.bootloader is that of the emulator, "
            "which finds the kernel in memory.",
        ),
        hashes={name: hash_file(file) for name, file in files.items()},
        packages={},
        root=files["root"],
        disk_size=board.disk.size,
        arguments=disk_kernel_arguments(board, timed, recipe.arguments, recipe.root),
        sizes={name: file.stat().st_size for name, file in files.items()},
    )


def _in_flash(
    recipe: Recipe,
    board: FlashBoard,
    files: Mapping[str, Path],
    timed: bool,
    progress: Progress,
) -> Image:
    """The bootloader in flash, with the rest, or with the root on the board's card."""
    flash, card = board.flash, recipe.card
    # A root of the user's own stays in flash: their kernel has no driver of ours.
    driven = card is not None and (has_reference(board) or board.image.root is None)
    devices = () if driven else flash_devices(driven_banks(board, recipe.place), recipe.root)
    notes = _IN_FLASH if card and not driven else ()
    sizes = {name: file.stat().st_size for name, file in files.items()}
    tree, root, disk_size, wait_ms = None, None, 0, 0.0
    own_command = "bootcmd" in {*board.image.bootloader.variables, *recipe.variables}
    if timed and card and card.ready and not recipe.direct and not own_command:
        wait_ms = card.ready.after_ms
    if card and driven and "root" in files and SYSTEMS[recipe.root.system].through == "block":
        root = files["root"]
        files = {name: file for name, file in files.items() if name != "root"}
        disk_size = -(-(sizes["root"] + _ROOM) // _SECTION) * _SECTION
        check_disk_holds(card, disk_size)
        first = card.model_copy(update={"size": disk_size})
        words = disk_arguments(first, board.machine.ram_end, timed)
        recipe = replace(recipe, arguments=(*words, *recipe.arguments))
    if recipe.direct:
        environment, entries, variables = b"", start_marks(recipe), {}
        files = {**files, "bootloader": build_start(recipe, sizes["kernel"], devices, progress)}
    else:
        own = isinstance(board.image.kernel, OwnKernel)
        headed = recipe.headed or (own and has_header(files["kernel"].read_bytes()))
        variables = _variables(recipe, board, sizes, devices, headed, wait_ms)
        environment = environment_block(variables, flash.environment.size)
        if recipe.environment == "tree":
            environment = b""
            tree = build_tree(board.machine, settings(variables), progress)
        entries = {"kernel.entry": board.image.bootloader.kernel_address}

    def build(folder: Path) -> None:
        parts = {name: file.read_bytes() for name, file in files.items()}
        if recipe.headed:
            parts["kernel"] = add_header(recipe, files["kernel"], progress)
        if "root" in parts and flash.root is not None:
            parts["root"] = format_rest(parts["root"], flash.root.size, flash.sector)
        with progress.step("laying out the flash", 1):
            banks = write_banks(board, {**parts, "environment": environment}, folder)
            hashes = {name: hashlib.sha256(part).hexdigest() for name, part in parts.items()}
            hashes |= {path.stem: hash_file(path) for path in banks}
        (folder / "hashes.json").write_text(json.dumps(hashes))

    # A file of the cache is what its entry's name says: hashing it again tells no more.
    inputs = {name: f"{file.parent.name}/{file.name}" for name, file in files.items()}
    inputs["environment"] = hashlib.sha256(environment).hexdigest()
    inputs["flash"] = flash.model_dump_json()
    inputs["headed"] = str(recipe.headed)
    folder = cached("image", inputs, build, progress)
    return Image(
        banks=(folder / "bank0.bin", folder / "bank1.bin"),
        kernel_file=files["kernel"],
        entries=entries,
        symbols={},
        notes=notes,
        hashes=json.loads((folder / "hashes.json").read_text())
        | ({"tree": hash_file(tree)} if tree is not None else {})
        | ({"disk": hash_file(root)} if root is not None else {}),
        packages={},
        root=root,
        disk_size=disk_size,
        medium_wait_ms=wait_ms,
        tree=tree,
        arguments=kernel_arguments(board, recipe.arguments, devices, recipe.root),
        sizes={name: file.stat().st_size for name, file in files.items()},
        variables=variables,
    )


def _variables(
    recipe: Recipe,
    board: FlashBoard,
    sizes: Mapping[str, int],
    devices: Devices,
    headed: bool,
    wait_ms: float,
) -> dict[str, str]:
    bootloader, flash, card = board.image.bootloader, board.flash, recipe.card
    # Code of a card is read before anything looks at it.
    copied = (recipe.copied and not headed) or card is not None
    in_memory = SYSTEMS[recipe.root.system].through == "memory"
    size = flash.kernel.size if recipe.whole else sizes["kernel"] + HEADER_SIZE * recipe.headed
    return {
        "bootdelay": str(bootloader.delay),
        "bootcmd": boot_command(
            board,
            "bootm" if headed else board.machine.architecture.boot,
            size if copied else None,
            sizes.get("initrd"),
            devices,
            recipe.copy,
            sizes["root"] if in_memory else None,
            staged=headed,
            wait_ms=wait_ms,
        ),
        # U-Boot would copy it once more, to the end of memory.
        **({"initrd_high": "ffffffffffffffff"} if in_memory else {}),
        # bootm would read all of the kernel for its checksum.
        **({"verify": "n"} if recipe.headed and not recipe.checked else {}),
        **bootloader.variables,
        "bootargs": kernel_arguments(board, recipe.arguments, devices, recipe.root),
        **recipe.variables,
    }


def tools_for(recipe: Recipe) -> set[Use]:
    """The uses of this machine's tools that an image of that recipe needs."""
    image = recipe.board.image
    uses: set[Use] = {"packages"} if _package_names(recipe) else set()
    if isinstance(image.kernel, BuiltKernel):
        uses.add("kernel")
    if recipe.compression != "gzip":
        uses.add("compression")
    if recipe.direct:
        uses.add("direct")
    if recipe.environment == "tree":
        uses.add("tree")
    if recipe.headed:
        uses.add("header")
    if recipe.root.debian:
        uses |= {"packages", "debian", recipe.root.debian.system}
    elif isinstance(image.root, ReferenceRoot):
        uses |= SYSTEMS[recipe.root.system].uses
        if recipe.root.libraries == "musl":
            uses.add("musl")
    return uses


def _package_names(recipe: Recipe) -> tuple[str, ...]:
    names: list[str] = []
    for _, part in sorted(recipe.board.image):
        if isinstance(part, DebianBootloader):
            names.append(part.package)
        elif isinstance(part, BuiltKernel):
            names.append(part.source)
        elif isinstance(part, ReferenceRoot) and not recipe.root.debian:
            names += (*part.packages, *recipe.root.packages)
    return tuple(names)


def _built_files(
    loaded: LoadedBoard,
    recipe: Recipe,
    packages: AptState,
    progress: Progress,
) -> dict[str, Path]:
    """The parts that are made by recipe, by name or region of flash."""
    image = loaded.board.image
    arch = placed(recipe.board.machine.architecture, recipe.place)
    files: dict[str, Path] = {}
    bootloader = image.bootloader if isinstance(image, FlashImage) else None
    if isinstance(bootloader, DebianBootloader):
        unpacked = packages.unpack(bootloader.package).resolve()
        file = (unpacked / bootloader.path).resolve()
        if not file.is_file() or not file.is_relative_to(unpacked):
            raise UsageError(
                f"{loaded.path}: image.bootloader.path: package {bootloader.package} has no "
                f"file {bootloader.path}"
            )
        files["bootloader"] = keep_file(file, progress)
    modules = None
    if isinstance(image.kernel, BuiltKernel):
        fragment = loaded.file(image.kernel.config)
        source = image.kernel.source
        theirs = distribution_options(recipe, packages, source)
        built = build_kernel(arch, packages, source, fragment, progress, recipe.options, theirs)
        modules = built if recipe.root.module else None
        if recipe.place == PLAIN:
            built = unpack_kernel(arch, built, progress)
        files["kernel"] = built / arch.kernel_name
    if isinstance(image.root, ReferenceRoot) and not recipe.root.debian:
        files["root"] = build_root(
            arch, packages, recipe.board, image.root, recipe.root, progress, modules
        )
    return files


def _symbols(loaded: LoadedBoard, system_map: Path) -> tuple[dict[str, int], tuple[str, ...]]:
    precision = "the kernel's marks come from the console and the kernel log, with less precision"
    if not system_map.exists():
        return {}, (f"no System.map is given: {precision}",)
    symbols = read_map(system_map).addresses
    if not symbols:
        kernel = loaded.board.image.kernel
        given = kernel.system_map if isinstance(kernel, OwnKernel) else system_map
        return {}, (f"{given} is Debian's stand-in for the System.map: {precision}",)
    return symbols, ()
