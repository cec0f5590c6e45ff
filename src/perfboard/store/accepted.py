# SPDX-License-Identifier: Apache-2.0
"""Accepted levels: the runs that later ones are judged by, each with the user's reason.

Each is a file of its own next to the runs, so that two writers lose nothing.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, ValidationError

from perfboard.host.files.files import read_file, replace_file
from perfboard.host.files.shared import make_folder
from perfboard.model.errors import UsageError
from perfboard.model.record import Moment, Record
from perfboard.store.folder import disk_errors, runs_folder

_MOST_BYTES = 64 << 10


class Acceptance(Record):
    """A run that was taken as baseline: why, and when."""

    schema_: Literal["perfboard.accepted/1"] = Field("perfboard.accepted/1", alias="schema")
    run: Annotated[str, Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$")]
    reason: Annotated[str, Field(min_length=1, max_length=1000)]
    accepted: Moment

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


def accepted_folder() -> Path:
    """The folder of the accepted levels."""
    return runs_folder().parent / "accepted"


def accept(run: str, reason: str) -> Acceptance:
    """Takes the run of that id as the baseline of later ones like it.

    Raises EnvironmentLacksError if the disk refuses it.
    """
    taken = Acceptance(run=run, reason=reason, accepted=datetime.now(UTC))
    folder = accepted_folder()
    path = folder / f"{run}.json"
    with disk_errors(path):
        make_folder(folder)
        replace_file(path, taken.model_dump_json(by_alias=True, indent=1) + "\n")
    return taken


def accepted_runs() -> list[Acceptance]:
    """All of them, the last accepted first. Raises UsageError for a file that is damaged."""
    try:
        paths = sorted(accepted_folder().glob("[!.]*.json"))
    except FileNotFoundError:
        return []
    return sorted(map(_read, paths), key=lambda each: each.accepted, reverse=True)


def _read(path: Path) -> Acceptance:
    try:
        data = read_file(path, _MOST_BYTES, "an accepted level", links=False)
        return Acceptance.model_validate_json(data)
    except (OSError, ValidationError) as error:
        raise UsageError(
            f"{path} is no accepted level: it was changed or damaged; delete it, and accept the "
            "run again with `perfboard gate --accept REASON RUN`"
        ) from error
