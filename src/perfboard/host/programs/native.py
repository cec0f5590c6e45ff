# SPDX-License-Identifier: Apache-2.0
"""The C sources that are compiled for the user's emulator and kernels."""

from importlib.resources import as_file, files
from pathlib import Path


def native_folder(part: str) -> Path:
    """native/`part`, as installed in the package or as it lies in a checkout."""
    installed = files("perfboard").joinpath("native", part)
    if installed.is_dir():
        with as_file(installed) as folder:
            return folder
    return Path(__file__).parents[4] / "native" / part
