# SPDX-License-Identifier: Apache-2.0
"""The parser of a command, and the options that several commands have.

Only the standard library is imported here, so that the command starts at once.
"""

import argparse
import importlib
import re
from collections.abc import Iterable
from typing import Any, NamedTuple, NoReturn

from perfboard.model.errors import UsageError
from perfboard.model.target import command as command_of
from perfboard.model.text import nearest

TARGETS = "local, ssh://[USER@]HOST[:PORT], serial:///dev/NAME, labgrid://PLACE or virtual:BOARD"
RUN = "a run's id, a unique beginning of one, a path, a board's name, TAG:VALUE, or latest"
BEARS = "a tag for the run, such as commit=4f2a91c or branch=main; repeatable"
# The options that take FACTOR=LEVEL.
_LEVELS = ("--set", "--keep", "--allow")


class _Once(argparse.Action):
    """Stores the value of an option, which is given once; `given` has the options so far."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        given: frozenset[str] = getattr(namespace, "given", frozenset())
        if option_string and option_string in given:
            raise UsageError(
                f"{option_string}: is given more than once: {getattr(namespace, self.dest)}, "
                f"{values}; omit one"
            )
        setattr(namespace, self.dest, values)
        if option_string:
            namespace.given = given | {option_string}


class Command(argparse.ArgumentParser):
    """The parser of one command, whose errors are ours and name the nearest right word.

    Options that a study declares are added when the command is given, so that no study is
    imported for another command.
    """

    # The commands below it, if it has any.
    commands: Iterable[str] | None = None

    # The module and class that declare them; or they are those of the study that is named.
    options: tuple[str, str] | None = None
    of_study = False
    # Whether the words after "--" are another program's.
    takes_command = False

    def __init__(self, *words: Any, **details: Any) -> None:
        super().__init__(*words, **details)
        for name in (None, "store"):
            self.register("action", name, _Once)
        self.set_defaults(given=frozenset())

    def parse_known_args(
        self, args: Iterable[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        words = list(args or ())
        _refuse_two_words(words)
        self._refuse_unknown_command(words)
        command: list[str] = []
        if cut_off := self.takes_command and "--" in words:
            cut = words.index("--")
            words, command = words[:cut], words[cut + 1 :]
        if self.options is not None:
            from perfboard.cli.options import add_options

            module, name = self.options
            add_options(self, getattr(importlib.import_module(module), name))
        study = self._add_study(words) if self.of_study else ""
        found, unknown = super().parse_known_args(words, namespace)
        if self.takes_command:
            found.command = command
            if unknown and not cut_off and not unknown[0].startswith("-"):
                raise UsageError(
                    'the command stands after "--": '
                    f"`{command_of('try', found.board, '--', *unknown)}`"
                )
        if unknown:
            what = " ".join(filter(None, (self.prog.partition(" ")[2], study)))
            raise UsageError(
                f"{what} takes no {' '.join(unknown)}{self._meant(unknown[0])} "
                f"`perfboard {what} --help` lists its options"
            )
        return found, unknown

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; `{self.prog} --help` shows how it is written")

    def _refuse_unknown_command(self, words: list[str]) -> None:
        first = words[0] if words else "-"
        if self.commands is not None and first[:1] != "-" and first not in self.commands:
            raise UsageError(
                f'there is no command "{self.prog} {first}"{nearest(first, self.commands)} '
                f"The commands are: {', '.join(self.commands)}"
            )

    def _meant(self, word: str) -> str:
        """The question after what an unknown word was to be, or a full stop."""
        options = re.findall(r"--[a-z][a-z-]*", self.format_help())
        if word.startswith("-"):
            return nearest(word.partition("=")[0], options)
        if "--set" in options and "=" in word:
            return f'; did you mean "--set {word}"?'
        if "--board" in options:
            from perfboard.boards.loader import list_boards

            if word.endswith(".toml") or word in list_boards():
                return f'; did you mean "--board {word}"?'
        return "."

    def _add_study(self, words: list[str]) -> str:
        """Adds the options of the study that the words name, and returns its name, if any."""
        from perfboard.cli.options import add_options
        from perfboard.studies.base import get_study, study_names

        names = study_names()
        name = next((word for word in words if word in names), "")
        if name or (words and not words[0].startswith("-")):
            study = get_study(name or words[0])
            self.description = f"{study.title}. {study.question}"
            add_options(self, study.options)
        return name


class Commands(NamedTuple):
    """The commands of `perfboard`, to which each is added."""

    parsers: "argparse._SubParsersAction[Command]"

    def add(
        self, name: str, module: str, help: str, description: str = "", json: bool = True
    ) -> Command:
        """A command, done by the function of its name in `module` of `perfboard.cli`."""
        command = self.parsers.add_parser(
            name,
            help=help,
            description=description or f"{help[0].upper()}{help[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.set_defaults(module=module, function=name)
        if json:
            add_json(command)
        return command


def _refuse_two_words(words: list[str]) -> None:
    """Raises UsageError for `--set console quiet`."""
    for option, factor, level in zip(words, words[1:], words[2:], strict=False):
        if option in _LEVELS and not factor.startswith("-") and "=" not in factor:
            if level.startswith("-"):
                continue
            raise UsageError(
                f"{option} takes FACTOR=LEVEL as one word; did you mean "
                f'"{option} {factor}={level}"?'
            )


def add_json(command: argparse.ArgumentParser, default: object = False) -> None:
    command.add_argument(
        "--json",
        action="store_true",
        default=default,
        help="print one JSON document to standard output",
    )


def parse_count(text: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f'"{text}" is not a number above 0')
    return int(text)


def add_name(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--name", help="the name of the board on that target, for its runs (default: the target's)"
    )


def add_tag(command: argparse.ArgumentParser, help: str) -> None:
    command.add_argument("--tag", action="append", default=[], metavar="NAME=VALUE", help=help)


def add_set(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FACTOR=LEVEL",
        help="set a factor to a level; repeatable",
    )
