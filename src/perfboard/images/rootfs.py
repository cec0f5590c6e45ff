# SPDX-License-Identifier: Apache-2.0
"""The reference root file system: study E's, as a squashfs that is the same each time."""

import random
import shutil
import subprocess
from pathlib import Path

from perfboard.images.apt import AptState
from perfboard.images.architecture import Architecture
from perfboard.images.cache import cached, hash_file, hash_tree
from perfboard.images.command import follow
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.progress import Progress

# Raise it when the steps below change what comes out.
_RECIPE = "1"
_REFERENCE = Path(__file__).parent / "reference"
_FOLDERS = ("bin", "dev", "etc", "lib", "proc", "root", "sbin", "sys", "tmp", "usr/bin", "var")
_APPLETS = {
    "bin": ("cat", "cp", "date", "echo", "hostname", "ip", "ls", "mkdir", "mount", "sh"),
    "sbin": ("init", "klogd", "mdev", "syslogd"),
}
_COPIED_BYTES = 512 * 1024
_SEED = 2009
# The programs in bin, and the libraries of the target, wherever the package has them.
_PROGRAM_FOLDERS = ("bin", "usr/bin")
_LIBRARIES = (
    "libc.so.6",
    "libgcc_s.so.1",
    "libm.so.6",
    "libresolv.so.2",
    "libstdc++.so.6",
)


def build_root(
    arch: Architecture, packages: AptState, names: tuple[str, ...], progress: Progress
) -> Path:
    """The squashfs of the reference system from those packages, built where absent.

    Raises UsageError where the packages lack a file that the system needs, and
    EnvironmentLacksError where a tool fails.
    """
    shown = subprocess.run(
        [f"{arch.triplet}-gcc", "--version"], capture_output=True, text=True, check=True
    )
    maker = subprocess.run(["mksquashfs", "-version"], capture_output=True, text=True)
    inputs = {
        "recipe": _RECIPE,
        "reference": hash_tree(_REFERENCE),
        "compiler": shown.stdout.splitlines()[0],
        "mksquashfs": maker.stdout.partition("\n")[0],
        **{f"package {name}": _identity(packages, name) for name in names},
    }

    def build(folder: Path) -> None:
        unpacked = [packages.unpack(name) for name in names]
        with progress.step("building the root file system", 2) as step:
            tree = folder / "tree"
            _fill(arch, tree, unpacked)
            step.update(1, "squashfs")
            _squash(tree, folder / "root.squashfs")
        shutil.rmtree(tree)

    return cached("root", inputs, build, progress) / "root.squashfs"


def _identity(packages: AptState, name: str) -> str:
    package = packages.resolve(name)
    return f"{package.version} {package.sha256}"


def _fill(arch: Architecture, tree: Path, unpacked: list[Path]) -> None:
    for name in _FOLDERS:
        (tree / name).mkdir(parents=True)
    shutil.copytree(_REFERENCE / "etc", tree / "etc", dirs_exist_ok=True)
    _copy_first("busybox", unpacked, _PROGRAM_FOLDERS, tree / "bin")
    library_folders = (f"lib/{arch.multiarch}", f"usr/lib/{arch.multiarch}")
    for name in (arch.loader, *_LIBRARIES):
        _copy_first(name, unpacked, library_folders, tree / "lib")
    for folder, names in _APPLETS.items():
        for name in names:
            (tree / folder / name).symlink_to("/bin/busybox")
    data = random.Random(_SEED).randbytes(_COPIED_BYTES)  # noqa: S311 - only to not compress
    (tree / "usr/share").mkdir()
    (tree / "usr/share/random.bin").write_bytes(data)
    _compile(arch, _REFERENCE / "rectangles.c", tree / "usr/bin/rectangles")
    # The modes are set here, since the files' own may have been lost in an archive.
    for path in tree.rglob("*"):
        if path.is_symlink():
            continue
        program = path.is_dir() or path.parent.name in ("bin", "init.d", "lib")
        path.chmod(0o755 if program else 0o644)


def _copy_first(name: str, unpacked: list[Path], folders: tuple[str, ...], to: Path) -> None:
    for package in unpacked:
        for folder in folders:
            path = package / folder / name
            # A link's target must lie in its package: an absolute one would be this machine's.
            if path.is_file() and path.resolve().is_relative_to(package.resolve()):
                shutil.copyfile(path, to / name)
                return
    raise UsageError(
        f"image.root.packages: none of them has {name}, which the reference system needs; "
        "add its Debian package"
    )


def _compile(arch: Architecture, source: Path, program: Path) -> None:
    compiler = f"{arch.triplet}-gcc"
    command = [compiler, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-s"]
    # The build id is a hash over more than the code; without it the file depends on that alone.
    command += ["-Wl,--build-id=none", "-o", str(program), source.name]
    outcome = follow(command, lambda line: False, folder=source.parent)
    if outcome.code:
        raise EnvironmentLacksError(
            f"{compiler} cannot compile {source.name}; is {arch.libc_package} installed? "
            f"Its last lines:\n{outcome.last_lines}"
        )


def _squash(tree: Path, image: Path) -> None:
    command = ["mksquashfs", tree.name, image.name, "-comp", "gzip", "-noappend", "-no-progress"]
    command += ["-all-root", "-no-xattrs", "-mkfs-time", "0", "-all-time", "0"]
    # The console is there before any script runs. mksquashfs makes it, so root need not.
    command += ["-p", "dev/console c 600 0 0 5 1"]
    outcome = follow(command, lambda line: False, folder=image.parent)
    if outcome.code:
        raise EnvironmentLacksError(f"mksquashfs failed; its last lines:\n{outcome.last_lines}")


def keep_file(file: Path, progress: Progress) -> Path:
    """A copy of the user's own file that stays as it is."""

    def build(folder: Path) -> None:
        shutil.copyfile(file, folder / "file")

    return cached("own-file", {"file": hash_file(file)}, build, progress) / "file"
