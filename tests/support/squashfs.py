# SPDX-License-Identifier: Apache-2.0
"""Reads a squashfs that a test has had written."""

import os
import subprocess
from pathlib import Path


def unsquash(image: Path, folder: Path) -> Path:
    """Its files, in `folder`."""
    subprocess.run(
        ["unsquashfs", "-q", "-n", "-no-xattrs", "-d", folder, image],
        check=os.geteuid() == 0,  # only root can make the console
        stdout=subprocess.DEVNULL,
    )
    return folder
