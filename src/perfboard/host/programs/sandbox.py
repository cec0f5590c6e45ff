# SPDX-License-Identifier: Apache-2.0
"""The options by which an emulator gives up what it does not need."""

import subprocess
from functools import cache

from perfboard.host.files.scratch import temporary_folder


@cache
def sandbox(program: str) -> tuple[str, ...]:
    """The options by which the emulator gives up what a guest that breaks out of it could use.

    None for one that was built without seccomp.
    """
    given = ("-sandbox", "on,elevateprivileges=deny,spawn=deny,resourcecontrol=deny")
    asked = [program, *given, "--version"]
    try:
        subprocess.run(asked, cwd=temporary_folder(), capture_output=True, timeout=20, check=True)
    except (subprocess.SubprocessError, OSError):
        return ()
    return given
