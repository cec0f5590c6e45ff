# SPDX-License-Identifier: Apache-2.0
"""The commands on runs: import, runs, show, report, compare, export."""

import argparse

from perfboard.cli.parsers.base import BEARS, RUN, Commands, add_json, add_tag, parse_count
from perfboard.report.export.formats import FORMATS

_IMPORT = """\
Read saved logs, store the boots in them as one run, and write its report.

A log may be of grabserial, ts, tio, minicom, screen, picocom, labgrid or LAVA, a console log with
the kernel's own times, or dmesg in any of its formats. Its format is found by its content; --as
names it. A phase is as precise as the log's stamps. Phases that a log cannot show are absent: dmesg
has none before the kernel's clock runs. Reports of bootloaders and systemd, traces, captures and
results of other benchmarks are read as well; each may be compressed.

examples:
  perfboard import boot.log
  perfboard import before-1.log before-2.log --name before --evidence silicon
  perfboard import dmesg.txt --usable 'my-app: ready'
  ssh root@board dmesg | perfboard import -
"""


def add_commands(commands: Commands) -> None:
    """Adds the commands of this group."""
    importing = commands.add(
        "import",
        "importing",
        "make a run of a saved console log or dmesg: where the time went",
        _IMPORT,
    )
    importing.set_defaults(function="import_run")
    add_tag(importing, BEARS)
    importing.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a saved log or result; a folder of them; - is the standard input",
    )
    importing.options = ("perfboard.importers.base", "ImportOptions")

    runs = commands.add("runs", "runs", "list the runs, newest first; rm and prune remove some")
    runs.add_argument("--board", help="list only the runs of this board")
    add_tag(runs, "list only the runs with this tag; repeatable")
    runs.add_argument("--limit", type=parse_count, metavar="N", help="list only the newest N")
    runs.add_argument(
        "--unfinished",
        action="store_true",
        help="list only those whose process ended before their record was written",
    )
    of_runs = runs.add_subparsers(metavar="rm|prune")
    runs.commands = of_runs.choices
    rm = of_runs.add_parser("rm", help="delete runs", description="Delete runs.")
    rm.set_defaults(function="rm")
    add_json(rm, default=argparse.SUPPRESS)
    rm.add_argument("runs", metavar="RUN", nargs="+", help=RUN)
    words = "remove the folders of unfinished runs, and print their paths"
    prune = of_runs.add_parser("prune", help=words, description=f"{words.capitalize()}.")
    prune.set_defaults(function="prune")
    add_json(prune, default=argparse.SUPPRESS)
    show = commands.add("show", "stored", "print a run's figures")
    report = commands.add("report", "stored", "write a run's HTML report, and print its path")
    for command in (show, report):
        command.add_argument(
            "run", metavar="RUN", nargs="?", default="latest", help=f"{RUN} (the default)"
        )
    report.add_argument("--open", action="store_true", help="show it in the browser")
    report.add_argument(
        "--with-host",
        action="store_true",
        help="show the user, host and paths of the machine that made the run",
    )
    compare = commands.add(
        "compare", "stored", "compare two runs: what changed, and in which phase"
    )
    compare.add_argument("before", metavar="RUN", help="the earlier run, or the reference")
    compare.add_argument("after", metavar="RUN", help="the later run")
    compare.add_argument(
        "--across-evidence",
        action="store_true",
        help="compare runs of different evidence, such as a real and a virtual board",
    )
    formats = "\n".join(f"  {name:<16} {what}" for name, what in FORMATS.items())
    export = commands.add(
        "export",
        "stored",
        "print a run in another tool's format",
        f"Print a run in another tool's format.\n\nformats:\n{formats}",
    )
    export.add_argument("run", metavar="RUN", help=RUN)
    export.add_argument(
        "--format",
        required=True,
        choices=tuple(FORMATS),
        metavar="FORMAT",
        help="one of the above",
    )
