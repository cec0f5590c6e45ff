# SPDX-License-Identifier: Apache-2.0
"""The kernel of a virtual board: built here by a recipe, or a file of the user's own."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from perfboard.model.tables import Package, Table, as_kind

Option = Annotated[str, Field(pattern=r"^CONFIG_[A-Za-z0-9_]+$")]
# One line of printable ASCII, which a variable of U-Boot can hold as it is.
BootArguments = Annotated[str, Field(pattern=r"^[ -~]*$")]


class _Kernel(Table):
    arguments: BootArguments = ""
    # The kernel's own result when it calibrates its delay loop on this board.
    loops_per_jiffy: Annotated[int, Field(gt=0)] | None = None


class BuiltKernel(_Kernel):
    """A kernel that is built here, from Debian's package of its source."""

    source: Package
    # The fragment of its configuration.
    config: Path
    # The options of a kernel without those that its boot never uses.
    slim: dict[Option, Literal["y", "n"]] = Field(default_factory=dict)


class OwnKernel(_Kernel):
    """A kernel of the user's own."""

    file: Path
    system_map: Path | None = None


class _AnyKernel(_Kernel):
    source: Package | None = None
    config: Path | None = Field(None, strict=False)
    file: Path | None = Field(None, strict=False)
    system_map: Path | None = Field(None, strict=False)
    slim: dict[Option, Literal["y", "n"]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_origin(self) -> "_AnyKernel":
        if (self.file is None) == (self.source is None or self.config is None):
            raise ValueError("wants either `file`, or both `source` and `config`")
        if self.system_map is not None and self.file is None:
            raise ValueError("has `system_map` without `file`: a built kernel brings its own")
        if self.slim and self.file is not None:
            raise ValueError("has `slim` beside `file`: only a built kernel can be made slim")
        return self


def _kind(table: object) -> BuiltKernel | OwnKernel:
    kernel = _AnyKernel.model_validate(table)
    return as_kind(BuiltKernel, kernel) if kernel.file is None else as_kind(OwnKernel, kernel)


Kernel = Annotated[BuiltKernel | OwnKernel, BeforeValidator(_kind)]
