# SPDX-License-Identifier: Apache-2.0
"""The command line of `perfboard`: commands, options and their help.

Only the standard library is imported here, so that the command starts at once.
"""

import argparse
import sys
from collections.abc import Sequence

from perfboard.cli.parsers import boards, machine, measuring, runs, verdicts
from perfboard.cli.parsers.base import Command, Commands

_EPILOG = """\
first steps:
  perfboard doctor                     check this machine, list missing packages
  perfboard measure                    measure this machine: memory, kernel, CPU
  perfboard study boot --board verdex  boot a virtual board, see where time goes
  perfboard choose gateway             find the cheapest board for a device
  perfboard tune boot --board verdex   find the settings that boot fastest
  perfboard try rpi2 -- COMMAND        time a program on a board you do not have
  perfboard report latest              write the newest run's HTML report
  perfboard import boot.log            see where the time went in a saved log
  perfboard compare OLD NEW            see what changed between two runs

RUN is a run's id, a unique beginning of one, a path, "latest", "latest:BOARD" or a board's
name (its latest complete run), or TAG:VALUE, such as branch:main (the latest complete run with
that --tag). "~1" after one of the latter four means the run before that one, as in latest~1.

exit codes: 0 done; 1 a verdict failed; 2 the command or a file is wrong;
3 this machine or the way to the target lacks something; 4 the target failed;
5 inconclusive; 70 a defect of Perfboard; 130 interrupted
"""


class _Version(argparse.Action):
    """Looked up when it is asked for, since that takes as long as the rest of this module."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"perfboard {version('perfboard')}")
        parser.exit()


def make_parser() -> Command:
    """The parser; it sets `module` and `function`, which `cli.main` calls."""
    parser = Command(
        prog="perfboard",
        allow_abbrev=False,
        description="Measure embedded Linux boards, real or emulated (virtual): where the time "
        "goes,\nwhat a change did, and what to change. Virtual boards repeat exactly.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, help="print the version of Perfboard, and exit"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    parser.commands = commands.choices
    for group in (boards, measuring, runs, verdicts, machine):
        group.add_commands(Commands(commands))
    return parser


def words_of_today(words: Sequence[str]) -> list[str]:
    """The words with the name that a command has now; "help" and "version" are options too."""
    if words and words[0] in ("help", "version"):
        return [*words[1:], f"--{words[0]}"]
    if list(words[:2]) != ["study", "profile"]:
        return list(words)
    note = "study profile is called `perfboard choose` now, which takes over what was"
    print(f"{note} measured before; the old name goes with the next release", file=sys.stderr)
    rest = [word for word in words[2:] if word != "--resume"]
    # It had a board of its own where none was named.
    named = any(word.partition("=")[0] in ("--board", "--target", "--help", "-h") for word in rest)
    return ["choose", *rest, *([] if named else ["--target", "local"])]
