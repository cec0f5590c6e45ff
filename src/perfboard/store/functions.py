# SPDX-License-Identifier: Apache-2.0
"""The functions of a boot, among a run's artifacts."""

from pathlib import Path

from pydantic import ValidationError

from perfboard.host.files import read_file
from perfboard.model.errors import UsageError
from perfboard.model.functions import BootFunctions

# By its name in the artifacts of a boot.
FUNCTIONS = "functions.json"
_MOST_BYTES = 64 << 20


def read_functions(folder: Path) -> BootFunctions | None:
    """Those of the first boot of the run in `folder`; None if it has none.

    Raises UsageError for a file that is damaged.
    """
    path = folder / "artifacts" / "boot-1" / FUNCTIONS
    try:
        return BootFunctions.model_validate_json(
            read_file(path, _MOST_BYTES, "the functions of a boot", links=False)
        )
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise UsageError(
            f"{path} has no functions of a boot: it was changed or damaged; copy the run again"
        ) from error
