# SPDX-License-Identifier: Apache-2.0
"""A study's options as options of a command."""

import argparse
import sys
from typing import TYPE_CHECKING, TypeVar

from perfboard.model.errors import UsageError
from perfboard.model.options import declared, flag

if TYPE_CHECKING:
    from perfboard.model.board.real import RealBoard

_Options = TypeVar("_Options")


def add_options(parser: argparse.ArgumentParser, options: type[object]) -> None:
    """Adds each option that the dataclass `options` declares."""
    for each, of in declared(options):
        words = f"{of.only} targets: {of.help}" if of.only else of.help
        if of.positional:
            parser.add_argument(each.name, nargs="?", metavar=of.metavar, help=words)
            continue
        if of.switch:
            name = flag(each.name)
            parser.add_argument(name, dest=name, action="store_const", const=each.name, help=words)
            continue
        parser.add_argument(
            flag(each.name),
            dest=flag(each.name),
            action="append" if of.repeated else "store",
            metavar=of.metavar,
            help=words,
        )
        if of.formerly:
            parser.add_argument(flag(of.formerly), dest=flag(of.formerly), help=argparse.SUPPRESS)


def options_from(
    options: type[_Options],
    given: argparse.Namespace,
    real: "RealBoard | None" = None,
    **fields: object,
) -> _Options:
    """An `options` of what the user gave, else of the `real` board's file, and of `fields`.

    Raises UsageError for a wrong text.
    """
    for each, of in declared(options):
        text = getattr(given, each.name if of.positional else flag(each.name))
        if text is None and of.formerly and (text := getattr(given, flag(of.formerly))) is not None:
            words = f"{flag(of.formerly)} is called {flag(each.name)} now"
            print(f"{words}; the old name goes with the next release", file=sys.stderr)
            text = [text] if of.repeated else text
        if text is None:
            # A board's price is a number, and `--price` is of several boards.
            if of.only and (kept := getattr(real, each.name, None)):
                fields[each.name] = kept
            continue
        try:
            fields[each.name] = of.parse(text)
        except ValueError as error:
            raise UsageError(f"{flag(each.name)}: {error}") from error
    return options(**fields)
