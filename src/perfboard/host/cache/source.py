# SPDX-License-Identifier: Apache-2.0
"""The hash of the code that makes something: a module, and all of ours that it imports."""

import hashlib
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_PACKAGE = "perfboard"
_FOLDER = Path(__file__).parents[2]
_IMPORT = re.compile(
    rf"^[ \t]*(?:from|import)[ ]({_PACKAGE}(?:\.\w+)*)(?:[ ]import[ ](\([^)]*\)|.*))?", re.MULTILINE
)
_NAME = re.compile(r"\w+")


@cache
def hash_code(module: str) -> str:
    """The SHA-256 of the sources of `module` and of all of this package that it needs.

    That is what it imports, within functions too, and what that imports. A module without a file,
    such as a script of `python -c`, has nothing of its own.
    """
    start = getattr(sys.modules.get(module), "__file__", None)
    unread, texts = [Path(start)] if start else [], dict[Path, bytes]()
    while unread:
        path = unread.pop()
        texts[path] = path.read_bytes()
        unread += {found for found in _imported(texts[path].decode()) if found not in texts}
    total = hashlib.sha256()
    for path, text in sorted(texts.items()):
        name = path.relative_to(_FOLDER) if path.is_relative_to(_FOLDER) else module
        total.update(f"{name}\0{hashlib.sha256(text).hexdigest()}\n".encode())
    return total.hexdigest()


def _imported(text: str) -> Iterator[Path]:
    """The files of this package that a source imports, with the packages that they are in."""
    for match in _IMPORT.finditer(text):
        parts = match[1].split(".")[1:]
        # A package's names may be modules.
        modules = [[*parts, name] for name in _NAME.findall(match[2] or "")]
        for names in (*(parts[:end] for end in range(len(parts) + 1)), *modules):
            place = _FOLDER.joinpath(*names)
            yield from filter(Path.is_file, (place.with_suffix(".py"), place / "__init__.py"))
