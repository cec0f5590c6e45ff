# SPDX-License-Identifier: Apache-2.0
"""A board's flash: its banks, and what lies where in them."""

from typing import Annotated

from pydantic import Field

from perfboard.model.tables import HeldSize, Offset, Size, Table


class FlashBank(Table):
    """One NOR flash chip select: where the processor sees it, and how large it is."""

    base: Annotated[int, Field(ge=0)]
    size: HeldSize


class Region(Table):
    """A stretch of flash: `bank` by index, `offset` and `size` in bytes."""

    bank: Annotated[int, Field(ge=0)]
    offset: Offset
    size: HeldSize


class Flash(Table):
    """The banks, and what lies where in them."""

    banks: Annotated[tuple[FlashBank, ...], Field(min_length=2, max_length=2, strict=False)]
    sector: Size
    bootloader: Region
    environment: Region
    kernel: Region
    root: Region | None = None
    initrd: Region | None = None

    def regions(self) -> dict[str, Region]:
        """The regions that this flash has, by name."""
        named = {
            "bootloader": self.bootloader,
            "environment": self.environment,
            "kernel": self.kernel,
            "root": self.root,
            "initrd": self.initrd,
        }
        return {name: region for name, region in named.items() if region is not None}
