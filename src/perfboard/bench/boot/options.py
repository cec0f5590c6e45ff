# SPDX-License-Identifier: Apache-2.0
"""The options of each study that boots a board on a serial line."""

from typing import Any

from perfboard.model.options import option, parse_regex, parse_seconds
from perfboard.targets.serial.watch import BOOT_S, SILENT_S


def usable_option() -> Any:
    """The field of the console line that says that the board is ready; "" for the board file's."""
    return option(
        "",
        "the console line that means ready",
        parse=parse_regex,
        metavar="REGEX",
        only="serial, labgrid",
    )


def silence_option() -> Any:
    """The field of the longest silence of a board that boots, in s."""
    return option(
        SILENT_S,
        f"how long the board may be silent (default: {SILENT_S:g})",
        parse=parse_seconds,
        metavar="S",
        only="serial, labgrid",
    )


def timeout_option() -> Any:
    """The field of the longest boot, in s."""
    return option(
        BOOT_S,
        f"how long the board may take to be ready (default: {BOOT_S:g})",
        parse=parse_seconds,
        metavar="S",
        only="serial, labgrid",
    )
