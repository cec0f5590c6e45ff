# SPDX-License-Identifier: Apache-2.0
"""The common parts of builds by Kbuild, the makefiles of Linux and of BusyBox."""

import os
import re
from collections.abc import Callable

from perfboard.model.progress import Step

COMPILED = re.compile(r"  (CC|AS) ")
# Variables of this machine's other builds must not count here.
VARIABLES = {
    "KBUILD_BUILD_TIMESTAMP": "2000-01-01",
    "KBUILD_BUILD_USER": "perfboard",
    "KBUILD_BUILD_HOST": "perfboard",
    "KBUILD_BUILD_VERSION": "1",
    "KBUILD_OUTPUT": "",
    "KCONFIG_CONFIG": ".config",
    "KCFLAGS": "",
    "LOCALVERSION": "",
    "MAKEFLAGS": "",
    "MAKELEVEL": "0",
}


def jobs() -> int:
    """How many processors there are to build on."""
    return len(os.sched_getaffinity(0))


def show_compiled(step: Step, count: int) -> Callable[[str], bool]:
    """A function for `command.follow` that shows each of the `count` files that make compiles."""
    done = 0

    def show(line: str) -> bool:
        nonlocal done
        if COMPILED.match(line):
            done += 1
            step.update(min(done, count), line.split()[-1])
        return False

    return show
