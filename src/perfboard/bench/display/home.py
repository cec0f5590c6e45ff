# SPDX-License-Identifier: Apache-2.0
"""The home of a session's programs."""

import tarfile
from pathlib import Path

# How many pictures in succession have to be alike for a reference.
ALIKE = 3


def unpack_home(archive: Path, folder: Path) -> Path:
    """Writes the files of a home's archive into the new `folder`, and returns that."""
    with tarfile.open(archive) as file:
        for entry in file:
            if data := file.extractfile(entry):
                path = folder / entry.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data.read())
    return folder
