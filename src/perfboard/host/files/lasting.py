# SPDX-License-Identifier: Apache-2.0
"""Makes files and folders last through a loss of power."""

import os
from pathlib import Path


def sync(path: Path) -> None:
    """A file's bytes, or a folder's entries. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """A folder with all in it. Raises OSError."""
    for parent, _, files in os.walk(folder):
        for name in files:
            path = Path(parent, name)
            if not path.is_symlink():
                sync(path)
        sync(Path(parent))
