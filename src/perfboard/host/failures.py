# SPDX-License-Identifier: Apache-2.0
"""Errors that nobody foresaw: what this machine lacks, or else the details of a defect."""

import errno
import os
import platform
import secrets
import sys
import traceback
from datetime import UTC, datetime
from importlib.metadata import version

from perfboard.host.cache.cache import cache_root
from perfboard.host.files.shared import make_folder

# Errors of a machine that has too little of something, or does not allow it.
_LACKS = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO),
    *(errno.ESTALE, errno.ENAMETOOLONG),
}


def shortage_words(error: BaseException | None) -> str:
    """The memory, files or processes that `error` shows to be too few, in words, or "".

    It may come up anywhere: the file or program that it came up at has nothing to do with it.
    """
    # A stream that would block has the same number, and says how much was written. A thread that
    # does not start has a text alone.
    blocks = hasattr(error, "characters_written")
    if (_number(error) == errno.EAGAIN and not blocks) or "can't start new thread" in str(error):
        return (
            "this user may start no more processes or threads; end some, or raise the limit "
            "(ulimit -u)"
        )
    if isinstance(error, MemoryError) or _number(error) == errno.ENOMEM:
        return (
            "there is too little memory for that on this machine, or too low a limit for it "
            "(ulimit -v); free some, or raise the limit"
        )
    if _number(error) in (errno.EMFILE, errno.ENFILE):
        return f"{os.strerror(errno.EMFILE)}; raise the limit (ulimit -n)"
    return ""


def lack_words(error: BaseException) -> str:
    """The lack of this machine that `error` shows, in words; "" for another error."""
    if words := shortage_words(error):
        return words
    if not isinstance(error, OSError):
        return ""
    if error.errno in _LACKS:
        return f"{'' if error.filename is None else f'{error.filename}: '}{error.strerror}"
    if error.errno == errno.ENOENT and error.filename is None and not _has_folder():
        return "the working folder is gone; change to another one, and run it again"
    return ""


def defect_words(error: BaseException) -> str:
    """The message to the user on the defect that `error` shows."""
    words = f"a defect of Perfboard {version('perfboard')}: {type(error).__name__}: {error}"
    return f"{words}\nPlease report it. {keep_details(error)}"


def keep_details(error: BaseException) -> str:
    """Writes the details of a defect to the folder `errors` of the cache; says where they are."""
    text = (
        f"perfboard {version('perfboard')}, Python {platform.python_version()}, "
        f"{platform.platform()}\n{sys.argv!r}\n{''.join(traceback.format_exception(error))}"
    )
    folder = cache_root() / "errors"
    path = folder / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}.txt"
    try:
        make_folder(folder)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as refusal:
        frames = traceback.extract_tb(error.__traceback__)[-1:]
        place = "".join(f" It was at {frame.filename}:{frame.lineno}." for frame in frames)
        return f"Its details could not be kept in {folder} ({refusal.strerror}).{place}"
    return f"Its details are in {path}"


def _number(error: BaseException | None) -> int | None:
    return error.errno if isinstance(error, OSError) else None


def _has_folder() -> bool:
    try:
        os.getcwd()  # noqa: PTH109
    except OSError:
        return False
    return True
