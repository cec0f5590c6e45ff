# SPDX-License-Identifier: Apache-2.0
"""A virtual board as its TOML file describes it."""

import itertools
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from perfboard.model.board.architecture import ARCHITECTURES, Architecture
from perfboard.model.board.board import Board, BoardConsole, BootPlan, Word
from perfboard.model.board.disk import Disk, Medium
from perfboard.model.board.firmware import Firmware
from perfboard.model.board.flash import Flash
from perfboard.model.board.gpu import Gpu
from perfboard.model.board.image import AnyImage, DiskImage, FlashImage
from perfboard.model.board.network import Network
from perfboard.model.board.power import Power
from perfboard.model.board.sold import Sold
from perfboard.model.published import PublishedBoot, PublishedValue, Technique
from perfboard.model.tables import HeldSize, Table, as_kind
from perfboard.model.timing.lacks import Lacks
from perfboard.model.timing.part import Timing

# A machine of the emulator's, and its properties.
MachineType = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*(,[a-z0-9-]+=[A-Za-z0-9._+-]+)*$")
]
_BY_EMULATOR = {known.emulator: known for known in ARCHITECTURES}
# Properties of a machine that make the emulator read or write a file.
_FILES = ("dtb", "dumpdtb", "firmware", "initrd", "kernel", "shim")


def _emulator(value: str) -> str:
    if value not in _BY_EMULATOR:
        raise ValueError(f'is "{value}"; there are: {", ".join(_BY_EMULATOR)}')
    return value


class Machine(Table):
    """The emulated machine."""

    emulator: Annotated[str, AfterValidator(_emulator)]
    type: MachineType
    cpu: Word
    ram: HeldSize
    # Nanoseconds an instruction takes when nothing else is modelled: 2**icount_shift.
    icount_shift: Annotated[int, Field(ge=0, le=10)]
    cpus: Annotated[int, Field(ge=1, le=8)] = 1

    @field_validator("type")
    @classmethod
    def _no_files(cls, value: str) -> str:
        for key in (word.partition("=")[0] for word in value.split(",")[1:]):
            if key in _FILES:
                raise ValueError(f"has `{key}`, which names a file of this machine; leave it out")
        return value

    @property
    def architecture(self) -> Architecture:
        """That of the board's programs, which its emulator runs."""
        return _BY_EMULATOR[self.emulator]

    @property
    def ram_base(self) -> int:
        """The physical address of the memory's first byte."""
        return self.architecture.ram_base

    @property
    def ram_end(self) -> int:
        """The first address beyond the memory."""
        return self.ram_base + self.ram


class Framebuffer(Table):
    """A frame in RAM that the kernel does not manage, drawn on through simplefb."""

    address: Annotated[int, Field(ge=0)]
    size: HeldSize
    width: Annotated[int, Field(gt=0)]
    height: Annotated[int, Field(gt=0)]


class _Virtual(Board):
    machine: Machine
    console: BoardConsole
    network: Network | None = None
    boot: BootPlan
    # The effects of single changes on the real board.
    techniques: Annotated[tuple[Technique, ...], Field(strict=False)] = ()
    published_boots: Annotated[tuple[PublishedBoot, ...], Field(strict=False)] = ()
    # Figures of the real board's disk and network, which a bring-up shows next to its own.
    published: Annotated[tuple[PublishedValue, ...], Field(strict=False)] = ()
    # The timing model; without it, a virtual board only counts instructions.
    timing: Timing | None = None
    power: Power | None = None
    sold: Sold | None = None
    gpu: Gpu | None = None

    @property
    def screen(self) -> tuple[int, int] | None:
        """The pixels of its framebuffer, across and down, if it has one."""
        return None


class FlashBoard(_Virtual):
    """A board with a bootloader, which is in flash.

    The kernel and the root file system lie there too, or on the `medium`, if it has one. Data of
    programs lies on the medium.
    """

    flash: Flash
    medium: Medium | None = None
    firmware: Firmware | None = None
    framebuffer: Framebuffer | None = None
    image: FlashImage

    @property
    def disk(self) -> Disk | None:
        """The medium, as the disk that it is to Linux."""
        return self.medium.disk if self.medium else None

    @property
    def screen(self) -> tuple[int, int] | None:
        """See `_Virtual`."""
        return (self.framebuffer.width, self.framebuffer.height) if self.framebuffer else None

    @property
    def boots_from(self) -> str:
        """The medium that the bootloader reads by default: "flash", "card" or "emmc".

        A command of the user's own reads flash.
        """
        own = "bootcmd" in self.image.bootloader.variables
        return self.medium.name if self.medium and not own else "flash"


class DiskBoard(_Virtual):
    """A board with a disk, whose kernel the emulator's firmware starts."""

    disk: Disk
    image: DiskImage


class _AnyBoard(_Virtual):
    flash: Flash | None = None
    disk: Disk | None = None
    medium: Medium | None = None
    firmware: Firmware | None = None
    framebuffer: Framebuffer | None = None
    image: AnyImage

    @model_validator(mode="after")
    def _fits(self) -> "_AnyBoard":
        if self.image.root is None and self.image.initrd is None:
            raise ValueError("image needs a root file system: image.root, image.initrd or both")
        if self.machine.cpus > self.machine.architecture.processors:
            raise ValueError(
                f"machine.cpus is {self.machine.cpus}, and {self.machine.emulator} has one "
                "processor here; leave it out"
            )
        if self.timing and self.machine.cpus > self.timing.core.cores:
            raise ValueError(
                f"machine.cpus is {self.machine.cpus}, and the part {self.timing.core.name} has "
                f"{self.timing.core.cores}; set it to that at most, or leave [timing] out"
            )
        return self

    @model_validator(mode="after")
    def _boots(self) -> "_AnyBoard":
        starts_itself = not self.machine.architecture.boot
        if (self.flash is None) != starts_itself:
            raise ValueError(
                f"{self.machine.emulator} boots "
                + ("the kernel itself: leave flash out" if starts_itself else "from flash")
            )
        if self.timing and self.timing.ports and not self.machine.architecture.ports:
            raise ValueError(f"timing.ports: {self.machine.emulator} has no ports; leave it out")
        if self.timing and self.timing.lacks:
            self._check_lacks(self.timing.lacks)
        if self.timing:
            banks = self.flash.banks if self.flash else ()
            self.timing.check_regions([(bank.base, bank.size) for bank in banks])
        if (self.flash is None) != (self.image.bootloader is None):
            raise ValueError("flash and image.bootloader go together; one is missing")
        if self.flash is None:
            return self._without_flash()
        return self._with_flash(self.flash)

    def _check_lacks(self, lacks: Lacks) -> None:
        if lacks.hwcaps and not self.machine.architecture.hides:
            raise ValueError(
                "timing.lacks.hwcaps is of a 32-bit Arm kernel, which "
                f"{self.machine.emulator} does not run; leave it out"
            )

    def _without_flash(self) -> "_AnyBoard":
        if self.image.initrd is not None or self.framebuffer is not None:
            raise ValueError("a board without flash has no image.initrd and no framebuffer")
        if self.medium is not None:
            raise ValueError("boots from its disk: give [disk], and no [medium]")
        if self.firmware is not None:
            raise ValueError("firmware is that before a bootloader, which this board does not have")
        if self.disk is None:
            raise ValueError("needs a disk for image.root, since it has no flash")
        if self.timing is not None and self.timing.flash is not None:
            raise ValueError("timing.flash is of the flash, which this board does not have")
        return self

    def _with_flash(self, flash: Flash) -> "_AnyBoard":
        if self.disk is not None:
            raise ValueError(
                "[disk] is of a board that boots from one; call it [medium.card], or [medium.emmc]"
            )
        placed: list[tuple[int, int, int, str]] = []
        for name, region in flash.regions().items():
            if region.bank >= len(flash.banks):
                raise ValueError(f"flash.{name}.bank is {region.bank}; the banks are 0 and 1")
            if region.offset + region.size > flash.banks[region.bank].size:
                raise ValueError(
                    f"flash.{name} ends at {region.offset + region.size:#x}, beyond bank "
                    f"{region.bank}, which ends at {flash.banks[region.bank].size:#x}"
                )
            placed.append((region.bank, region.offset, region.offset + region.size, name))
        placed.sort()
        for (bank, _, end, name), (next_bank, start, _, next_name) in itertools.pairwise(placed):
            if bank == next_bank and end > start:
                raise ValueError(f"flash.{name} and flash.{next_name} overlap in bank {bank}")
        for name, wanted, place in (
            ("root", self.image.root, flash.root),
            ("initrd", self.image.initrd, flash.initrd),
        ):
            if (wanted is None) != (place is None):
                raise ValueError(f"image.{name} and flash.{name} go together; one is missing")
        bootloader = self.image.bootloader
        if self.image.initrd and bootloader and bootloader.initrd_address is None:
            raise ValueError("image.bootloader.initrd_address is missing; image.initrd needs it")
        return self


def _kind(table: object) -> FlashBoard | DiskBoard:
    board = _AnyBoard.model_validate(table)
    if board.flash is None:
        return as_kind(DiskBoard, board, image=as_kind(DiskImage, board.image))
    return as_kind(FlashBoard, board, image=as_kind(FlashImage, board.image))


# File names in it are relative to its file.
VirtualBoard = Annotated[FlashBoard | DiskBoard, BeforeValidator(_kind)]
