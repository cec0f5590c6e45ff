# SPDX-License-Identifier: Apache-2.0
"""The firmware before a virtual board's boot, in words."""

from perfboard.model.run import Run
from perfboard.model.units import format_value


def firmware_words(run: Run) -> str:
    """The words on firmware after the time of a virtual boot; "" if nothing comes before it."""
    firmware = run.board.firmware
    if firmware is None:
        return ""
    if firmware.seconds is None:
        return "; firmware before it: left out, not published for this model"
    spread = f", within {format_value(firmware.spread_s, 's')}" if firmware.spread_s else ""
    includes = f", {firmware.includes}" if firmware.includes else ""
    return (
        f"; firmware before it: {format_value(firmware.seconds, 's')}{spread} (published{includes})"
    )
