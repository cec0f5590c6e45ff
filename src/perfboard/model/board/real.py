# SPDX-License-Identifier: Apache-2.0
"""A real board as its TOML file describes it."""

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from perfboard.model.board.board import Board
from perfboard.model.options import parse_command, parse_console_line


def _command(value: object) -> tuple[str, ...]:
    if not isinstance(value, str):
        raise ValueError(f"found {value!r}; give a command, as text")
    return parse_command(value)


Command = Annotated[tuple[str, ...], BeforeValidator(_command)]


def _usable(text: str) -> str:
    return parse_console_line(text) if text else ""


Seconds = Annotated[float, Field(ge=1, le=86_400)]


class RealBoard(Board):
    """A board that this machine reaches: the options of a command override its keys."""

    # Its line or its address, as the option --target takes it.
    target: Annotated[str, Field(pattern="^(serial:///.+|labgrid://.+|ssh://.+)?$")] = ""
    # The regular expression of the console line that means ready.
    usable: Annotated[str, AfterValidator(_usable)] = ""
    # How long the board may be silent, and may take to be ready, in s.
    silence: Seconds | None = None
    timeout: Seconds | None = None
    # Commands of this machine: the first resets the board, the second writes an image on it.
    reset: Command = ()
    write: Command = ()
    # The virtual board, by name or file, whose images a tune writes on it.
    virtual: str = ""
