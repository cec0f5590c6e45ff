# SPDX-License-Identifier: Apache-2.0
"""The entries of a root file system of packages, as an archive of them."""

import io
import os
import stat
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from perfboard.host.cache.manifest import NAME
from perfboard.images.packages.apt import SCRIPTS
from perfboard.model.errors import UsageError

PROGRAM = 0o755
# Debian's packages still come in both forms; in a system of today they are one.
_MERGED = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "lib32": "usr/lib32"}
_MERGED |= {"lib64": "usr/lib64", "libx32": "usr/libx32"}


def found_in(unpacked: Path) -> Iterator[tuple[str, Path]]:
    """The files of a package by their place: a folder before its content."""
    for folder, folders, names in os.walk(unpacked):
        folders.sort()
        if Path(folder) == unpacked and SCRIPTS in folders:
            folders.remove(SCRIPTS)
        for name in sorted((*folders, *names)):
            path = Path(folder, name)
            place = path.relative_to(unpacked).as_posix()
            # The cache's own list is no part of the package.
            if place != NAME:
                yield place, path


def merged(name: str) -> str:
    """The place in a system whose folders of programs and libraries are one."""
    first, slash, rest = name.partition("/")
    return f"{_MERGED[first]}/{rest}" if slash and first in _MERGED else name


class Tree:
    """The entries of a file system. None of them is ever made in this machine's."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[tarfile.TarInfo, Path | bytes | None]] = {}

    def add_package(self, package: str, unpacked: Path) -> None:
        """Adds what a package has. Raises UsageError where another has a link for a folder."""
        for place, path in found_in(unpacked):
            if place not in _MERGED:
                self.addfound_in(package, merged(place), path)

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and merged(path[1:]) in self._entries

    def add_links(self, links: Mapping[str, str]) -> None:
        """Adds links, by their paths, but for those below what is no folder."""
        for link, target in links.items():
            place = merged(link[1:])
            parents = [str(parent) for parent in reversed(Path(place).parents)]
            found = (self._entries.get(parent) for parent in parents)
            if all(entry is None or entry[0].isdir() for entry in found):
                for parent in parents:
                    self.add_folder(parent)
                self._add(place, tarfile.SYMTYPE, link=target)

    def addfound_in(self, package: str, place: str, path: Path) -> None:
        """Adds a file, a folder or a link of this machine's; others are passed over."""
        parent = self._entries.get(str(Path(place).parent))
        if parent is not None and not parent[0].isdir():
            raise UsageError(
                f"package {package} has /{place}, below what is no folder in another; leave out "
                "one of them"
            )
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            self._add(place, tarfile.SYMTYPE, link=str(path.readlink()))
        elif stat.S_ISDIR(mode):
            self.add_folder(place)
        elif stat.S_ISREG(mode):
            self.add_file(place, path)

    def add_folder(self, place: str, mode: int = PROGRAM) -> None:
        """Adds a folder."""
        if place not in (".", ""):
            self._add(place, tarfile.DIRTYPE, mode)

    def add_file(self, place: str, path: Path) -> None:
        """Adds a file of this machine's: all may read it, and run it where its owner may."""
        mode = stat.S_IMODE(path.stat().st_mode)
        others = 0o055 if mode & stat.S_IXUSR else 0o044
        self._add(place, tarfile.REGTYPE, mode & 0o7700 | 0o400 | others, path)

    def add_bytes(self, place: str, content: bytes, mode: int = 0o644) -> None:
        """Adds a file with that content."""
        self._add(place, tarfile.REGTYPE, mode, content)

    def add_program(self, place: str, path: Path) -> None:
        """Adds a file of this machine's that anyone may run."""
        self._add(place, tarfile.REGTYPE, PROGRAM, path)

    def add_link(self, place: str, target: str) -> None:
        """Adds a link."""
        self._add(place, tarfile.SYMTYPE, link=target)

    def add_usual(self) -> None:
        """Adds the links that make folders one, and the console, as it is before any mount."""
        for place, target in _MERGED.items():
            self.add_link(place, target)
            self.add_folder(target)
        entry = tarfile.TarInfo("dev/console")
        entry.type, entry.mode, entry.devmajor, entry.devminor = tarfile.CHRTYPE, 0o600, 5, 1
        self._entries["dev/console"] = (entry, None)

    def _add(
        self,
        place: str,
        kind: bytes,
        mode: int = 0o777,
        content: Path | bytes | None = None,
        link: str = "",
    ) -> None:
        """Adds an entry; one that is there already stays."""
        entry = tarfile.TarInfo(place)
        entry.type, entry.mode, entry.linkname = kind, mode, link
        self._entries.setdefault(place, (entry, content))

    def write(self, archive: Path) -> None:
        """Writes all as a tar archive; all of it is root's."""
        with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as tar:
            # In this order a folder comes before what is in it.
            for entry, content in (self._entries[place] for place in sorted(self._entries)):
                if content is None:
                    tar.addfile(entry)
                elif isinstance(content, bytes):
                    entry.size = len(content)
                    tar.addfile(entry, io.BytesIO(content))
                else:
                    entry.size = content.stat().st_size
                    with content.open("rb") as file:
                        tar.addfile(entry, file)
