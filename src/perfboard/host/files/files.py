# SPDX-License-Identifier: Apache-2.0
"""Files that the user names or that come from anyone, read and written whole."""

import os
import stat
import tempfile
from io import FileIO
from pathlib import Path

from perfboard.model.errors import UsageError
from perfboard.model.units import format_size

_PORTION = 1 << 20
_KINDS = {
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


def read_file(path: Path, most: int, what: str, *, links: bool = True) -> bytes:
    """The bytes of a file that is to be `what`, such as "a board file".

    Neither waits for a pipe nor reads without end: raises UsageError for what is no regular file,
    and for one of more than `most` bytes. Raises OSError where it cannot be opened; a symbolic
    link, if `links` is false, cannot.
    """
    with open_file(path, what, links=links) as file:
        found, size = bytearray(), os.fstat(file.fileno()).st_size
        while size <= most and (portion := file.read(_PORTION)):
            found += portion
            size = max(size, len(found))
    if size > most:
        raise UsageError(
            f"{path}: has {format_size(size)}; give {what}, which has {format_size(most)} at most"
        )
    return bytes(found)


def open_file(path: Path, what: str, *, links: bool = True) -> FileIO:
    """A file that is to be `what`, opened to be read, by the rules of `read_file`."""
    if "\0" in str(path):
        raise UsageError(f"{path}: has a NUL in its name, which no file has; give {what}")
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | (0 if links else os.O_NOFOLLOW)
    file = FileIO(path, "rb", opener=lambda name, _: os.open(name, flags))
    kind = stat.S_IFMT(os.fstat(file.fileno()).st_mode)
    if kind != stat.S_IFREG:
        file.close()
        raise UsageError(f"{path}: is {_KINDS.get(kind, 'no file')}; give {what}")
    return file


def replace_file(path: Path, text: str) -> None:
    """Puts the text there in one step, readable by all: nobody sees half of it. Raises OSError.

    Others may write to the folder, and to the same place at once: until then the file has a name
    of its own, which follows no link. It begins as the place's does and ends in ".unfinished".
    """
    prefix, suffix = f"{path.name}.", ".unfinished"
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=suffix)
    unfinished = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
        unfinished.chmod(0o644)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
