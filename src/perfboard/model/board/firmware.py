# SPDX-License-Identifier: Apache-2.0
"""The firmware of a board, before anything that is emulated."""

from typing import Annotated

from pydantic import Field

from perfboard.model.sourced import WithSource

Seconds = Annotated[float, Field(ge=0, le=600, strict=False)]


class Firmware(WithSource):
    """How long a board's own firmware runs before the bootloader or the kernel, in s.

    `spread` is from the least to the most that was published, and `includes` is also in it.
    """

    duration: Seconds
    spread: Seconds = 0.0
    includes: Annotated[str, Field(pattern=r"^[^\x00-\x1f]*$")] = ""
