# SPDX-License-Identifier: Apache-2.0
"""Folders that several users write to, and the rights to what each of them makes there.

A folder is shared if anybody may write to it, or its group, on purpose: with the bit that gives its
group to what is made in it, or the sticky one. The others may read what a user makes there.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path

_WRITERS = stat.S_IWGRP | stat.S_IWOTH
_ON_PURPOSE = stat.S_ISGID | stat.S_ISVTX


def is_shared(folder: Path) -> bool:
    """Whether several users may write to it; if it is not there, to the one that it is made in."""
    mode = _mode(next(each for each in (folder, *folder.parents) if os.path.exists(each)))  # noqa: PTH110
    return bool(mode & stat.S_IWOTH or (mode & stat.S_IWGRP and mode & _ON_PURPOSE))


def make_folder(folder: Path) -> None:
    """Makes it and those above it, where they are not there; one in a shared folder is shared too.

    Nobody but its owner may then remove what is in it. Raises OSError.
    """
    if folder.is_dir():
        return
    make_folder(folder.parent)
    with suppress(FileExistsError):
        folder.mkdir()
        if is_shared(folder.parent):
            folder.chmod(_mode(folder.parent) | stat.S_ISVTX | stat.S_IRWXU)
    if not folder.is_dir():
        raise NotADirectoryError(20, os.strerror(20), str(folder))


def let_read(path: Path) -> None:
    """Those who may write to a shared folder may read `path` in it, and all below: not change it.

    In any other folder the rights stay as they are. Raises OSError.
    """
    if not is_shared(path.parent):
        return
    writers = _mode(path.parent) & _WRITERS
    readers = writers | writers << 1 | writers >> 1
    below = ((parent, name) for parent, *names in os.walk(path) for name in (*names[0], *names[1]))
    for each in (path, *(Path(parent, name) for parent, name in below)):
        if each.is_symlink():
            continue
        mode = _mode(each)
        runs = stat.S_IXGRP | stat.S_IXOTH if mode & stat.S_IXUSR else 0
        wanted = (mode | readers & (stat.S_IRGRP | stat.S_IROTH | runs)) & ~_WRITERS
        if wanted != mode:
            each.chmod(wanted)


def is_ours(path: Path) -> bool:
    """Whether it is this user's to change: root changes all."""
    return os.geteuid() in (0, path.lstat().st_uid)


def owner_of(path: Path) -> str:
    """The name of the user whose it is, or the number of one without a name."""
    try:
        return path.owner()
    except (KeyError, OSError):
        return f"user {path.lstat().st_uid}"


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
