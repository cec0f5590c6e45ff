# SPDX-License-Identifier: Apache-2.0
"""Run folders read back. They may have been copied in part, or come from anyone."""

import re
import stat
from pathlib import Path, PurePosixPath

from pydantic import ValidationError
from pydantic_core import from_json

from perfboard.host.files.files import read_file
from perfboard.model.errors import UsageError
from perfboard.model.results.kinds import known
from perfboard.model.run import Run
from perfboard.store.folder import RUN_FILE
from perfboard.store.upgrade.chain import NEW, NEWEST, upgraded
from perfboard.store.upgrade.first import OLD, without_counted_seconds

_SCHEMA = re.compile(r"perfboard\.run/(\d{1,9})")
_MOST_BYTES = 1 << 30


def load_run(folder: Path) -> Run:
    """The run in `folder`, its artifacts checked to be there in their whole size.

    A record of an older schema is upgraded; its file stays as it is. Raises UsageError if run.json
    is missing, incomplete, of a newer schema or not as its schema says, and if an artifact is
    missing, has another size, or lies outside the folder.
    """
    path = folder / RUN_FILE
    data = _read(path)
    try:
        # It refuses what no text can hold, unlike json.loads.
        record = from_json(data)
    except ValueError as error:
        raise UsageError(
            f"{path} is not whole: Invalid JSON: {error}; it was copied in part or changed: "
            "copy the run folder again"
        ) from error
    schema = record.get("schema", OLD) if isinstance(record, dict) else None
    try:
        run = Run.model_validate(upgraded(record) if isinstance(record, dict) else record)
    except ValidationError as error:
        raise UsageError(_words(path, schema, error)) from error
    for artifact in run.artifacts:
        path = artifact_file(folder, artifact.path)
        size = path.stat().st_size
        if size != artifact.size:
            raise UsageError(
                f"{path} has {size} bytes, and {RUN_FILE} says {artifact.size}: the run folder "
                "was copied in part or changed; copy it again"
            )
    return without_counted_seconds(run)


def artifact_file(folder: Path, name: str) -> Path:
    """The file of the artifact that run.json calls `name`.

    Raises UsageError where it is missing, where the name leads out of the
    folder, and where it is, or passes through, a symbolic link.
    """
    relative = PurePosixPath(name)
    if relative.is_absolute() or ".." in relative.parts or "\0" in name or not relative.parts:
        raise UsageError(
            f"{folder / RUN_FILE} names the artifact {name!r}, which lies outside the run folder; "
            "do not trust this run"
        )
    path = folder
    mode = 0
    for part in relative.parts:
        path /= part
        try:
            mode = path.lstat().st_mode
        except OSError as error:
            raise UsageError(
                f"{path} is missing ({error.strerror}), and {RUN_FILE} names it: the run folder "
                "was copied in part or changed; copy it again"
            ) from error
        if stat.S_ISLNK(mode):
            raise UsageError(
                f"{path} is a symbolic link; a run folder has none: do not trust this run"
            )
    if not stat.S_ISREG(mode):
        raise UsageError(f"{path} is not a file, and {RUN_FILE} names it as an artifact")
    return path


def _read(record: Path) -> bytes:
    try:
        # Neither a link to elsewhere nor a pipe that never ends is a record.
        return read_file(record, _MOST_BYTES, "a run's record", links=False)
    except FileNotFoundError as error:
        raise UsageError(
            f"{record} is missing: {record.parent} is not a run folder, or was copied in part; "
            "copy it again"
        ) from error
    except OSError as error:
        raise UsageError(f"cannot read {record}: {error.strerror}") from error


def _words(path: Path, schema: object, error: ValidationError) -> str:
    """The problem with the record, in words; parts of the file are quoted safely."""
    match = _SCHEMA.fullmatch(schema) if isinstance(schema, str) else None
    if match and int(match[1]) > NEWEST:
        return (
            f"{path} has schema {schema}: it was made by a newer Perfboard, and this one "
            f"reads perfboard.run/{NEWEST} and older; install a newer Perfboard to read it"
        )
    problems = error.errors(include_url=False)
    # A record of another schema lacks much; what counts is that it is of another.
    first = next((each for each in problems if each["loc"] == ("schema",)), problems[0])
    if first["type"] == "union_tag_invalid":
        words = (
            f"{path} has a result of kind {_quoted(first['ctx']['tag'])}, which nothing installed "
            "here knows; install the package whose study made it, or a newer Perfboard"
        )
        return "; ".join((words, *known().problems))
    where = ".".join(str(part) for part in first["loc"]) or "the whole"
    return (
        f"{path} is not a run of schema {schema if match else NEW}: {where!r} is "
        f"{_quoted(first['input'])}: {first['msg']}; it was changed or damaged: "
        "copy the run folder again"
    )


def _quoted(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
