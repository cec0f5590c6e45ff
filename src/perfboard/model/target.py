# SPDX-License-Identifier: Apache-2.0
"""The words for a target, and the commands of Perfboard's that messages and reports print."""

import re
import shlex

# Before the name or the file of a virtual board.
_VIRTUAL = "virtual:"
# Before the name of an imported file.
_FILE = "file:"


def virtual_target(board: str) -> str:
    """The target that is the virtual board of that name or file."""
    return f"{_VIRTUAL}{board}"


def virtual_name(target: str) -> str | None:
    """The name or file of the virtual board that the target is; None: it is a real one."""
    return target.removeprefix(_VIRTUAL) if target.startswith(_VIRTUAL) else None


def file_target(name: str) -> str:
    """The target of a run that was imported from the file of that name."""
    return f"{_FILE}{name}"


def place_of(target: str) -> str:
    """A short name for what the user calls a target, of letters, digits, dots and dashes."""
    scheme, _, rest = target.partition(":")
    rest = rest.partition("?coordinator=")[0]
    host = re.sub(r":\d+$", "", rest.rpartition("@")[2])
    return re.sub(r"[^A-Za-z0-9.]+", "-", host or scheme).strip("-.")[-40:] or "target"


def command(*words: str) -> str:
    """A command of Perfboard's as a shell takes it."""
    return shlex.join(("perfboard", *words))


def command_on(target: str, place: str, *words: str) -> str:
    """The command with the words for the target, which the user calls `place`.

    "" for a file that was imported: nothing can be measured there.
    """
    if target.startswith(_FILE):
        return ""
    if (board := virtual_name(target)) is not None:
        return command(*words, "--board", board)
    name = () if place == place_of(target) else ("--name", place)
    return command(*words, "--target", target, *name)
