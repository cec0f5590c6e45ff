# SPDX-License-Identifier: Apache-2.0
"""The image that a virtual board boots: each part built here, or a file of the user's own."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from perfboard.model.board.kernel import BootArguments, BuiltKernel, Kernel
from perfboard.model.tables import Package, Table, either

Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]*$")]


class _Bootloader(Table):
    delay: Annotated[int, Field(ge=0, le=60)] = 0
    # U-Boot copies the kernel, and an initrd, to these before it starts them.
    kernel_address: Annotated[int, Field(ge=0)]
    initrd_address: Annotated[int, Field(ge=0)] | None = None
    # U-Boot's variables, which replace those made for the board.
    variables: dict[Variable, BootArguments] = Field(default_factory=dict)

    @field_validator("variables")
    @classmethod
    def _delay_has_a_key(cls, variables: dict[str, str]) -> dict[str, str]:
        if "bootdelay" in variables:
            raise ValueError("has `bootdelay`; set image.bootloader.delay instead")
        return variables


class DebianBootloader(_Bootloader):
    """Debian's U-Boot: the package, and the path in it."""

    package: Package
    path: str


class OwnBootloader(_Bootloader):
    """A U-Boot of the user's own."""

    file: Path = Field(strict=False)


Bootloader = Annotated[
    DebianBootloader | OwnBootloader, either("file", OwnBootloader, DebianBootloader)
]


class ReferenceRoot(Table):
    """The root file system of the reference system, with more of Debian's packages."""

    recipe: Literal["reference"]
    packages: Annotated[tuple[Package, ...], Field(strict=False)] = ()


class DebianSystem(Table):
    """The packages of Debian's own system (root=debian) besides its usual ones."""

    packages: Annotated[tuple[Package, ...], Field(strict=False)] = ()


class OwnRoot(Table):
    """A root file system of the user's own."""

    file: Path = Field(strict=False)


Root = Annotated[ReferenceRoot | OwnRoot, either("file", OwnRoot, ReferenceRoot)]


class Initrd(Table):
    """An initial RAM file system of the user's own."""

    file: Path = Field(strict=False)


class _ImageTable(Table):
    kernel: Kernel
    root: Root | None = None
    # The folder that the root file system was made of, by which programs are recognised; and one
    # with the same programs before their symbols were stripped.
    tree: Annotated[Path | None, Field(strict=False)] = None
    symbols: Annotated[Path | None, Field(strict=False)] = None
    debian: DebianSystem = DebianSystem()

    def files(self) -> dict[str, Path]:
        """The user's files, by the keys that name them in the board's file."""
        named = (
            (f"image.{name}.{key}", value)
            for name, part in self
            if isinstance(part, Table)
            for key, value in part
        )
        return {key: value for key, value in sorted(named) if isinstance(value, Path)}


class FlashImage(_ImageTable):
    """The parts that lie in flash, each in its region."""

    bootloader: Bootloader
    initrd: Initrd | None = None


class DiskImage(_ImageTable):
    """The parts of a board whose kernel the emulator's firmware starts."""

    root: Root


class AnyImage(_ImageTable):
    """The parts as a board's file has them."""

    bootloader: Bootloader | None = None
    initrd: Initrd | None = None

    @model_validator(mode="after")
    def _commanded(self) -> "AnyImage":
        own = self.bootloader is not None and "bootcmd" in self.bootloader.variables
        if own and isinstance(self.kernel, BuiltKernel):
            raise ValueError(
                "bootloader.variables has `bootcmd`, which needs kernel.file: a kernel that is "
                "built here is copied by a command that has its size"
            )
        return self
