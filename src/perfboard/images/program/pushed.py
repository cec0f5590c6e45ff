# SPDX-License-Identifier: Apache-2.0
"""The user's files and folders for a trial, as they lie in the command's folder.

Links below a folder stay links, which the board follows among its own files: no file is read
but those that the user named, and those in the folders that the user named.
"""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from perfboard.host.cache.cache import hash_file
from perfboard.model.errors import UsageError

# Bytes of the image for each file, folder or link, besides its content.
_ENTRY = 256
_DEEPEST = 200


def entries(given: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """Files, folders and links by their places in the command's folder; a folder comes first.

    Raises UsageError for what cannot be had or copied, and where two have one place.
    """
    names: dict[str, Path] = {}
    for path in given:
        name = _name(path)
        if name in names:
            raise UsageError(
                f"--push: {names[name]} and {path} have one name, and would have one place"
            )
        names[name] = path
        try:
            yield from _below(name, path)
        except FileNotFoundError as error:
            raise UsageError(f"--push {error.filename}: there is no such file") from None
        except OSError as error:
            raise UsageError(f"--push {error.filename}: {error.strerror}") from None


def regular_files(given: Sequence[Path]) -> dict[str, Path]:
    """The files of `entries` alone."""
    return {
        place: path
        for place, path in entries(given)
        if path.is_file() and ("/" not in place or not path.is_symlink())
    }


def size_of(given: Sequence[Path], most: int) -> int:
    """The bytes that they take. It stops counting beyond `most`. Raises as `entries`."""
    total = 0
    for place, path in entries(given):
        about = path.lstat() if "/" in place else path.stat()
        total += _ENTRY + (0 if stat.S_ISDIR(about.st_mode) else about.st_size)
        if total > most:
            break
    return total


def copy(given: Sequence[Path], folder: Path) -> tuple[Path, ...]:
    """Copies of them in `folder`, by their names. Raises as `entries`, and OSError."""
    for place, path in entries(given):
        to = folder / place
        if path.is_dir() and ("/" not in place or not path.is_symlink()):
            to.mkdir()
        else:
            shutil.copy2(path, to, follow_symlinks="/" not in place)
    return tuple(folder / _name(path) for path in given)


def hash_of(path: Path) -> str:
    """The SHA-256 of a file, or of all that a folder has, in hexadecimal."""
    if not path.is_dir():
        return hash_file(path)
    total = hashlib.sha256()
    for place, found in entries([path]):
        about = found.lstat()
        if stat.S_ISLNK(about.st_mode):
            content = os.fsencode(found.readlink())
        else:
            content = hash_file(found).encode() if stat.S_ISREG(about.st_mode) else b""
        total.update(b"\0".join((os.fsencode(place), b"%o" % about.st_mode, content, b"")))
    return total.hexdigest()


def _name(path: Path) -> str:
    """The name in the command's folder."""
    name = path.name if path.name not in ("", "..") else path.resolve().name
    if not name:
        raise UsageError(f"--push {path}: has no name; push what is in it")
    return name


def _below(place: str, path: Path) -> Iterator[tuple[str, Path]]:
    # The user may name a link, and means the file or folder that it leads to.
    left = [(place, path, path.stat())]
    while left:
        place, path, about = left.pop()
        if place.count("/") > _DEEPEST:
            raise UsageError(f"--push {path}: lies more than {_DEEPEST} folders deep")
        if stat.S_ISDIR(about.st_mode):
            below = sorted(path.iterdir(), reverse=True)
            left += [(f"{place}/{found.name}", found, found.lstat()) for found in below]
        elif not (stat.S_ISREG(about.st_mode) or stat.S_ISLNK(about.st_mode)):
            raise UsageError(
                f"--push {path}: is neither a file nor a folder; a board can be given these and "
                "links"
            )
        yield place, path
