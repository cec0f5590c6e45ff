# SPDX-License-Identifier: Apache-2.0
"""Debian packages with all that they depend on, as one root file system for a virtual board.

They are unpacked, not installed: no maintainer script runs, since it would have to run on
the board's processor. So there are no users of a package's own; alternatives are links, where
the script says literally which; libraries are found where Debian's dynamic loader looks
anyway.
"""

import fnmatch
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from perfboard.host.cache.cache import cached, hash_file
from perfboard.host.programs.children import run
from perfboard.images.packages.alternatives import choose_links, read_alternatives
from perfboard.images.packages.apt import SCRIPTS, AptState, Package
from perfboard.images.packages.tree import Tree, found_in, merged
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.progress import Progress

# A shell, the usual small programs, and what nearly every program is linked with.
BASE = ("busybox", "libc6", "libgcc-s1", "libstdc++6")
_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]*[a-z0-9+.]")
_OWN = "perfboard"
_FOLDERS = (
    *("dev", "etc", "home", "proc", "root", "run", "srv", "sys", "tmp", "var", "var/tmp"),
    *("usr", "usr/bin", "usr/lib", "usr/sbin", "work", _OWN),
    *(f"{_OWN}/{name}" for name in ("bin", "job", "output", "root", "scratch")),
)
_FILES = {
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
    "etc/hostname": "board\n",
    "etc/hosts": "127.0.0.1 localhost board\n",
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/false\n",
}
# Blocks of a page: to read one of 128 KiB the kernel needs 32 pages at once, which it takes from
# others that it needs as well where memory is used up.
SMALL_BLOCKS = "4K"
# On a disk, as much as a kernel reads ahead of a file that is mapped, in KiB; and where memory is
# so short that it would drop most of that before it is wanted.
LARGE_BLOCKS = 128
SHORT_BLOCKS = 8
_SQUASH = (
    *("-noI", "-noD", "-noF", "-noX", "-no-xattrs", "-no-progress", "-quiet"),
    *("-mkfs-time", "0", "-all-time", "0"),
    # The archive has no entry of the root folder itself, which would be the caller's.
    *("-all-root", "-root-mode", "755"),
)
# Beyond what any package's script has.
_LONGEST_SCRIPT = 1 << 20


@dataclass(frozen=True)
class PackageRoot:
    """A root file system of packages.

    `image` is the squashfs; `files` are those that may hold code, by their path on the board.
    `left_out` are packages that others depend on, which the user did not want.
    """

    image: Path
    files: dict[str, Path]
    packages: tuple[Package, ...]
    left_out: tuple[str, ...] = ()


def check_names(names: Sequence[str], architecture: str) -> None:
    """Raises UsageError for what is no package's name."""
    for name in names:
        if not _NAME.fullmatch(name):
            raise UsageError(
                f'--package needs the name of a Debian package, as in gzip; found "{name}". The '
                f"packages are those of the board's architecture, {architecture}."
            )


def build_package_root(
    state: AptState,
    names: Sequence[str],
    probe: Path,
    progress: Progress,
    without: Sequence[str] = (),
    blocks: str = SMALL_BLOCKS,
) -> PackageRoot:
    """The root file system of BASE, those packages and what they depend on; `probe` is its init.

    Packages with a name that a pattern of `without` fits are left out, unless they are in BASE
    or among `names`. The file system has blocks of that size.

    Raises UsageError for a package that there is not, or that does not go with the others,
    and EnvironmentLacksError where apt or the squashfs tools fail.
    """
    check_names(names, state.architecture)
    closure = state.closure((*BASE, *names))
    packages = _leave_out(closure, (*BASE, *names), without)
    inputs = {
        "squash": " ".join(("-b", blocks, *_SQUASH)),
        "probe": hash_file(probe),
        "packages": json.dumps([asdict(package) for package in packages]),
    }

    def build(folder: Path) -> None:
        unpacked = [state.unpack(package.name) for package in packages]
        with progress.step("building the root file system", 1):
            tree = Tree()
            for package, files in zip(packages, unpacked, strict=True):
                tree.add_package(package.name, files)
            scripts = map(_script, unpacked)
            tree.add_links(choose_links(chain.from_iterable(map(read_alternatives, scripts)), tree))
            _complete(tree, probe)
            _squash(tree, folder / "root.squashfs", blocks)

    image = cached("try-root", inputs, build, progress) / "root.squashfs"
    left_out = tuple(package.name for package in closure if package not in packages)
    return PackageRoot(image, _code_files(state, packages), packages, left_out)


def _leave_out(
    closure: Sequence[Package], wanted: Sequence[str], without: Sequence[str]
) -> tuple[Package, ...]:
    """The packages that no pattern fits. Raises UsageError for one that fits none."""
    others = [package.name for package in closure if package.name not in wanted]
    for pattern in without:
        if not fnmatch.filter(others, pattern):
            kept = ", and is asked for" if fnmatch.filter(wanted, pattern) else ""
            raise UsageError(
                f"--without {pattern}: fits no package that others pull in{kept}; there are: "
                f"{' '.join(others) or 'none'}"
            )
    left_out = {name for pattern in without for name in fnmatch.filter(others, pattern)}
    return tuple(package for package in closure if package.name not in left_out)


def largest(root: PackageRoot, state: AptState, most: int) -> list[tuple[str, int]]:
    """The packages with the most bytes of files, and how many, the largest first."""
    sizes = {
        package.name: sum(
            path.stat().st_size
            for _, path in found_in(state.unpack(package.name))
            if path.is_file() and not path.is_symlink()
        )
        for package in root.packages
    }
    return sorted(sizes.items(), key=lambda one: (-one[1], one[0]))[:most]


def squash_files(files: dict[str, Path | bytes], image: Path, folders: Sequence[str] = ()) -> None:
    """Writes a squashfs with those files, links and folders by their paths; a program stays one.

    Raises EnvironmentLacksError where the squashfs tools fail.
    """
    tree = Tree()
    for folder in folders:
        tree.add_folder(folder)
    for name, content in files.items():
        for parent in reversed(Path(name).parents):
            tree.add_folder(str(parent))
        if isinstance(content, bytes):
            tree.add_bytes(name, content)
        else:
            tree.addfound_in("", name, content)
    _squash(tree, image, SMALL_BLOCKS)


def _code_files(state: AptState, packages: Sequence[Package]) -> dict[str, Path]:
    files = {}
    for package in packages:
        for place, path in found_in(state.unpack(package.name)):
            if path.is_file() and not path.is_symlink():
                files[f"/{merged(place)}"] = path
    return files


def _script(unpacked: Path) -> str:
    """The script that dpkg would run after installing the package, or ""."""
    path = unpacked / SCRIPTS / "postinst"
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open(errors="replace") as file:
        return file.read(_LONGEST_SCRIPT)


def _complete(tree: Tree, probe: Path) -> None:
    """Adds what belongs to no package, where none has it."""
    for place in _FOLDERS:
        tree.add_folder(place)
    tree.add_usual()
    for place, text in _FILES.items():
        tree.add_bytes(place, text.encode())
    # Scripts name these by their paths.
    for name in ("env", "sh"):
        tree.add_link(f"usr/bin/{name}", "busybox")
    tree.add_program(f"{_OWN}/probe", probe)


def _squash(tree: Tree, image: Path, blocks: str) -> None:
    archive = image.with_suffix(".tar")
    tree.write(archive)
    with archive.open("rb") as file:
        words = ["sqfstar", "-b", blocks, *_SQUASH, image.name]
        done = run(words, folder=image.parent, given=file)
    archive.unlink()
    if done.returncode:
        raise EnvironmentLacksError(
            f"sqfstar cannot write the file system; its last lines:\n{done.stderr[-2000:]}"
        )
