# SPDX-License-Identifier: Apache-2.0
"""A board's image: what its emulator boots, and what is known of it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from perfboard.boards.loader import LoadedBoard
from perfboard.host.cache import cached, hash_file
from perfboard.host.tools import Use, require_tools
from perfboard.images.bootloader.device_tree import build_tree
from perfboard.images.bootloader.direct import build_start, start_marks
from perfboard.images.disk import check_disk_holds
from perfboard.images.disk import kernel_arguments as disk_kernel_arguments
from perfboard.images.flash.layout import (
    Devices,
    boot_command,
    bootloader_of,
    check_addresses,
    check_fits,
    environment_block,
    flash_devices,
    flash_of,
    kernel_arguments,
    write_banks,
)
from perfboard.images.flash.place import PLAIN, driven_banks, placed
from perfboard.images.kernel.build import build_kernel, keep_kernel
from perfboard.images.kernel.image import add_header, has_header, unpack_kernel
from perfboard.images.kernel.system_map import read_map
from perfboard.images.network import NETWORK_DRIVER, PROBED_DRIVER, network_arguments
from perfboard.images.packages.apt import AptState
from perfboard.images.recipe import Recipe
from perfboard.images.root.build import build_root, keep_file
from perfboard.images.root.filesystems import SYSTEMS, format_rest
from perfboard.images.variant import Variant
from perfboard.model.board.architecture import architecture_of
from perfboard.model.errors import UsageError
from perfboard.model.progress import Progress

# Where QEMU's firmware for x86 starts a kernel, in real mode; it need not copy it first.
_X86_ENTRY = 0x10200


@dataclass(frozen=True)
class Image:
    """What a virtual board boots.

    `banks` are the two flash banks, read-only and shared; where there are none, `root`
    is the content of the disk, and the emulator starts the kernel itself. `arguments` are the
    kernel's. `kernel_file` is what the bootloader starts; `entries` are the addresses that
    are reached at marks of the boot, by mark. `tree` is the machine's device tree, where that is
    not the emulator's own. `symbols` are the kernel's,
    by name, and empty where no System.map is to be had; `notes` say so, and whatever else
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
    tree: Path | None = None
    arguments: str = ""
    sizes: dict[str, int] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)


def build_image(variant: Variant, progress: Progress) -> Image:
    """The variant's image, built where the cache does not have it.

    Raises UsageError where the board or a file of its does not do, BuildError where a tool
    fails at it, and EnvironmentLacksError where this machine lacks a tool, a package or room.
    """
    loaded, recipe, board, timed = variant.loaded, variant.recipe, variant.board, variant.timed
    driver = PROBED_DRIVER if PROBED_DRIVER in recipe.options else NETWORK_DRIVER
    network = network_arguments(board.network, timed, driver)
    recipe = replace(recipe, arguments=(*network, *recipe.arguments))
    if board.flash is not None:
        check_addresses(board)
    architecture = architecture_of(board).name
    require_tools(tools_for(recipe), architecture)
    packages = AptState(architecture, progress)
    files = _own_files(loaded, progress)
    for name, file in files.items() if board.flash is not None else ():
        check_fits(board, name, file.stat().st_size)
    files |= _built_files(loaded, recipe, packages, progress, set(files))

    if board.flash is None:
        image = _on_disk(recipe, files, timed)
    else:
        image = _in_flash(recipe, files, progress)
    symbols, notes = _symbols(loaded, files["kernel"].with_name("System.map"))
    names = _package_names(recipe)
    if names and packages.lists_note:
        notes = (*notes, f"apt did not get all package lists: {packages.lists_note}")
    return replace(
        image,
        symbols=symbols,
        notes=(*image.notes, *notes),
        packages={name: packages.resolve(name).version for name in names},
    )


def _on_disk(recipe: Recipe, files: Mapping[str, Path], timed: bool) -> Image:
    board, disk = recipe.board, recipe.board.disk
    assert disk is not None  # noqa: S101 - the model demands it
    check_disk_holds(disk, files["root"].stat().st_size)
    return Image(
        banks=(),
        kernel_file=files["kernel"],
        entries=dict.fromkeys(("bootloader.main", "boot.command", "kernel.entry"), _X86_ENTRY),
        symbols={},
        notes=(
            "The board's own firmware is not modelled: boot.bootloader is that of the emulator, "
            "which finds the kernel in memory.",
        ),
        hashes={name: hash_file(file) for name, file in files.items()},
        packages={},
        root=files["root"],
        arguments=disk_kernel_arguments(board, disk, timed, recipe.arguments, recipe.root),
        sizes={name: file.stat().st_size for name, file in files.items()},
    )


def _in_flash(recipe: Recipe, files: Mapping[str, Path], progress: Progress) -> Image:
    board, place = recipe.board, recipe.place
    flash = flash_of(board)
    devices = flash_devices(driven_banks(board, place), recipe.root)
    header = SYSTEMS[recipe.root.system].header
    sizes = {name: file.stat().st_size for name, file in files.items()}
    tree = None
    if recipe.direct:
        environment, entries, variables = b"", start_marks(recipe), {}
        files = {**files, "bootloader": build_start(recipe, sizes["kernel"], devices, progress)}
    else:
        own = board.image.kernel.file is not None
        headed = recipe.headed or (own and has_header(files["kernel"].read_bytes()))
        variables = _variables(recipe, sizes, devices, headed)
        environment = environment_block(variables, flash.environment.size)
        if recipe.environment == "tree":
            environment = b""
            tree = build_tree(board.machine, variables, progress)
        entries = {"kernel.entry": bootloader_of(board).kernel_address}

    def build(folder: Path) -> None:
        parts = {name: file.read_bytes() for name, file in files.items()}
        if recipe.headed:
            parts["kernel"] = add_header(recipe, files["kernel"], progress)
        if header and flash.root is not None:
            parts["root"] = format_rest(parts["root"], flash.root.size, flash.sector, header)
        with progress.step("laying out the flash", 1):
            banks = write_banks(board, {**parts, "environment": environment}, folder)
            hashes = {name: hashlib.sha256(part).hexdigest() for name, part in parts.items()}
            hashes |= {path.stem: hash_file(path) for path in banks}
        (folder / "hashes.json").write_text(json.dumps(hashes))

    # A file of the cache is what its entry's name says: hashing it again tells no more.
    inputs = {name: f"{file.parent.name}/{file.name}" for name, file in files.items()}
    inputs["environment"] = hashlib.sha256(environment).hexdigest()
    inputs["flash"] = flash.model_dump_json()
    folder = cached("image", inputs, build, progress)
    return Image(
        banks=(folder / "bank0.bin", folder / "bank1.bin"),
        kernel_file=files["kernel"],
        entries=entries,
        symbols={},
        notes=(),
        hashes=json.loads((folder / "hashes.json").read_text())
        | ({"tree": hash_file(tree)} if tree is not None else {}),
        packages={},
        tree=tree,
        arguments=kernel_arguments(board, recipe.arguments, devices, recipe.root),
        sizes={name: file.stat().st_size for name, file in files.items()},
        variables=variables,
    )


def _variables(
    recipe: Recipe, sizes: Mapping[str, int], devices: Devices, headed: bool
) -> dict[str, str]:
    board, flash = recipe.board, flash_of(recipe.board)
    copied = recipe.copied and not headed
    in_memory = SYSTEMS[recipe.root.system].through == "memory"
    size = flash.kernel.size if recipe.whole else sizes["kernel"]
    return {
        "bootdelay": str(bootloader_of(board).delay),
        "bootcmd": boot_command(
            board,
            "bootm" if headed else architecture_of(board).boot,
            size if copied else None,
            sizes.get("initrd"),
            devices,
            recipe.copy,
            sizes["root"] if in_memory else None,
        ),
        # U-Boot would copy it once more, to the end of memory.
        **({"initrd_high": "ffffffffffffffff"} if in_memory else {}),
        # bootm would read all of the kernel for its checksum.
        **({"verify": "n"} if recipe.headed and not recipe.checked else {}),
        **bootloader_of(board).variables,
        "bootargs": kernel_arguments(board, recipe.arguments, devices, recipe.root),
        **recipe.variables,
    }


def tools_for(recipe: Recipe) -> set[Use]:
    """What the tools of this machine are wanted for by an image of that recipe."""
    image = recipe.board.image
    uses: set[Use] = {"packages"} if _package_names(recipe) else set()
    if image.kernel.file is None:
        uses.add("kernel")
    if recipe.compression != "gzip":
        uses.add("compression")
    if recipe.direct:
        uses.add("direct")
    if recipe.environment == "tree":
        uses.add("tree")
    if recipe.headed:
        uses.add("header")
    if image.root is not None and image.root.file is None:
        uses |= SYSTEMS[recipe.root.system].uses
        if recipe.root.libraries == "musl":
            uses.add("musl")
    return uses


def _package_names(recipe: Recipe) -> tuple[str, ...]:
    image = recipe.board.image
    names = [image.kernel.source]
    if image.bootloader is not None:
        names.insert(0, image.bootloader.package)
    if image.root is not None and image.root.file is None:
        names += (*image.root.packages, *recipe.root.packages)
    return tuple(name for name in names if name is not None)


def _own_files(loaded: LoadedBoard, progress: Progress) -> dict[str, Path]:
    """The parts that the user gives, copied to the cache, by name or region of flash."""
    image, arch = loaded.board.image, architecture_of(loaded.board)
    files: dict[str, Path] = {}
    if image.kernel.file is not None:
        system_map = image.kernel.system_map and loaded.file(image.kernel.system_map)
        kept = keep_kernel(arch, loaded.file(image.kernel.file), system_map, progress)
        files["kernel"] = kept / arch.kernel_name
    others = {"bootloader": image.bootloader, "root": image.root, "initrd": image.initrd}
    for name, part in others.items():
        if part is not None and part.file is not None:
            files[name] = keep_file(loaded.file(part.file), progress)
    return files


def _built_files(
    loaded: LoadedBoard,
    recipe: Recipe,
    packages: AptState,
    progress: Progress,
    given: set[str],
) -> dict[str, Path]:
    """The parts that are made by recipe, by name or region of flash; not those in `given`."""
    image = loaded.board.image
    arch = placed(architecture_of(recipe.board), recipe.place)
    files: dict[str, Path] = {}
    if image.bootloader is not None and "bootloader" not in given:
        assert image.bootloader.package is not None and image.bootloader.path is not None  # noqa: S101 - the model demands one origin
        unpacked = packages.unpack(image.bootloader.package).resolve()
        file = (unpacked / image.bootloader.path).resolve()
        if not file.is_file() or not file.is_relative_to(unpacked):
            raise UsageError(
                f"{loaded.path}: image.bootloader.path: package {image.bootloader.package} has no "
                f"file {image.bootloader.path}"
            )
        files["bootloader"] = keep_file(file, progress)
    modules = None
    if "kernel" not in given:
        assert image.kernel.source is not None and image.kernel.config is not None  # noqa: S101 - as above
        fragment = loaded.file(image.kernel.config)
        built = build_kernel(
            arch, packages, image.kernel.source, fragment, progress, recipe.options
        )
        modules = built if recipe.root.module else None
        if recipe.place == PLAIN:
            built = unpack_kernel(arch, built, progress)
        files["kernel"] = built / arch.kernel_name
    if image.root is not None and "root" not in given:
        files["root"] = build_root(arch, packages, recipe.board, recipe.root, progress, modules)
    return files


def _symbols(loaded: LoadedBoard, system_map: Path) -> tuple[dict[str, int], tuple[str, ...]]:
    precision = "the kernel's marks come from the console and the kernel log, with less precision"
    if not system_map.exists():
        return {}, (f"no System.map is given: {precision}",)
    symbols = read_map(system_map).addresses
    if not symbols:
        given = loaded.board.image.kernel.system_map
        return {}, (f"{given} is Debian's stand-in for the System.map: {precision}",)
    return symbols, ()
