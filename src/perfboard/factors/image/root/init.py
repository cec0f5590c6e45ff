# SPDX-License-Identifier: Apache-2.0
"""The program that the kernel starts first, and how it starts the others.

In parallel it is startpar, which Debian's System V init runs the scripts by: it takes ours as
they are, and their dependencies as insserv writes them, and busybox's init stays what it is.
Among the others in Debian 12, runit knows no dependencies, openrc brings 1.1 MB of shell scripts
and libraries, finit and s6-rc would take the place of init, its shell on the console and of
the scripts.
"""

from perfboard.factors.base import Factor, Level, set_root
from perfboard.images.root.build import has_reference
from perfboard.model.board.virtual import FlashBoard, VirtualBoard


def _has(board: VirtualBoard) -> bool:
    framed = isinstance(board, FlashBoard) and board.framebuffer is not None
    return framed and has_reference(board)


FACTOR = Factor(
    name="init",
    title="The start of the system's programs",
    levels={
        "sequence": Level(),
        "parallel": Level(set_root(init="parallel")),
        "application": Level(
            set_root(init="application"),
            loses="/proc, /sys and the memory under /var and /dev, the network, the log, the "
            "host's name, and the shell on the console",
            skips_scripts=True,
        ),
    },
    has=_has,
)
