# SPDX-License-Identifier: Apache-2.0
"""The options that a study declares: the fields of a frozen dataclass, each made by `option`."""

import math
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any

from perfboard.model.errors import UsageError


@dataclass(frozen=True)
class Option:
    """A field's option on the command line, besides its name and default.

    `parse` raises ValueError. If the option is `repeated`, `parse` gets all its values.
    """

    help: str
    parse: Callable[[Any], Any] = str
    metavar: str = "X"
    only: str = ""  # the kinds of target that it is for, as in "serial, labgrid"
    repeated: bool = False
    positional: bool = False  # a word by itself, after the study's name
    switch: bool = False  # it has no value: given, the field is its own name
    formerly: str = ""  # its name before, which is taken for one release, with a note


def option(default: Any, help: str, **details: Any) -> Any:
    """A field whose value the user gives as an option; see `Option` for the details."""
    metadata = {Option: Option(help, **details)}
    if isinstance(default, dict):
        return field(default_factory=default.copy, metadata=metadata)
    return field(default=default, metadata=metadata)


def declared(options: Any) -> Iterator[tuple[Field[Any], Option]]:
    """The options among the fields of a dataclass or of an instance of it."""
    for each in fields(options):
        if Option in each.metadata:
            yield each, each.metadata[Option]


def flag(name: str) -> str:
    """How the user writes the option that the field `name` declares, as --as that of `as_`."""
    return f"--{name.rstrip('_').replace('_', '-')}"


def check_target(options: Any, target: str) -> None:
    """Raises UsageError if an option is given that is for another kind of target."""
    given = [(each, of) for each, of in declared(options) if of.only]
    for only in dict.fromkeys(of.only for _, of in given):
        flags = [
            flag(each.name)
            for each, of in given
            if of.only == only and getattr(options, each.name) != _default(each)
        ]
        if flags and target.partition(":")[0] not in only.split(", "):
            raise UsageError(
                f"{', '.join(flags)}: only for {only} targets, and this one is {target}; omit it"
            )


def _default(each: Field[Any]) -> Any:
    return each.default if each.default_factory is MISSING else each.default_factory()


def parse_count(what: str, least: int, most: int) -> Callable[[str], int]:
    """Parses a number of something."""

    def parse(text: str) -> int:
        if not re.fullmatch("[0-9]{1,9}", text) or not least <= int(text) <= most:
            raise ValueError(f'"{text}" is not a number of {what} from {least} to {most}')
        return int(text)

    return parse


def parse_cpu(text: str) -> int:
    """Parses the number of a CPU."""
    if not re.fullmatch("[0-9]{1,4}", text):
        raise ValueError(f'"{text}" is not the number of a CPU')
    return int(text)


def parse_seconds(text: str) -> float:
    """Parses a time of at least a second and at most a day."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 1 <= value <= 86_400:
        raise ValueError(f'"{text}" is not a number of seconds from 1 to 86400')
    return value


def parse_duration(text: str) -> float:
    """Parses a time of more than nothing and at most a day, in seconds."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 86_400:
        raise ValueError(f'"{text}" is not a number of seconds above 0, at most 86400')
    return value


def parse_command(text: str) -> tuple[str, ...]:
    """Parses a command line into its words, as a shell does."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise ValueError(f'"{text}" is not a command: {error}') from error
    if not words:
        raise ValueError("it is empty: give a command, or omit the option")
    return words


def parse_regex(text: str) -> str:
    """Checks a regular expression."""
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f'"{text}" is no regular expression: {error}') from error
    return text


def parse_usable(text: str) -> str:
    """The end of a boot: "exec:NAME", or "console:REGEX", which may be written as REGEX alone."""
    kind, colon, what = text.partition(":")
    if kind not in ("exec", "console") or not colon:
        kind, what = "console", text
    if not what:
        raise ValueError(f'"{text}" names no line and no program; give "login:", or "exec:NAME"')
    return f"{kind}:{parse_regex(what) if kind == 'console' else what}"


def parse_console_line(text: str) -> str:
    """The expression of the line that ends a boot, of a board that only its console shows."""
    kind, _, what = parse_usable(text).partition(":")
    if kind == "exec":
        raise ValueError(
            f'"{text}" is the start of a program, which only a virtual board shows; give a line of '
            'the console, as "login:"'
        )
    return what


def parse_switch(text: str) -> bool:
    """Parses on or off."""
    if text not in ("on", "off"):
        raise ValueError(f'"{text}" is neither on nor off')
    return text == "on"


def parse_levels(words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Parses FACTOR=LEVEL words."""
    pairs = []
    for word in words:
        factor, equals, level = word.partition("=")
        if not (factor and equals and level):
            raise ValueError(f'it takes FACTOR=LEVEL, as in console=quiet; found "{word}"')
        pairs.append((factor, level))
    return tuple(dict.fromkeys(pairs))


def parse_one_level_each(words: Sequence[str]) -> dict[str, str]:
    """Parses FACTOR=LEVEL words, each of another factor."""
    found: dict[str, str] = {}
    for word in words:
        for factor, level in parse_levels([word]):
            if factor in found:
                raise ValueError(f"factor {factor} is given twice")
            found[factor] = level
    return found
