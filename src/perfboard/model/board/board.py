# SPDX-License-Identifier: Apache-2.0
"""A board as its TOML file describes it."""

import itertools
import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from perfboard.model.board.disk import Disk
from perfboard.model.board.network import Network
from perfboard.model.published import PublishedBoot, Technique
from perfboard.model.tables import HeldSize, Offset, Size, Table
from perfboard.model.timing.part import Timing

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._,=+-]*$")]
# A machine of the emulator's, and its properties.
MachineType = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*(,[a-z0-9-]+=[A-Za-z0-9._+-]+)*$")
]
Package = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9+.-]+$")]
Option = Annotated[str, Field(pattern=r"^CONFIG_[A-Za-z0-9_]+$")]
# One line of printable ASCII, which a variable of U-Boot can hold as it is.
BootArguments = Annotated[str, Field(pattern=r"^[ -~]*$")]
Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]*$")]


# By emulator, the instruction set of what it boots, in the words of native/scope/timing/reader.h.
_ISAS = {
    "qemu-system-arm": "arm",
    "qemu-system-aarch64": "aarch64",
    "qemu-system-i386": "x86",
}
# Properties of a machine that make the emulator read or write a file.
_FILES = ("dtb", "dumpdtb", "firmware", "initrd", "kernel", "shim")


class Machine(Table):
    """What the emulator is told to be."""

    emulator: Literal["qemu-system-arm", "qemu-system-aarch64", "qemu-system-i386"]
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
    def isa(self) -> str:
        """The instruction set that the emulator runs, as the scope calls it."""
        return _ISAS[self.emulator]


class Console(Table):
    """The serial console: its device in the guest and its data register.

    On x86 that is a port, the first of its 16550.
    """

    device: Word
    baud: Annotated[int, Field(gt=0)]
    data_register: Annotated[int, Field(ge=0)]


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


class Bootloader(Table):
    """U-Boot, by Debian package and the path in it, or a file of the user's."""

    package: Package | None = None
    path: str | None = None
    file: Path | None = Field(None, strict=False)
    delay: Annotated[int, Field(ge=0, le=60)] = 0
    # Where U-Boot copies the kernel, and an initrd, before it starts them.
    kernel_address: Annotated[int, Field(ge=0)]
    initrd_address: Annotated[int, Field(ge=0)] | None = None
    # U-Boot's, over those that are made for the board.
    variables: dict[Variable, BootArguments] = Field(default_factory=dict)

    @field_validator("variables")
    @classmethod
    def _said_elsewhere(cls, variables: dict[str, str]) -> dict[str, str]:
        if "bootdelay" in variables:
            raise ValueError("has `bootdelay`, which is said by image.bootloader.delay")
        return variables

    @model_validator(mode="after")
    def _one_origin(self) -> "Bootloader":
        if (self.file is None) == (self.package is None or self.path is None):
            raise ValueError("wants either `file`, or both `package` and `path`")
        return self


class Kernel(Table):
    """A kernel by recipe (`source` and `config`) or by the user's own `file`."""

    source: Package | None = None
    config: Path | None = Field(None, strict=False)
    file: Path | None = Field(None, strict=False)
    system_map: Path | None = Field(None, strict=False)
    arguments: BootArguments = ""
    # What the kernel finds where it calibrates its delay loop on this board.
    loops_per_jiffy: Annotated[int, Field(gt=0)] | None = None
    # What is asked of the configuration for a kernel without what its boot never uses.
    slim: dict[Option, Literal["y", "n"]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_origin(self) -> "Kernel":
        if (self.file is None) == (self.source is None or self.config is None):
            raise ValueError("wants either `file`, or both `source` and `config`")
        if self.system_map is not None and self.file is None:
            raise ValueError("has `system_map` without `file`: a built kernel brings its own")
        if self.slim and self.file is not None:
            raise ValueError("has `slim` beside `file`: only a built kernel can be made slim")
        return self


class Root(Table):
    """The root file system: the reference system's recipe, or the user's own `file`."""

    recipe: Literal["reference"] | None = None
    packages: Annotated[tuple[Package, ...], Field(strict=False)] = ()
    file: Path | None = Field(None, strict=False)

    @model_validator(mode="after")
    def _one_origin(self) -> "Root":
        if (self.file is None) == (self.recipe is None):
            raise ValueError("wants either `file` or `recipe`")
        return self


class Initrd(Table):
    """An initial RAM file system of the user's own."""

    file: Path = Field(strict=False)


class Framebuffer(Table):
    """A frame in RAM that the kernel does not manage, drawn on through simplefb."""

    address: Annotated[int, Field(ge=0)]
    size: HeldSize
    width: Annotated[int, Field(gt=0)]
    height: Annotated[int, Field(gt=0)]


class Image(Table):
    """What the board boots; without a bootloader the emulator's firmware starts the kernel."""

    bootloader: Bootloader | None = None
    kernel: Kernel
    root: Root | None = None
    initrd: Initrd | None = None

    @model_validator(mode="after")
    def _commanded(self) -> "Image":
        own = self.bootloader is not None and "bootcmd" in self.bootloader.variables
        if own and self.kernel.file is None:
            raise ValueError(
                "bootloader.variables has `bootcmd`, which wants kernel.file: a kernel that is "
                "built here is copied by a command that has its size"
            )
        return self


class BootPlan(Table):
    """How a boot is judged: when it is usable, how long it may take.

    `usable` is `exec:NAME` (the start of that program or script) or
    `console:REGEX` (the line that matches). `budget_s` is the verdict's, in
    seconds of the board's clock; without it there is no verdict. `limit_s` is the
    host seconds that may pass from one mark to the next before the boot counts as hung.
    """

    usable: Annotated[str, Field(pattern=r"^(exec|console):.+$")]
    budget_s: Annotated[float | None, Field(gt=0, strict=False)] = None
    limit_s: Annotated[float, Field(gt=0, strict=False)] = 60.0

    @field_validator("usable")
    @classmethod
    def _compiles(cls, value: str) -> str:
        kind, _, what = value.partition(":")
        if kind == "console":
            try:
                re.compile(what)
            except re.error as error:
                raise ValueError(f"is not a regular expression: {error}") from error
        return value


class Board(Table):
    """A device described in a TOML file; file names in it are relative to it."""

    schema_: Literal["perfboard.board/1"] = Field(alias="schema")
    name: Name
    title: str
    description: str
    machine: Machine
    console: Console
    # Where the image lies: in flash, or on a disk.
    flash: Flash | None = None
    disk: Disk | None = None
    network: Network | None = None
    framebuffer: Framebuffer | None = None
    image: Image
    boot: BootPlan
    # A line of the board's data sheet a key, kept for the report.
    facts: dict[str, str] = Field(default_factory=dict)
    # What single changes did on the real board.
    techniques: Annotated[tuple[Technique, ...], Field(strict=False)] = ()
    published_boots: Annotated[tuple[PublishedBoot, ...], Field(strict=False)] = ()
    # What it takes in time; without it, a virtual board counts instructions alone.
    timing: Timing | None = None

    @model_validator(mode="after")
    def _fits(self) -> "Board":
        if self.image.root is None and self.image.initrd is None:
            raise ValueError("image wants a root file system: image.root, image.initrd or both")
        if self.timing and self.machine.cpus > 1:
            raise ValueError(
                f"machine.cpus is {self.machine.cpus}, and the timing model is that of one; "
                "set it to 1, or leave [timing] out"
            )
        return self

    @model_validator(mode="after")
    def _boots(self) -> "Board":
        starts_itself = self.machine.isa == "x86"
        if (self.flash is None) != starts_itself:
            raise ValueError(
                f"{self.machine.emulator} boots "
                + ("the kernel itself: leave flash out" if starts_itself else "from flash")
            )
        if self.timing and self.timing.ports and not starts_itself:
            raise ValueError(f"timing.ports is of x86, which {self.machine.emulator} does not run")
        if self.timing:
            banks = self.flash.banks if self.flash else ()
            self.timing.check_regions([(bank.base, bank.size) for bank in banks])
        if (self.flash is None) != (self.image.bootloader is None):
            raise ValueError("flash and image.bootloader go together; one is missing")
        if self.flash is None:
            return self._without_flash()
        if self.disk is not None:
            raise ValueError("the image lies in flash or on a disk; this has both")
        return self._laid_out(self.flash)

    def _without_flash(self) -> "Board":
        if self.image.initrd is not None or self.framebuffer is not None:
            raise ValueError("a board without flash has no image.initrd and no framebuffer")
        if self.disk is None:
            raise ValueError("wants a disk for image.root, since it has no flash")
        if self.timing is not None and self.timing.flash is not None:
            raise ValueError("timing.flash is of the flash, which this board does not have")
        return self

    def _laid_out(self, flash: Flash) -> "Board":
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
