# SPDX-License-Identifier: Apache-2.0
"""`perfboard completion` and `perfboard man`: the commands, for a shell and for `man`."""

import argparse
import importlib
import shlex
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path

from perfboard.boards.loader import list_boards
from perfboard.cli.arguments import make_parser
from perfboard.cli.commands.manual import manual_page
from perfboard.cli.options import add_options
from perfboard.cli.parsers.base import Command
from perfboard.measures.catalogue import all_measures
from perfboard.profiles.loader import list_profiles
from perfboard.studies.base import studies


def completion(options: argparse.Namespace) -> int:
    """Prints the script by which a shell completes the commands."""
    import shtab

    boards = list_boards()
    words = {"STUDY": tuple(studies()), "MEASURE": (*all_measures(), *list_profiles())}
    kinds = {
        "BOARD": _words_or_files("board", boards),
        "RUN": _words_or_files("run", ("latest", *boards)),
        "FILE": shtab.FILE,
    }
    whole = _whole_parser(one_section_each=False)
    for parser in (whole, *_below(whole)):
        for action in parser._actions:
            kind = (
                "BOARD" if action.dest.strip("-") in ("board", "compare") else str(action.metavar)
            )
            if kind in words:
                action.choices = words[kind]
            elif action.type is Path or kind in kinds:
                action.complete = kinds.get(kind, shtab.FILE)  # type: ignore[attr-defined]
    print(shtab.complete(whole, options.shell))
    return 0


def man(options: argparse.Namespace) -> int:
    """Prints the manual page."""
    print(manual_page(_whole_parser(one_section_each=True), version("perfboard")), end="")
    return 0


def _words_or_files(kind: str, some: Iterable[str]) -> dict[str, object]:
    """The completion of a word that is one of some, or a file's path, as shtab takes it."""
    words = shlex.quote(" ".join(some))
    # shtab takes a function whose name says file for one that completes paths.
    function = f"_perfboard_file_or_{kind}"
    bash = f'{function}() {{\n  compgen -W {words} -- "$1"\n  compgen -f -- "$1"\n}}'
    zsh = f"{function}() {{\n  compadd -- ${{(s: :)${{:-{words}}}}}\n  _files\n}}"
    fish = f"(string split ' ' {words}; __fish_complete_path (commandline -ct))"
    preamble = {"bash": bash, "zsh": zsh}
    return {"bash": function, "zsh": function, "fish": fish, "preamble": preamble}


def _whole_parser(one_section_each: bool) -> Command:
    """The parser, with the options that are otherwise added when their command is given.

    The studies' are all at `study`, or in one section each below it.
    """
    whole = make_parser()
    for parser in [whole, *_below(whole)]:
        if parser.options is not None:
            module, name = parser.options
            add_options(parser, getattr(importlib.import_module(module), name))
        if not parser.of_study:
            continue
        if one_section_each:
            below = parser.add_subparsers(prog=parser.prog, metavar="[OPTION]")
            for study in studies().values():
                about = f"{study.title}. {study.question}"
                add_options(below.add_parser(study.name, description=about), study.options)
        else:
            # Studies may have options of one name; a shell completes it alike.
            parser._optionals.conflict_handler = "resolve"
            for study in studies().values():
                add_options(parser, study.options)
    return whole


def _below(parser: argparse.ArgumentParser) -> Iterator[Command]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield command
                yield from _below(command)
