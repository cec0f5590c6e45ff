# SPDX-License-Identifier: Apache-2.0
"""Makes an image of a file system of a tree, the same each time."""

import gzip
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from perfboard.images.command import run_tool
from perfboard.images.cramfs import code_pages, write_cramfs
from perfboard.images.entries import read_entries, write_cpio
from perfboard.images.filesystems import SYSTEMS
from perfboard.images.root_recipe import RootRecipe
from perfboard.images.tree import Node
from perfboard.images.ubi import leb_size, same_each_time, volume_size

_UUID = "00000000-0000-0000-0000-000000000000"
_NODES_AND_EROFS = """
while [ "$1" != -- ]; do mknod "$1" "$2" "$3" "$4" "$5"; shift 5; done
shift
exec mkfs.erofs "$@"
"""
# What a boot reads first lies first: the pattern of a path, the greater the sooner.
_FIRST_USED = ("bin/busybox", "lib/ld-linux*", "lib/libc.so.6", "lib/libresolv.so.2", "etc/*")


@dataclass(frozen=True)
class Job:
    """What is to be made: the image of `tree` with those nodes, for `room` bytes of flash."""

    root: RootRecipe
    tree: Path
    nodes: Sequence[Node]
    image: Path
    sector: int
    room: int

    def run(self, *command: str) -> None:
        """Runs a tool in the image's folder; raises EnvironmentLacksError where it fails."""
        run_tool(command, self.image.parent)

    def table(self) -> str:
        """The name of a file that lists the nodes as the tools of MTD read them."""
        lines = (
            f"/{n.path} {n.kind} {n.mode:o} 0 0 {n.major} {n.minor} 0 0 -\n" for n in self.nodes
        )
        file = self.image.with_name("nodes.txt")
        file.write_text("".join(lines))
        return file.name


def make_file_system(job: Job) -> None:
    """Writes the image.

    Raises EnvironmentLacksError where a tool fails, UsageError for what it cannot hold.
    """
    for path in (*job.tree.rglob("*"), job.tree):
        os.utime(path, (0, 0), follow_symlinks=False)
    _MAKERS[SYSTEMS[job.root.system].type](job)


def _squashfs(job: Job) -> None:
    _, _, compressor = job.root.system.partition("-")
    command = ["mksquashfs", job.tree.name, job.image.name, "-comp", compressor or "gzip"]
    command += ["-noappend", "-no-progress", "-b", str(job.root.block)]
    command += ["-all-root", "-no-xattrs", "-mkfs-time", "0", "-all-time", "0"]
    command += ["-Xhc"] if compressor == "lz4" else []
    if job.root.order == "use":
        command += ["-sort", _priorities(job)]
    # mksquashfs makes the nodes, so root need not. The console is there before any script runs.
    for node in job.nodes:
        numbers = f"{node.mode:o} 0 0 {node.major} {node.minor}"
        command += ["-p", f"{node.path} {node.kind} {numbers}"]
    job.run(*command)


def _priorities(job: Job) -> str:
    places = {pattern: len(_FIRST_USED) - at for at, pattern in enumerate(_FIRST_USED)}
    lines = [
        f"{entry.path} {places[pattern]}\n"
        for entry in read_entries(job.tree, ())
        for pattern in places
        if entry.content and fnmatchcase(entry.path, pattern)
    ]
    file = job.image.with_name("order.txt")
    file.write_text("".join(lines))
    return file.name


def _cramfs(job: Job) -> None:
    entries = read_entries(job.tree, job.nodes)
    patterns = SYSTEMS[job.root.system].in_place
    pages = {
        entry.path: code_pages(entry.content)
        for entry in entries
        if entry.content and any(fnmatchcase(entry.path, pattern) for pattern in patterns)
    }
    job.image.write_bytes(write_cramfs(entries, pages))


def _jffs2(job: Job) -> None:
    geometry = ("--little-endian", f"--eraseblock={job.sector}")
    job.run(
        *("mkfs.jffs2", *geometry, f"--root={job.tree.name}", f"--output={job.image.name}"),
        *("--faketime", "--squash-uids", f"--devtable={job.table()}", "--pad"),
    )
    if job.root.system == "jffs2-summary":
        plain = job.image.rename(job.image.with_suffix(".plain"))
        # sumtool knows the first of these as --littleendian alone.
        options = ("-l", f"--eraseblock={job.sector}", "--pad")
        job.run("sumtool", *options, f"--input={plain.name}", f"--output={job.image.name}")


def _ubifs(job: Job) -> None:
    volume = job.image.with_suffix(".volume")
    job.run(
        *("mkfs.ubifs", f"--root={job.tree.name}", f"--output={volume.name}"),
        *("--min-io-size=8", f"--leb-size={leb_size(job.sector)}", "--squash-uids"),
        f"--max-leb-cnt={volume_size(job.sector, job.room) // leb_size(job.sector)}",
        f"--devtable={job.table()}",
    )
    volume.write_bytes(same_each_time(volume.read_bytes(), leb_size(job.sector)))
    settings = job.image.with_suffix(".ini")
    settings.write_text(
        f"[root]\nmode=ubi\nimage={volume.name}\nvol_id=0\nvol_type=dynamic\nvol_name=root\n"
        f"vol_size={volume_size(job.sector, job.room)}\n"
    )
    job.run(
        *("ubinize", f"--output={job.image.name}", f"--peb-size={job.sector}"),
        *("--min-io-size=1", "--image-seq=1", settings.name),
    )


def _erofs(job: Job) -> None:
    # mkfs.erofs takes nodes from a tree alone; fakeroot makes some that only it can see, until
    # it ends.
    nodes: list[str] = []
    for node in job.nodes:
        path = str(job.tree / node.path)
        nodes += [f"--mode={node.mode:o}", path, node.kind, str(node.major), str(node.minor)]
    options = ("--quiet", "-zlz4hc", "-T0", "-x-1", "--all-root", "-U", _UUID)
    image = (*options, job.image.name, job.tree.name)
    job.run("fakeroot", "--", "sh", "-e", "-c", _NODES_AND_EROFS, "sh", *nodes, "--", *image)


def _romfs(job: Job) -> None:
    for node in job.nodes:
        folder, _, name = node.path.rpartition("/")
        (job.tree / folder / f"@{name},{node.kind},{node.major},{node.minor}").touch()
    job.run("genromfs", "-d", job.tree.name, "-f", job.image.name, "-V", "root")


def _initramfs(job: Job) -> None:
    archive = write_cpio(read_entries(job.tree, job.nodes))
    job.image.write_bytes(gzip.compress(archive, 9, mtime=0))


_MAKERS: dict[str, Callable[[Job], None]] = {
    "squashfs": _squashfs,
    "cramfs": _cramfs,
    "jffs2": _jffs2,
    "ubifs": _ubifs,
    "erofs": _erofs,
    "romfs": _romfs,
    "": _initramfs,
}
