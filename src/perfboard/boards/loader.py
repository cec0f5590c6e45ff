# SPDX-License-Identifier: Apache-2.0
"""Finds, reads and checks board files."""

import difflib
import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from perfboard.model.board import Board
from perfboard.model.errors import UsageError

_BUILT_IN = Path(__file__).parent
_LONGEST_SHOWN = 60


@dataclass(frozen=True)
class LoadedBoard:
    """A board, the file it came from, and the folder that file names in it start from."""

    board: Board
    path: Path
    folder: Path

    def file(self, name: Path) -> Path:
        """The whole path of a file that the board names."""
        return self.folder / name.expanduser()


def list_boards() -> tuple[str, ...]:
    """The names of the boards that come with Perfboard."""
    return tuple(sorted(path.stem for path in _BUILT_IN.glob("*.toml")))


def load_board(name_or_path: str) -> LoadedBoard:
    """The board of that name, or of that file where the text has "/" or ends in ".toml".

    Raises UsageError with one line for each problem.
    """
    if "/" in name_or_path or name_or_path.endswith(".toml"):
        path = Path(name_or_path).expanduser()
    else:
        path = _built_in(name_or_path)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; wants a board file") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8 text (byte {error.start})") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: is not TOML: {_with_line(str(error))}") from error
    except RecursionError as error:
        raise UsageError(f"{path}: has lists or tables too deep inside each other") from error
    try:
        board = Board.model_validate(table)
    except ValidationError as error:
        raise UsageError("\n".join(f"{path}: {_say(item)}" for item in error.errors())) from error
    loaded = LoadedBoard(board, path, path.resolve().parent)
    _check_files(loaded)
    return loaded


def _built_in(name: str) -> Path:
    names = list_boards()
    if name not in names:
        close = difflib.get_close_matches(name, names, n=1)
        hint = f'; did you mean "{close[0]}"?' if close else "."
        raise UsageError(
            f'there is no board "{name}"{hint} The boards are: {", ".join(names)}. '
            "For a board file of your own, give its path, as ./myboard.toml"
        )
    return _BUILT_IN / f"{name}.toml"


def _with_line(message: str) -> str:
    """tomllib's "... (at line 3, column 5)" with the line in front, as in all our messages."""
    match = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", message)
    if match is None:
        return message
    return (
        f"line {match[2]}, column {match[3]}: {match[1]}" if match[2] else f"at its end: {match[1]}"
    )


def _say(item: ErrorDetails) -> str:
    """One problem that pydantic found, as key, what was found and what is wanted."""
    key = _key(item["loc"])
    match item["type"]:
        case "missing":
            return f"{key}: is missing; wants a value"
        case "extra_forbidden":
            return f"{key}: is not a key of a board file; wants it left out or spelt otherwise"
        case "value_error":
            # A check of our own model, whose words say what was found and wanted.
            return f"{key}: {item['ctx']['error']}" if key else f"{item['ctx']['error']}"
    wanted = item["msg"].removeprefix("Input should ").removeprefix("be ")
    if item["type"] == "string_pattern_mismatch":
        wanted = f"a text that matches {item['ctx']['pattern']}"
    elif item["type"] in ("model_type", "dict_type", "model_attributes_type"):
        wanted = "a table"
    elif item["type"] in ("tuple_type", "list_type"):
        wanted = "a list"
    elif item["type"] == "too_short":
        wanted = f"{item['ctx']['min_length']} or more of them"
    elif item["type"] == "too_long":
        wanted = f"{item['ctx']['max_length']} of them at most"
    return f"{key}: found {_show(item['input'])}; wants {wanted}"


def _key(parts: tuple[int | str, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)[1:]


def _show(value: object) -> str:
    """A value nearly as TOML writes it, on one line and not long."""
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def _check_files(loaded: LoadedBoard) -> None:
    image = loaded.board.image
    named = {
        "image.bootloader.file": image.bootloader.file,
        "image.kernel.file": image.kernel.file,
        "image.kernel.config": image.kernel.config,
        "image.kernel.system_map": image.kernel.system_map,
        "image.root.file": image.root.file if image.root else None,
        "image.initrd.file": image.initrd.file if image.initrd else None,
    }
    problems = [
        f"{loaded.path}: {key}: there is no file {loaded.file(name)}"
        for key, name in named.items()
        if name is not None and not loaded.file(name).is_file()
    ]
    if problems:
        raise UsageError("\n".join(problems))
