# SPDX-License-Identifier: Apache-2.0
"""Scripts that have two ends of a network on the board itself."""

from pathlib import Path

_FILE = Path(__file__).with_name("ends.sh")
# The files that such a script includes.
ENDS = {_FILE.name: _FILE.read_bytes()}


def in_namespace(name: str, words: str) -> str:
    """The lines that run NAME.sh with those words in a network namespace of its own.

    Nothing of the target's own network is touched.
    """
    return f"""\
if ! unshare -n true 2> wrong; then
    why=$(tail -c 200 wrong | tr '\\n' ' ')
    "$PROBE" say refused what={name} why="no network namespace can be made, which root may: $why"
    exit 0
fi
unshare -n sh {name}.sh {words}
"""
