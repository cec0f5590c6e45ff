# SPDX-License-Identifier: Apache-2.0
"""The wait of a virtual board's bootloader for the medium that the kernel lies on."""

from bisect import insort

from perfboard.model.results.boot import Boot

FOUND = "medium.found"


def with_medium_found(boot: Boot, wait_ns: int) -> Boot:
    """The boot with a mark FOUND, so long after the boot command, whose first words wait.

    The wait's length is published, so nothing that the board does shows its end.
    """
    command = boot.mark("boot.command")
    if command is None:
        return boot
    found = command.model_copy(
        update={
            "name": FOUND,
            "t_ns": command.t_ns + wait_ns,
            "source": "published",
            "instructions": None,
        }
    )
    marks = [*boot.marks]
    insort(marks, found, key=lambda mark: mark.t_ns)
    return boot.model_copy(update={"marks": tuple(marks)})
