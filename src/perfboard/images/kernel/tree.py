# SPDX-License-Identifier: Apache-2.0
"""The source of a package's kernels, and their objects: kept, since the next build finds most done.

The next build, with other options, uses the objects of the last one: the kernel's makefiles make
anew only what depends on a changed option (Linux 6.1, scripts/basic/fixdep.c). Each architecture
has a folder of objects in the source's own, where the kernel's makefile calls the source "..": so
no path of this machine gets into the kernel.
"""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from perfboard.host.cache.cache import counted_folder, kept_folder, key_of, own_root
from perfboard.host.cache.entries import CCACHE
from perfboard.host.programs.command import follow, version_of
from perfboard.images.kernel.drivers import add_drivers, driver_files
from perfboard.images.packages.apt import AptState
from perfboard.model.board.architecture import Architecture
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.progress import Progress

# The source, as commands in a folder of objects name it.
SOURCE = Path("..")
# Architectures that no board has. That of SuperH stays: CONFIG_COMPILE_TEST lets others have its
# pin controllers, which include its headers.
_OTHERS = (
    "alpha arc csky hexagon ia64 loongarch m68k microblaze mips nios2 openrisc parisc powerpc "
    "s390 sparc um xtensa"
)
# These stay packed, since no option of a board's kernel compiles a file of them. Kconfig reads its
# own files of all architectures, and tests in lib include a header of the tests for programs.
_LEFT_OUT = (
    "Documentation/[!K]*",
    "tools/perf",
    "tools/testing/[!s]*",
    "tools/testing/selftests/*/*",
    *(f"arch/{name}/*/[!K]*" for name in _OTHERS.split()),
)
_TAR_RECORD = 10240
_CHECKPOINT = 1000


def source_inputs(arch: Architecture, packages: AptState, source: str) -> dict[str, str]:
    """The inputs of all kernels of that package: it, and the tools that compile and link them."""
    package = packages.resolve(source)
    return {
        "source": f"{package.name}={package.version} {package.sha256}",
        "compiler": version_of(f"{arch.triplet}-gcc"),
        "linker": version_of(f"{arch.triplet}-ld"),
    }


@contextmanager
def kernel_tree(
    arch: Architecture,
    packages: AptState,
    source: str,
    wanted: Mapping[str, str],
    progress: Progress,
) -> Iterator[Path]:
    """The folder of the objects of that architecture, in the kernel's source of that package.

    One builds in the source at a time. It has those drivers of ours alone that the options `wanted`
    name. Raises UsageError for a package that has no source, EnvironmentLacksError where it cannot
    be unpacked.
    """
    origin = source_inputs(arch, packages, source)
    inputs = {"source": origin["source"], "left out": " ".join(_LEFT_OUT)}
    tree = own_root() / "kernel-tree" / key_of(inputs)
    objects = tree / f"objects-{arch.name}-{key_of(origin)[:12]}"
    # A killed compiler may leave half an object, and make would not notice.
    with kept_folder(
        tree, inputs, lambda: _extract(_archive(packages, source), tree, progress), progress
    ):
        add_drivers(tree, driver_files(wanted))
        for other in tree.glob(f"objects-{arch.name}-*"):
            # Nobody has the compiler of those any more.
            if other != objects:
                shutil.rmtree(other)
        objects.mkdir(exist_ok=True)
        with counted_folder(own_root() / CCACHE):
            yield objects


def _archive(packages: AptState, source: str) -> Path:
    archive = packages.unpack(source) / "usr" / "src" / f"{source}.tar.xz"
    if not archive.is_file():
        raise UsageError(
            f"image.kernel.source: package {source} has no usr/src/{source}.tar.xz; "
            "give one of Debian's linux-source packages with a version, as linux-source-6.1"
        )
    return archive


def _extract(archive: Path, tree: Path, progress: Progress) -> None:
    listed = subprocess.run(
        ["xz", "--robot", "--list", str(archive)], capture_output=True, text=True, check=True
    )
    size = int(listed.stdout.split("\ntotals\t")[1].split("\t")[3])
    with progress.step("unpacking the kernel's source", size) as step:

        def show(line: str) -> bool:
            _, _, record = line.partition("checkpoint ")
            if record:
                step.update(min(size, int(record) * _TAR_RECORD))
            return bool(record)

        command = ["tar", "--extract", "--use-compress-program=xz -T0", f"--file={archive}"]
        command += ["--strip-components=1", f"--checkpoint={_CHECKPOINT}"]
        command += ["--checkpoint-action=echo=checkpoint %u"]
        command += ["--anchored", "--no-wildcards-match-slash"]
        command += [f"--exclude=*/{path}" for path in _LEFT_OUT]
        outcome = follow(command, show, folder=tree)
    if outcome.code:
        raise EnvironmentLacksError(
            f"cannot unpack the kernel's source into {tree.parent}; is there 2 GB of room? "
            f"The last lines:\n{outcome.last_lines}"
        )
