# SPDX-License-Identifier: Apache-2.0
"""Programs that a command did not find on the board, and the packages or names to use instead."""

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

# As the probe, env and the shells say so of a program.
_ABSENT = re.compile(
    rb"can't execute '([^\s:']{1,100})'|"
    rb"([^\s:']{1,100}): (?:there is no such program|the interpreter or|(?:command )?not found)"
)
_PROGRAMS = ("/usr/bin", "/usr/sbin", "/usr/games")
_MOST = 8


def missing_remarks(errors: bytes, pushed: Iterable[Path], files: Iterable[str]) -> list[str]:
    """A remark for each program that `errors`, the command's standard error, has as absent.

    `files` are those of the packages, by their path on the board.
    """
    absent = dict.fromkeys(
        (one or other).decode(errors="replace") for one, other in _ABSENT.findall(errors)
    )
    programs = {path.name for path in map(PurePosixPath, files) if str(path.parent) in _PROGRAMS}
    remarks = []
    for file in pushed:
        wanted = _interpreter(file)
        # A script that is called by its path is there; what runs it is not.
        called = any("/" in name and PurePosixPath(name).name == file.name for name in absent)
        if wanted and (called or wanted in absent):
            remarks.append(
                f"{file.name} is a script for {wanted}, which is not on the board; --package "
                f"{wanted} may bring it."
            )
    for name in absent:
        near = sorted(program for program in programs if program.startswith(name))
        if near and name not in programs:
            more = f" and {len(near) - _MOST} more" if len(near) > _MOST else ""
            remarks.append(
                f"No package has {name}; what begins so is {', '.join(near[:_MOST])}{more}."
            )
    return remarks


def _interpreter(file: Path) -> str:
    """The name of the program that runs this script, or ""."""
    with file.open("rb") as script:
        mark, _, words = script.readline(256).decode(errors="replace").partition("#!")
    if mark or not words.split():
        return ""
    name, *rest = words.split()
    if PurePosixPath(name).name == "env":
        name = next((word for word in rest if word[0] != "-" and "=" not in word), name)
    return PurePosixPath(name).name
