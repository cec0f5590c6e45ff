# SPDX-License-Identifier: Apache-2.0
"""A board's kernel: built from Debian's source package and a fragment, or the user's own."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from perfboard.host.cache.cache import cached, hash_file, own_root
from perfboard.host.cache.entries import CCACHE
from perfboard.host.programs.command import failure, follow
from perfboard.images.flash.place import HEADER_SIZE
from perfboard.images.kbuild import COMPILED, VARIABLES, jobs, show_compiled
from perfboard.images.kernel.drivers import driver_files, hash_drivers
from perfboard.images.kernel.fragment import dropped_options, read_fragment
from perfboard.images.kernel.image import has_header, has_tree, is_kernel_for
from perfboard.images.kernel.modules import has_modules, keep_modules
from perfboard.images.kernel.needs import check_needs
from perfboard.images.kernel.system_map import check_map, read_map
from perfboard.images.kernel.tree import SOURCE, kernel_tree, source_inputs
from perfboard.images.packages.apt import AptState
from perfboard.model.board.architecture import Architecture, Need
from perfboard.model.errors import UsageError
from perfboard.model.progress import Progress, SilentProgress

# Raise it when the steps below change what comes out.
_RECIPE = "1"


def make_variables(arch: Architecture) -> dict[str, str]:
    """The environment variables of a kernel's build."""
    return {
        **_options(arch),
        # Kernels of one source that differ in a few options have most objects in common.
        "CCACHE_DIR": str(own_root() / CCACHE),
        "CCACHE_MAXSIZE": "2G",
        # The preprocessed source is compiled: that halves its own cost, next to the compiler's.
        "CCACHE_NOCPP2": "1",
    }


def _options(arch: Architecture) -> dict[str, str]:
    """Those variables that can change what comes out."""
    return {"ARCH": arch.kernel_arch, "CROSS_COMPILE": f"{arch.triplet}-", **VARIABLES}


def make_command(arch: Architecture) -> list[str]:
    """The command that builds a kernel, in its folder of objects."""
    return ["make", f"--file={SOURCE}/Makefile", f"CC=ccache {arch.triplet}-gcc"]


def build_kernel(
    arch: Architecture,
    packages: AptState,
    source: str,
    fragment: Path,
    progress: Progress,
    extra: Mapping[str, str] | None = None,
    distribution: Mapping[str, str] | None = None,
) -> Path:
    """The folder with the kernel of that source package and fragment, built where absent.

    Options of `extra` go over the fragment's. So do those of `distribution`, of which the kernel
    has as many as go with the rest. The folder holds the kernel under its
    architecture's name for it, vmlinux, System.map, config, and `modules` where it has any
    (`keep_modules`). Raises UsageError for a fragment that asks for what the kernel has not,
    as `command.failure` says where a step fails.
    """
    distribution = distribution or {}
    own = {n: value for n, value in read_fragment(fragment).items() if n not in distribution}
    wanted = {**own, **(extra or {})}
    inputs = {
        "recipe": _RECIPE,
        "make": " ".join([*make_command(arch), *(f"{n}={v}" for n, v in _options(arch).items())]),
        "fragment": "".join(f"{name}={value}\n" for name, value in wanted.items()),
        **source_inputs(arch, packages, source),
    }
    if distribution:
        inputs["distribution"] = "".join(f"{n}={value}\n" for n, value in distribution.items())

    drivers = driver_files(wanted)
    if drivers:
        inputs["drivers"] = hash_drivers(drivers)

    def build(folder: Path) -> None:
        with kernel_tree(arch, packages, source, wanted, progress) as objects:
            count = configure_kernel(arch, objects, fragment, wanted, progress, distribution)
            make_kernel(arch, objects, folder, count, progress)
            for product in (arch.kernel, "vmlinux", "System.map"):
                shutil.copyfile(objects / product, folder / Path(product).name)
            if has_modules(objects):
                keep_modules(objects, folder / "modules")
            shutil.copyfile(objects / ".config", folder / "config")

    return cached("kernel", inputs, build, progress)


def keep_kernel(
    arch: Architecture,
    file: Path,
    system_map: Path | None,
    progress: Progress,
    needs: tuple[Need, ...] = (),
) -> Path:
    """The folder with the user's own kernel, named as a built one, and its System.map if given.

    The copies stay as they are whatever becomes of the user's files. Raises UsageError as
    `check_kernel` does.
    """
    inputs = {"kernel": hash_file(file), "name": arch.kernel_name}
    inputs["needs"] = ", ".join(str(need) for need in needs)
    if system_map is not None:
        inputs["system_map"] = hash_file(system_map)

    def build(folder: Path) -> None:
        kept = folder / arch.kernel_name
        shutil.copyfile(file, kept)
        if system_map is not None:
            shutil.copyfile(system_map, folder / "System.map")
        check_kernel(arch, kept.read_bytes(), file, system_map, needs)

    return cached("own-kernel", inputs, build, progress)


def check_kernel(
    arch: Architecture,
    kernel: bytes,
    file: Path,
    system_map: Path | None,
    needs: tuple[Need, ...],
) -> None:
    """Raises UsageError for what is no kernel of that architecture, for a System.map of another
    kernel, and for a kernel without what it `needs`. It may have a header for U-Boot's `bootm`.

    `file` is where the kernel is from, for the message.
    """
    if arch.boot and has_header(kernel):
        if not is_kernel_for(arch, kernel):
            raise UsageError(
                f"{file}: has a header for U-Boot, by which it is no kernel for {arch.name}"
            )
        kernel = kernel[HEADER_SIZE:]
    elif not kernel.startswith(arch.magic, arch.magic_at):
        by = f"U-Boot's {arch.boot} starts, nor one with a header for its bootm"
        raise UsageError(
            f"{file}: is not a kernel for {arch.name} as {arch.kernel_name}, which is what "
            f"{by if arch.boot else 'the emulator starts'}"
        )
    if has_tree(kernel):
        raise UsageError(
            f"{file}: has a device tree after the kernel, which would take the place of the "
            "virtual machine's; give the zImage without it"
        )
    found = None
    if system_map is not None:
        found = read_map(system_map)
        check_map(found, kernel, str(system_map))
    check_needs(needs, kernel, found, str(file))


def configure_kernel(
    arch: Architecture,
    objects: Path,
    fragment: Path,
    wanted: Mapping[str, str],
    progress: Progress,
    distribution: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """Writes .config to a folder of objects, with the options `wanted`, most the fragment's.

    Those of `distribution` are for the rest, as far as they go with it.

    Returns how many files are to be compiled, by a dry run of make, or 0 where the progress
    is shown to nobody. Raises as `build_kernel` does.
    """
    compiled = 0
    variables = make_variables(arch)

    def count(line: str) -> bool:
        nonlocal compiled
        compiled += len(COMPILED.findall(line))
        return False

    asked = objects / "wanted.config"
    everything = {**distribution, **wanted}
    asked.write_text("".join(f"{name}={value}\n" for name, value in everything.items()))
    merge = f"{SOURCE}/scripts/kconfig/merge_config.sh"
    commands = (
        ("nothing", [*make_command(arch), "allnoconfig"]),
        ("the fragment", [merge, "-m", ".config", asked.name]),
        ("the rest", [*make_command(arch), "olddefconfig"]),
    )
    with progress.step("configuring the kernel", len(commands) + 1) as step:
        for done, (note, command) in enumerate(commands):
            step.update(done, note)
            outcome = follow(command, lambda line: False, folder=objects, variables=variables)
            if outcome.code:
                what = f"configuring the kernel: {' '.join(command)} failed"
                raise failure(what, outcome, objects)
        dropped = dropped_options(wanted, (objects / ".config").read_text())
        if dropped:
            raise UsageError(
                f"{fragment}: the kernel's configuration drops {', '.join(dropped)}; "
                "add the options that these depend on, or leave them out"
            )
        step.update(len(commands), "counting the files")
        # A dry run ends in an error, at the first thing that needs a built one. With what all
        # files need, that comes after them. An error there is the build's to tell.
        prepare = [*make_command(arch), f"--jobs={jobs()}", "prepare"]
        follow(prepare, lambda line: False, folder=objects, variables=variables)
        if isinstance(progress, SilentProgress):
            return 0
        dry = [*make_command(arch), "--dry-run", *_targets(arch, objects)]
        follow(dry, count, folder=objects, variables=variables)
    return compiled


def _targets(arch: Architecture, objects: Path) -> list[str]:
    return [arch.kernel_name, *(["modules"] if has_modules(objects) else [])]


def make_kernel(
    arch: Architecture, objects: Path, folder: Path, count: int, progress: Progress
) -> None:
    """Builds the kernel that is configured in a folder of objects, of `count` files to compile.

    `folder` is where the log is meanwhile. Raises as `command.failure` says where that fails.
    """
    log_file = folder / "make.log"
    with progress.step("building the kernel", count) as step, log_file.open("w") as log:
        variables = make_variables(arch)
        command = [*make_command(arch), f"--jobs={jobs()}", *_targets(arch, objects)]
        shown = show_compiled(step, count)
        outcome = follow(command, shown, folder=objects, variables=variables, log=log)
    if outcome.code:
        kept = own_root() / "logs" / f"kernel-{folder.stem}.log"
        kept.parent.mkdir(exist_ok=True)
        log_file.replace(kept)
        what = f"building the kernel failed (the whole output is in {kept})"
        raise failure(what, outcome, objects)
    log_file.unlink()
