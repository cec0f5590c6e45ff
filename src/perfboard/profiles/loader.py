# SPDX-License-Identifier: Apache-2.0
"""Finds, reads and checks the files of device profiles."""

import re
from pathlib import Path

from pydantic import ValidationError

from perfboard.host.files.tables import read_table
from perfboard.model.board.board import NAME
from perfboard.model.errors import UsageError
from perfboard.model.problems import problems_of
from perfboard.model.profile import Profile
from perfboard.model.text import nearest

_SHIPPED = Path(__file__).parent


def list_profiles() -> list[str]:
    """The names of the profiles that come with Perfboard."""
    return sorted(path.stem for path in _SHIPPED.glob("*.toml"))


def profile_path(name_or_path: str) -> Path:
    """The profile's file. Raises UsageError for a name that there is not."""
    if "/" in name_or_path or name_or_path.endswith(".toml"):
        return Path(name_or_path)
    if name_or_path not in (names := list_profiles()):
        raise UsageError(
            f'there is no profile "{name_or_path}"{nearest(name_or_path, names)} The profiles are: '
            f"{', '.join(names)}. For a file of your own, give its path, as ./recorder.toml; "
            "`perfboard profiles new NAME` writes one to begin with"
        )
    return _SHIPPED / f"{name_or_path}.toml"


def is_shipped(path: Path) -> bool:
    """Whether the profile comes with Perfboard: others may run any command."""
    return path.resolve().parent == _SHIPPED.resolve()


def load_profile(path: Path) -> Profile:
    """The profile in that file. Raises UsageError, a line for each key at fault."""
    try:
        return Profile.model_validate(read_table(path, "profile"))
    except ValidationError as error:
        raise UsageError(problems_of(error, "profile", str(path))) from error


def new_profile(folder: Path, name: str) -> Path:
    """Writes a commented profile to begin with, `name`.toml in the folder; its path.

    Raises UsageError where there is such a file, or the name does not do.
    """
    if not re.fullmatch(NAME, name):
        raise UsageError(
            f'profiles new {name}: give at most 40 of a-z, 0-9 and "-", the first no "-"'
        )
    path = folder / f"{name}.toml"
    try:
        with path.open("x") as file:
            file.write((_SHIPPED / "new.txt").read_text().replace("NAME", name))
    except FileExistsError:
        raise UsageError(f"{path}: is there already; choose another name") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    return path
