# SPDX-License-Identifier: Apache-2.0
"""Files that a target's shell printed as they are. It needs no probe for that."""

from collections.abc import Sequence

# Its path, and its lines.
RawFile = tuple[str, list[str]]
_HEAD = "@file "


def raw_script(paths: Sequence[str]) -> str:
    """A line of a script that prints files; of one that is not there, the head alone."""
    return f'for f in {" ".join(paths)}; do echo "{_HEAD}$f"; cat "$f" 2>/dev/null; done\n'


def raw_files(output: str) -> list[RawFile]:
    """The files of an output, in their order.

    A file ends where the next one begins, so that the last has whatever is printed after it.
    """
    found: list[RawFile] = []
    for line in output.splitlines():
        if line.startswith(_HEAD):
            found.append((line.removeprefix(_HEAD).strip(), []))
        elif found:
            found[-1][1].append(line)
    return found
