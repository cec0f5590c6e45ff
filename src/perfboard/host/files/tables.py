# SPDX-License-Identifier: Apache-2.0
"""Reads the TOML files of boards, parts and profiles."""

import re
import tomllib
from pathlib import Path
from typing import Any

from perfboard.host.files.files import read_file
from perfboard.host.files.saved_log import import_advice
from perfboard.model.errors import UsageError

_MOST_BYTES = 1 << 20


def read_table(path: Path, what: str) -> dict[str, Any]:
    """The tables of the file of a `what`, such as "board". Raises UsageError."""
    try:
        return tomllib.loads(read_file(path, _MOST_BYTES, f"a {what} file").decode())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; give a {what} file") from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path}: is not UTF-8 text (byte {error.start}); give a {what} file.{_advice(path)}"
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"{path}: is not TOML: {_with_line(str(error))}; give a {what} file.{_advice(path)}"
        ) from error
    except RecursionError as error:
        raise UsageError(f"{path}: has lists or tables too deep inside each other") from error


def _advice(path: Path) -> str:
    return "" if path.suffix == ".toml" else import_advice(str(path))


def _with_line(message: str) -> str:
    """tomllib's "... (at line 3, column 5)" with the line in front, as in all our messages."""
    match = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", message)
    if match is None:
        return message
    return (
        f"line {match[2]}, column {match[3]}: {match[1]}" if match[2] else f"at its end: {match[1]}"
    )
