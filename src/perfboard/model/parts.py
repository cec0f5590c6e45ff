# SPDX-License-Identifier: Apache-2.0
"""The parts of a virtual board's image, as an artifact of its boots has them."""

from typing import Literal

from pydantic import ConfigDict, Field

from perfboard.model.record import Record


class FilePart(Record):
    """A file of the root file system."""

    size: int
    sha256: str


class ImageParts(Record):
    """The options of the kernel's configuration, and the files of the root file system by path.

    Either is None where the image does not tell.
    """

    schema_: Literal["perfboard.parts/1"] = Field("perfboard.parts/1", alias="schema")
    config: dict[str, str] | None
    files: dict[str, FilePart] | None

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
