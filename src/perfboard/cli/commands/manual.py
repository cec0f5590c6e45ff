# SPDX-License-Identifier: Apache-2.0
"""The manual page, made from the command line's help in the language of `man`."""

import argparse
import re
from collections.abc import Iterable, Iterator

# A paragraph that begins with its heading, such as "exit codes: 0 done".
_HEADED = re.compile(r"([a-z ]+):\s+(.*)", re.DOTALL)


def manual_page(whole: argparse.ArgumentParser, version: str) -> str:
    """The page of `whole` and of the commands below it, each with all its options."""
    about = (whole.description or "").partition(":")[0]
    lines = [
        f'.TH {_quoted(whole.prog.upper())} 1 "" {_quoted(f"{whole.prog} {version}")} ""',
        ".SH NAME",
        rf"{_plain(whole.prog)} \- {_plain(about[:1].lower() + about[1:])}",
        ".SH SYNOPSIS",
        *_synopsis(whole),
        ".SH DESCRIPTION",
        *_paragraphs(whole.description or "", ".SS"),
        *_options(whole),
        ".SH COMMANDS",
    ]
    for command in _below(whole):
        lines += [
            f".SS {_quoted(command.prog)}",
            *_paragraphs(command.description or "", ".PP\n.B"),
            ".PP",
            *_synopsis(command),
            *_options(command),
        ]
    return "\n".join([*lines, *_paragraphs(whole.epilog or "", ".SH")]) + "\n"


def _below(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield command
                yield from _below(command)


def _synopsis(parser: argparse.ArgumentParser) -> list[str]:
    usage = " ".join(parser.format_usage().split()).removeprefix("usage: ")
    return [f".B {_quoted(parser.prog)}", _plain(usage.removeprefix(parser.prog).strip())]


def _options(parser: argparse.ArgumentParser) -> list[str]:
    lines = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction | argparse._HelpAction):
            continue
        name = str(action.metavar or "|".join(map(str, action.choices or ())) or action.dest)
        words = ", ".join(action.option_strings)
        if not words:
            words = name
        elif action.nargs != 0:
            words += f" {name if action.metavar or action.choices else name.upper()}"
        described = (action.help or "") % {"prog": parser.prog}
        lines += [".TP", f".B {_quoted(words)}", _plain(" ".join(described.split()))]
    return lines


def _paragraphs(text: str, heading: str) -> Iterable[str]:
    """Paragraphs are filled, lines that are indented stay; a heading gets `heading` before it."""
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        if (headed := _HEADED.fullmatch(part)) is not None:
            title = headed[1].upper() if heading == ".SH" else headed[1]
            yield f"{heading} {_quoted(title)}"
            part = part[headed.start(2) :] if "\n  " not in part else part.partition("\n")[2]
        else:
            yield ".PP"
        if part.startswith(" "):
            yield from (".nf", *map(_plain, part.splitlines()), ".fi")
        else:
            yield from (_plain(line.strip()) for line in part.splitlines())


def _plain(text: str) -> str:
    """Text that means nothing else to `man`; a hyphen can be copied as it is."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


def _quoted(text: str) -> str:
    return '"' + _plain(text).replace('"', '""') + '"'
