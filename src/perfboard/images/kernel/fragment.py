# SPDX-License-Identifier: Apache-2.0
"""The options that a board asks of its kernel's configuration."""

import re
from collections.abc import Mapping
from pathlib import Path

from perfboard.host.files.files import read_file
from perfboard.model.errors import UsageError

_OPTION = re.compile(r'(CONFIG_\w+)=(y|n|-?\d+|0x[0-9a-fA-F]+|"[\w .,:/+=@-]*")', re.ASCII)
_MOST_BYTES = 1 << 20
_UNSET = re.compile(r"# (CONFIG_\w+) is not set", re.ASCII)


def read_fragment(path: Path) -> dict[str, str]:
    """The options that a kernel fragment asks for; "n" stands for "is not set".

    Values are held to a few plain characters, since the kernel's makefiles and
    shell scripts expand them. Raises UsageError with the line at fault.
    """
    options: dict[str, str] = {}
    text = read_file(path, _MOST_BYTES, "a kernel fragment").decode(errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        if match := _OPTION.fullmatch(line):
            options[match[1]] = match[2]
        elif match := _UNSET.fullmatch(line):
            options[match[1]] = "n"
        elif line.strip() and not line.startswith("#"):
            raise UsageError(
                f'{path}: line {number}: found "{line}"; give CONFIG_NAME= and y, n, a number '
                "or a quoted text of letters, digits and plain punctuation; a comment; or nothing"
            )
    return options


def dropped_options(wanted: Mapping[str, str], config: str) -> list[str]:
    """Those `wanted` options that `config`, the text of a .config, has otherwise."""
    lines = (line.partition("=") for line in config.splitlines() if line.startswith("CONFIG_"))
    got = {name: value for name, _, value in lines}
    return [
        f"{name}={value} (came out as {got.get(name, 'n')})"
        for name, value in wanted.items()
        if got.get(name, "n") != value
    ]
