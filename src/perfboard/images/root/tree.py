# SPDX-License-Identifier: Apache-2.0
"""The files of the reference system: the boot study's, as its factors' levels would have them."""

import random
import shlex
import shutil
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perfboard.host.programs.command import follow
from perfboard.images.root import musl
from perfboard.images.root.recipe import RootRecipe
from perfboard.model.board.architecture import Architecture
from perfboard.model.errors import EnvironmentLacksError, UsageError

REFERENCE = Path(__file__).parent / "reference"
# The files of a root that announces the board.
ANNOUNCED = Path(__file__).parent / "announced"
_FOLDERS = ("bin", "dev", "etc", "lib", "proc", "root", "sbin", "sys", "tmp", "usr/bin", "var")
_APPLETS = {
    "bin": ("cat", "cp", "date", "echo", "hostname", "ip", "ls", "mkdir", "mount", "sh"),
    "sbin": ("init", "klogd", "mdev", "syslogd"),
}
# The application.
_DRAWN = "usr/bin/rectangles"
_COPIED_BYTES = 512 * 1024
_SEED = 2009
# The programs in bin, and the libraries of the target, wherever the package has them.
_PROGRAM_FOLDERS = ("bin", "usr/bin")
LIBRARIES = (
    "libc.so.6",
    "libgcc_s.so.1",
    "libm.so.6",
    "libresolv.so.2",
    "libstdc++.so.6",
)
# How the programs are, by the level of `libraries`.
_LINKED = {
    "dynamic": "dynamically",
    "static": "statically: Debian's busybox-static",
    "musl": (
        "with musl: of Debian's source, by debian/config/pkg/static without "
        f"{' and '.join(musl.LEFT_OUT)}, and CC=musl-gcc"
    ),
}
# A root that cannot be written has no place for these: they lie elsewhere.
_STATIC_LINKS = {"log": "/var/run/log", "shm": "/var/shm"}


@dataclass(frozen=True)
class Node:
    """A device node: its path below the root, "c" or "b", and its numbers."""

    path: str
    kind: str
    major: int
    minor: int
    mode: int = 0o660


SAVED = "/etc/devices.tar"
# The names of the modules that a script loads, as in Debian's modules(5).
MODULES = "/etc/modules"
# The files that a script reads before they are wanted, in one line.
READ_AHEAD = "/etc/readahead"
CONSOLE = Node("dev/console", "c", 5, 1, 0o600)
# A shell gives it to what it starts in the background.
NULL = Node("dev/null", "c", 1, 3, 0o666)


def saved_nodes() -> tuple[Node, ...]:
    """The nodes that a scan finds on verdex, in the order of their names."""
    lines = (REFERENCE / "devices").read_text().splitlines()
    words = [line.split() for line in lines if not line.startswith("#")]
    return tuple(
        Node(f"dev/{name}", kind, int(major), int(minor)) for name, kind, major, minor in words
    )


def contents_of(root: RootRecipe) -> dict[str, tuple[str, ...]]:
    """The content that is the same on every board: lines of the files below /etc, by path.

    Nodes that are kept in an archive are the words that make each.
    """
    found = {}
    for folder in (REFERENCE, *_overlays(root)):
        for file in sorted((folder / "etc").rglob("*")):
            if file.is_file():
                path = f"/{file.relative_to(folder).as_posix()}"
                found[path] = tuple(file.read_text().splitlines())
    if root.module:
        found[MODULES] = (root.module,)
    if root.readahead == "boot":
        found[READ_AHEAD] = (_read_ahead(root),)
    if _source(root) == "saved":
        found[SAVED] = tuple(
            f"mknod -m {node.mode:o} /{node.path} {node.kind} {node.major} {node.minor}"
            for node in saved_nodes()
        )
    return found


def making_of(root: RootRecipe) -> tuple[str, ...]:
    """The other content of the root's folder: a program, library, folder or link a line."""
    compiler = "musl-gcc" if root.libraries == "musl" else "gcc"
    lines = [
        f"bin/busybox: BusyBox, linked {_LINKED[root.libraries]}",
        shlex.join([compiler, *_flags(root), "-o", _DRAWN, "rectangles.c"]),
    ]
    if root.order == "functions":
        lines.append("bin/busybox: linked with -Wl,-T,perfboard/images/root/busybox.ld")
    if not root.static:
        lines += [f"lib/{name}" for name in ("ld-linux*.so*", *LIBRARIES)]
    if root.init == "parallel":
        lines.append("bin/startpar: Debian's startpar")
        lines += [f"ln -s {to} etc/rcS.d/{link}" for link, to in _links(REFERENCE).items()]
    if _source(root) == "static":
        lines.append("mkdir dev/pts")
        lines += [f"ln -s {target} dev/{name}" for name, target in _STATIC_LINKS.items()]
    return tuple(lines)


def _overlays(root: RootRecipe) -> list[Path]:
    """Folders whose files take the place of the reference's."""
    nodes = [REFERENCE / "nodes" / _source(root)] if _source(root) != "mdev" else []
    drivers = [REFERENCE / "drivers" / root.drivers] if root.module else []
    init = [REFERENCE / "init" / "parallel"] if root.init == "parallel" else []
    # Boards that can have it run their scripts in sequence alone: no other rcS is lost.
    ahead = [REFERENCE / "readahead"] if root.readahead == "boot" else []
    network = [ANNOUNCED] if root.announces else []
    return nodes + drivers + init + ahead + network


def _read_ahead(root: RootRecipe) -> str:
    return " ".join(f"/{path}" for path in root.first_used)


def _source(root: RootRecipe) -> str:
    # An application that is started first finds its device without anyone who makes nodes.
    return "static" if root.init == "application" and root.nodes != "devtmpfs" else root.nodes


def fill_tree(
    arch: Architecture,
    tree: Path,
    unpacked: list[Path],
    root: RootRecipe,
    compiler: Sequence[str],
    modules: Path | None = None,
) -> None:
    """Fills `tree` from those unpacked packages, and with what `compiler` makes.

    `modules` is what /lib/modules has, where a driver is one. Device nodes are not made: that
    takes the privileges of root. Raises UsageError where the packages lack a file that the
    system needs, and EnvironmentLacksError where a tool fails.
    """
    for name in _FOLDERS:
        (tree / name).mkdir(parents=True)
    shutil.copytree(REFERENCE / "etc", tree / "etc", dirs_exist_ok=True)
    for overlay in _overlays(root):
        shutil.copytree(overlay, tree, dirs_exist_ok=True)
    _copy_first("busybox", unpacked, _PROGRAM_FOLDERS, tree / "bin")
    if not root.static:
        library_folders = (f"lib/{arch.multiarch}", f"usr/lib/{arch.multiarch}")
        for name in (arch.loader, *LIBRARIES):
            _copy_first(name, unpacked, library_folders, tree / "lib")
    for folder, names in _APPLETS.items():
        for name in names:
            (tree / folder / name).symlink_to("/bin/busybox")
    data = random.Random(_SEED).randbytes(_COPIED_BYTES)  # noqa: S311 - only to not compress
    (tree / "usr/share").mkdir()
    (tree / "usr/share/random.bin").write_bytes(data)
    _compile(compiler, arch, tree / _DRAWN, root)
    if modules is not None:
        shutil.copytree(modules, tree / "lib/modules")
        (tree / "sbin/modprobe").symlink_to("/bin/busybox")
        (tree / MODULES[1:]).write_text(f"{root.module}\n")
    if root.readahead == "boot":
        (tree / READ_AHEAD[1:]).write_text(f"{_read_ahead(root)}\n")
    if root.init == "parallel":
        _run_in_parallel(tree, unpacked)
    _place_nodes(tree, root)
    # The modes are set here, since the files' own may have been lost in an archive.
    for path in tree.rglob("*"):
        if path.is_symlink():
            continue
        program = path.is_dir() or path.parent.name in ("bin", "init.d", "lib")
        path.chmod(0o755 if program else 0o644)


def nodes_of(root: RootRecipe) -> tuple[Node, ...]:
    """The device nodes that the image has when it is made."""
    if _source(root) == "static":
        return saved_nodes()
    return (CONSOLE, NULL) if root.readahead == "boot" else (CONSOLE,)


def _place_nodes(tree: Path, root: RootRecipe) -> None:
    source = _source(root)
    if source == "saved":
        _save_nodes(tree / SAVED.lstrip("/"))
    if source == "static":
        (tree / "dev/pts").mkdir()
        for name, target in _STATIC_LINKS.items():
            (tree / "dev" / name).symlink_to(target)


def _save_nodes(archive: Path) -> None:
    kinds = {"b": tarfile.BLKTYPE, "c": tarfile.CHRTYPE}
    with tarfile.open(archive, "w", format=tarfile.USTAR_FORMAT) as tar:
        for node in saved_nodes():
            entry = tarfile.TarInfo(node.path.removeprefix("dev/"))
            entry.type, entry.mode = kinds[node.kind], node.mode
            entry.devmajor, entry.devminor = node.major, node.minor
            tar.addfile(entry)


def _run_in_parallel(tree: Path, unpacked: list[Path]) -> None:
    """Leaves the scripts to startpar, which needs a folder that says which are to run."""
    _copy_first("startpar", unpacked, _PROGRAM_FOLDERS, tree / "bin")
    (tree / "etc/rcS.d").mkdir()
    for link, to in _links(tree).items():
        (tree / "etc/rcS.d" / link).symlink_to(to)


def _links(tree: Path) -> dict[str, str]:
    """The links to the tree's scripts that startpar looks for."""
    scripts = sorted((tree / "etc/init.d").glob("S*"))
    return {f"S01{script.name}": f"../init.d/{script.name}" for script in scripts}


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


def _flags(root: RootRecipe) -> list[str]:
    """How the application is compiled, as far as the program depends on it."""
    # The build id is a hash over more than the code; without it the file depends on that alone.
    flags = ["-std=gnu11", "-O2", "-s", "-Wl,--build-id=none"]
    flags += ["-static"] if root.static else []
    return flags + (["-DAS_INIT"] if root.init == "application" else [])


def _compile(compiler: Sequence[str], arch: Architecture, program: Path, root: RootRecipe) -> None:
    source = "rectangles.c"
    command = [*compiler, "-Wall", "-Wextra", "-Werror", *_flags(root), "-o", str(program), source]
    outcome = follow(command, lambda line: False, folder=REFERENCE)
    if outcome.code:
        raise EnvironmentLacksError(
            f"{compiler[0]} cannot compile {source}; is {arch.libc_package} installed? "
            f"Its last lines:\n{outcome.last_lines}"
        )
