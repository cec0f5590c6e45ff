# SPDX-License-Identifier: Apache-2.0
"""Our drivers as modules for a kernel of the user's own, by its headers or its build tree."""

import os
import platform
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from perfboard.binaries.probe_build import ARCHITECTURES as MACHINES
from perfboard.host.files.scratch import scratch_folder
from perfboard.host.programs.command import failure, follow
from perfboard.host.programs.native import native_folder
from perfboard.images.kernel.drivers import driver_files
from perfboard.model.board.architecture import ARCHITECTURES
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.progress import Progress
from perfboard.model.text import nearest

_PREFIX = "perfboard_"
_ARCHITECTURE = re.compile(r"^# Linux/(\w+) (\S+) Kernel Configuration$", re.MULTILINE)
_COMPILER = re.compile(r'^CONFIG_CC_VERSION_TEXT="(\S+?)gcc(-[\d.]+)? ', re.MULTILINE)
_OPTION = re.compile(r"^(CONFIG_\w+)=(.*)$", re.MULTILINE)
_DEPENDS = re.compile(r"^\s*depends on (.+)$", re.MULTILINE)
# `make modules_prepare` leaves it, and a distribution's headers have it.
_MAGIC = re.compile(rb"\0vermagic=([^\0 ]+)")
_PREPARED = "scripts/mod/modpost"
_RELEASE = "include/config/kernel.release"


@dataclass(frozen=True)
class KernelTree:
    """A kernel that modules can be built for; `arch` is its own name, `compiler` a prefix."""

    folder: Path
    release: str
    arch: str
    compiler: str
    options: Mapping[str, str]


def module_names() -> list[str]:
    """The drivers that can be modules, without their common beginning."""
    kconfigs = native_folder("kernel").glob("*.Kconfig")
    return sorted(p.stem.removeprefix(_PREFIX) for p in kconfigs if "tristate" in p.read_text())


def usual_tree() -> Path:
    """The folder of the running kernel's headers, if they are installed."""
    return Path("/lib/modules") / platform.release() / "build"


def read_tree(folder: Path) -> KernelTree:
    """The kernel whose headers or build tree `folder` is.

    Raises UsageError for another folder, for one that is not prepared, and for a kernel
    without modules.
    """
    if not (folder / "Makefile").is_file():
        raise UsageError(
            f"{folder}: is no kernel's build tree; name the folder of its headers, such as "
            "/lib/modules/RELEASE/build (package linux-headers-RELEASE), or where it was built"
        )
    config, release = folder / ".config", folder / _RELEASE
    if not config.is_file() or not release.is_file() or not (folder / _PREPARED).exists():
        raise UsageError(
            f"{folder}: is not prepared for modules; build the kernel there, or run "
            f"`make -C {folder} modules_prepare` with its .config"
        )
    text = config.read_text(errors="replace")
    options = dict(_OPTION.findall(text))
    if options.get("CONFIG_MODULES") != "y":
        raise UsageError(f"{folder}: this kernel has no modules (CONFIG_MODULES); build one with")
    named = _ARCHITECTURE.search(text)
    arch = _kernel_arch(named[1]) if named else ""
    return KernelTree(
        folder=folder.absolute(),
        release=release.read_text().strip(),
        arch=arch,
        compiler=os.environ.get("CROSS_COMPILE") or _compiler(text, arch),
        options=options,
    )


def _kernel_arch(machine: str) -> str:
    """The kernel's name for what a configuration, or `uname -m`, calls so."""
    known = (each for each in MACHINES.values() if re.fullmatch(each.names, machine))
    return next((each.kernel for each in known), machine)


def _compiler(config: str, arch: str) -> str:
    """The beginning of the compiler's name, as the kernel was configured with it.

    A kernel that was built on a machine of its own kind names none: then it is Debian's.
    """
    named = _COMPILER.search(config)
    prefix = named[1].rpartition("/")[2] if named else ""
    if prefix or not arch or arch == _kernel_arch(platform.machine()):
        return prefix
    triplets = (each.triplet for each in ARCHITECTURES if each.kernel_arch == arch)
    return next((f"{triplet}-" for triplet in triplets), "")


def build_module(name: str, tree: KernelTree, into: Path, progress: Progress) -> tuple[Path, str]:
    """Builds the driver as a module for that kernel, and puts it into the folder `into`.

    Returns its file, and the release of the kernel that loads it.

    Raises UsageError for a driver that is none, or that needs what the kernel has not,
    EnvironmentLacksError where a tool is missing, as `command.failure` says where it fails.
    """
    known = module_names()
    if name not in known:
        raise UsageError(
            f'there is no module "{name}"{nearest(name, known)} There are: {", ".join(known)}'
        )
    option = f"CONFIG_{_PREFIX.upper()}{name.upper()}"
    files = driver_files({option: "m"})
    lacking = _lacking(files, tree.options)
    if lacking:
        raise UsageError(
            f"perfboard_{name} needs {', '.join(lacking)}, which kernel {tree.release} has not; "
            "build that kernel with it"
        )
    for program in ("make", f"{tree.compiler}gcc"):
        if shutil.which(program) is None:
            raise EnvironmentLacksError(
                f"{program} is missing, which kernel {tree.release} is built by; install it, or "
                "set CROSS_COMPILE to the beginning of another compiler's name"
            )
    with scratch_folder() as folder, progress.step(f"building perfboard_{name}", 1):
        for path in files:
            if path.suffix != ".Kconfig":
                shutil.copyfile(path, folder / path.name)
        (folder / "Kbuild").write_text(f"obj-m := perfboard_{name}.o\n")
        command = ["make", "-C", str(tree.folder), f"M={folder}", "modules"]
        # The kernel's types for BPF, which a module may lack; pahole is seldom installed.
        if shutil.which("pahole") is None:
            command.append("CONFIG_DEBUG_INFO_BTF_MODULES=")
        variables = {"CROSS_COMPILE": tree.compiler}
        if tree.arch:
            variables["ARCH"] = tree.arch
        outcome = follow(command, lambda line: False, folder=folder, variables=variables)
        if outcome.code:
            what = f"building perfboard_{name} for {tree.release} failed"
            raise failure(what, outcome, folder)
        target = into / f"perfboard_{name}.ko"
        try:
            shutil.copyfile(folder / target.name, target)
        except OSError as error:
            raise EnvironmentLacksError(f"cannot write {target}: {error.strerror}") from error
    magic = _MAGIC.search(target.read_bytes())
    return target, magic[1].decode(errors="replace") if magic else tree.release


def _lacking(files: tuple[Path, ...], options: Mapping[str, str]) -> list[str]:
    """The options that a driver depends on, and the kernel has neither built in nor as modules."""
    kconfig = next(path for path in files if path.suffix == ".Kconfig")
    wanted = [
        f"CONFIG_{name.strip()}"
        for words in _DEPENDS.findall(kconfig.read_text())
        for name in words.split("&&")
    ]
    return [option for option in wanted if options.get(option) not in ("y", "m")]
