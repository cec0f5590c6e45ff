# SPDX-License-Identifier: Apache-2.0
"""Artifacts of a run on its image: a boot's functions, and the image's parts."""

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from perfboard.host.files.files import read_file
from perfboard.model.errors import UsageError
from perfboard.model.functions import BootFunctions
from perfboard.model.parts import ImageParts
from perfboard.model.record import Record

# By their names: one in the artifacts of each boot, one in those of the run.
FUNCTIONS, PARTS = "functions.json", "image.json"
_MOST_BYTES = 64 << 20
_Read = TypeVar("_Read", bound=Record)


def read_functions(folder: Path) -> BootFunctions | None:
    """Those of the first boot of the run in `folder`; None if it has none.

    Raises UsageError for a file that is damaged.
    """
    path = folder / "artifacts" / "boot-1" / FUNCTIONS
    return _read(path, BootFunctions, "the functions of a boot")


def read_parts(folder: Path) -> ImageParts | None:
    """Those of the image of the run in `folder`, as `read_functions` does."""
    return _read(folder / "artifacts" / PARTS, ImageParts, "the parts of an image")


def _read(path: Path, kind: type[_Read], what: str) -> _Read | None:
    try:
        return kind.model_validate_json(read_file(path, _MOST_BYTES, what, links=False))
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise UsageError(
            f"{path} has not {what}: it was changed or damaged; copy the run again"
        ) from error
