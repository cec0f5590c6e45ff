# SPDX-License-Identifier: Apache-2.0
"""The probe's binaries, compiled for every architecture by the `ziglang` package's compiler.

The package's build hook calls this before anything that Perfboard depends on is installed:
nothing outside the standard library is imported.
"""

import hashlib
import os
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from perfboard.host.programs.children import run
from perfboard.model.errors import EnvironmentLacksError


class Machines(NamedTuple):
    """The machines of a binary: the compiler's target, the least processor, and `uname -m` there.

    `names` is a pattern of the latter, and `kernel` what the kernel's makefiles call them. Wider
    units (NEON, AVX) are used by loops that first ask the kernel whether the processor has
    them. Without NEON, another binary runs where `without_neon` names one.
    """

    target: str
    processor: str
    kernel: str
    names: str
    without_neon: str = ""


# The names of ARM end with its extensions and its byte order.
ARCHITECTURES = {
    "armv5te": Machines("arm-linux-musleabi", "arm926ej_s", "arm", r"armv(5te|6)\w*l"),
    # The parts without NEON have sixteen double registers, and the compiler's own library needs
    # NEON. armv8l is a 32-bit machine of a 64-bit kernel.
    "armv7": Machines(
        "arm-linux-musleabihf", "cortex_a8-neon-d32", "arm", r"armv[78]\w*l", without_neon="armv5te"
    ),
    "aarch64": Machines("aarch64-linux-musl", "generic", "arm64", "aarch64|arm64"),
    "i486": Machines("x86-linux-musl", "i486", "x86", "i[45]86"),
    "i686": Machines("x86-linux-musl", "i686", "x86", "i686"),
    "x86_64": Machines("x86_64-linux-musl", "x86_64", "x86", "x86_64|amd64"),
    "riscv64": Machines("riscv64-linux-musl", "baseline_rv64", "riscv", "riscv64"),
    # Floating point in software: most routers' processors have none in hardware.
    "mipsel": Machines("mipsel-linux-musl", "mips32+soft_float", "mips", "mips(64)?(el|le)"),
    "powerpc": Machines("powerpc-linux-musl", "ppc", "powerpc", "ppc(64)?|powerpc"),
}

_FLAGS = (
    *("-std=c11", "-D_GNU_SOURCE", "-Os", "-Wall", "-Wextra", "-Werror"),
    *("-static", "-s", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"),
    # Tables for exceptions, of which C has none: a seventh of the size.
    *("-fno-unwind-tables", "-fno-asynchronous-unwind-tables"),
    # Each file is compiled for itself: what a probe measures is not changed by its callers.
    "-fno-lto",
)
# The folder of native/ whose binary it is: what measures, and what watches a display.
PARTS = ("probe", "display")
_PART_FLAGS: dict[str, tuple[str, ...]] = {
    # The rest that stripping leaves, on MIPS an eighth of the size.
    "probe": ("-Wl,-T,sections.ld",),
    "display": (),
}
_MORE_FLAGS = {
    # A static program needs no table of where its functions are, and MIPS no code that keeps to
    # the C library's custom of having one; nor does a division trap elsewhere.
    "mipsel": (
        *("-fno-PIC", "-mno-abicalls", "-mno-gpopt", "-mno-check-zero-division"),
        *("-Xclang", "-Oz"),
    ),
}


def source_folder(part: str = "probe") -> Path:
    """native/`part` of a checkout or an sdist; a package has those of the watcher alone."""
    installed = Path(__file__).parents[1] / "native" / part
    return installed if installed.is_dir() else Path(__file__).parents[3] / "native" / part


def command(arch: str, part: str = "probe") -> list[str]:
    """The command that compiles the sources in their folder, without the output's name."""
    machines = ARCHITECTURES[arch]
    flags = (*_FLAGS, *_PART_FLAGS[part], *_MORE_FLAGS.get(arch, ()))
    # Names within the folder, so that the same sources make the same bytes anywhere; in an order,
    # since `list` has the probes in that of their files.
    folder = source_folder(part)
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.c"))
    where = ("-I.", "-I..", "../rows/row.c")
    return [
        "ziglang",
        "cc",
        "-target",
        machines.target,
        f"-mcpu={machines.processor}",
        *where,
        *flags,
        *names,
    ]


def require_compiler(arch: str) -> None:
    """Raises EnvironmentLacksError where the compiler of the probe for `arch` is missing."""
    if find_spec("ziglang") is None:
        raise EnvironmentLacksError(
            f"The probe for {arch} is not built, and its compiler is not installed: "
            "pip install 'perfboard[probe]'"
        )


def compiler_version() -> str:
    """The version of the package `ziglang`, or "none"."""
    try:
        return version("ziglang")
    except PackageNotFoundError:
        return "none"


def inputs_of(arch: str, part: str = "probe") -> str:
    """A SHA-256 sum of what that part is made from: its sources, command and compiler."""
    digest = hashlib.sha256(" ".join([compiler_version(), *command(arch, part)]).encode())
    folders = (source_folder(part), source_folder("rows"))
    for path in sorted(path for each in folders for path in each.rglob("*") if path.is_file()):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def build(arch: str, output: Path, cache: Path, part: str = "probe") -> None:
    """Compiles one of `PARTS` for `arch` into the file `output`.

    The compiler keeps what it can use again, such as the C library, in `cache`. Raises
    EnvironmentLacksError where the compiler or the sources are missing, or do not agree.
    """
    require_compiler(arch)
    if not (folder := source_folder(part)).is_dir():
        raise EnvironmentLacksError(f"{folder}: the {part}'s sources are not there.")
    run_compiler(f"The {part} for {arch}", command(arch, part), output, folder, cache)


def run_compiler(what: str, words: list[str], output: Path, folder: Path, cache: Path) -> None:
    """Makes the file `output` by the compiler, whose name is the first of `words`, in `folder`.

    It keeps what it can use again in `cache`. Raises EnvironmentLacksError for `what` if it fails.
    """
    folders = {"ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)}
    whole = [sys.executable, "-m", *words, "-o", str(output.absolute())]
    done = run(whole, folder=folder, environment={**os.environ, **folders})
    if done.returncode or not output.is_file():
        raise EnvironmentLacksError(f"{what} does not compile here:\n{done.stderr.strip()[-4000:]}")
