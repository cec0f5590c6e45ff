# SPDX-License-Identifier: Apache-2.0
"""Where programs of this machine are looked for."""

import os

_SYSTEM = ("/usr/local/sbin", "/usr/sbin", "/sbin")


def find_system_tools() -> None:
    """Has this process, and all that it starts, look for programs in the system's folders too.

    An ordinary user's PATH often lacks them, and makers of file systems lie there.
    """
    path = os.environ.get("PATH", os.defpath)
    # An empty folder in it would be the working folder.
    folders = path.split(os.pathsep) if path else []
    more = [folder for folder in _SYSTEM if folder not in folders]
    os.environ["PATH"] = os.pathsep.join([*folders, *more])
