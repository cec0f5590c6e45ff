# SPDX-License-Identifier: Apache-2.0
"""The kernel of a virtual board: built here by a recipe, or a file of the user's own."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from perfboard.model.tables import KernelOption, Package, Table, either

# One line of printable ASCII, which a variable of U-Boot can hold as it is.
BootArguments = Annotated[str, Field(pattern=r"^[ -~]*$")]


class _KernelTable(Table):
    arguments: BootArguments = ""
    # The kernel's own result when it calibrates its delay loop on this board.
    loops_per_jiffy: Annotated[int, Field(gt=0)] | None = None


class BuiltKernel(_KernelTable):
    """A kernel that is built here, from Debian's package of its source."""

    source: Package
    # The fragment of its configuration, and what this board has otherwise.
    config: Path = Field(strict=False)
    options: dict[KernelOption, Literal["y", "n"]] = Field(default_factory=dict)
    # The options of a kernel without those that its boot never uses.
    slim: dict[KernelOption, Literal["y", "n"]] = Field(default_factory=dict)


class OwnKernel(_KernelTable):
    """A kernel of the user's own."""

    file: Path = Field(strict=False)
    system_map: Path | None = Field(None, strict=False)


Kernel = Annotated[BuiltKernel | OwnKernel, either("file", OwnKernel, BuiltKernel)]
