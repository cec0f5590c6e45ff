# SPDX-License-Identifier: Apache-2.0
"""The environment of this process, and of the programs that it starts."""

import os

_SYSTEM = ("/usr/local/sbin", "/usr/sbin", "/sbin")
# numpy's library starts a thread for each processor when it is loaded. If it may not, it prints so,
# and interrupts us. The little that is computed here needs none.
_THREADS = "OPENBLAS_NUM_THREADS"
_ours: set[str] = set()


def set_up_environment() -> None:
    """Sets the variables of this process, before any library is loaded.

    Programs are looked for in the system's folders too: an ordinary user's PATH often lacks them,
    and makers of file systems lie there.
    """
    path = os.environ.get("PATH", os.defpath)
    # An empty folder in it would be the working folder.
    folders = path.split(os.pathsep) if path else []
    more = [folder for folder in _SYSTEM if folder not in folders]
    os.environ["PATH"] = os.pathsep.join([*folders, *more])
    if _THREADS not in os.environ:
        os.environ[_THREADS] = "1"
        _ours.add(_THREADS)


def environment_of_programs() -> dict[str, str]:
    """The variables for a program that we start: without those for our own libraries."""
    return {name: value for name, value in os.environ.items() if name not in _ours}
