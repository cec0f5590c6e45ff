# SPDX-License-Identifier: Apache-2.0
"""The commands on many runs: gate, bisect, history, dashboard."""

import argparse
from pathlib import Path

from perfboard.cli.parsers.base import RUN, Command, Commands, add_tag, parse_count

_GATE = """\
Judge a stored run against its baseline. The exit code is 1 where it got worse; the phase, step,
initcall or function that takes longer is named, and what changed in the image.

Without --baseline it is held against the last accepted run of the same study, board, evidence and
factors, never against itself. The first such run is stored as the baseline, and nothing is
compared. --accept takes the run as the new baseline.

--measure A B judges no stored run: it measures A and B in turn, and judges B. Each is a board's
name or file, with levels of a virtual one after commas, or a target. Pairs are measured in the
order A B B A, until it is known whether B is worse; what looks worse is measured again.

Virtual boards repeat, so there the comparison is exact, and one boot of each decides. Elsewhere
noise may fail a gate in 1% of cases at most, over all its metrics together. If noise hides the
answer it is inconclusive: exit code 0 with a warning, or 5 with --strict.

examples:
  perfboard gate
  perfboard gate --baseline main --fail-above 1% latest:verdex
  perfboard gate --baseline 'last 5' --metric 'memory.*' --strict
  perfboard gate --accept 'a new kernel, 2% slower'
  perfboard gate --measure old/board.toml new/board.toml --fail-above 0
  perfboard gate --measure verdex verdex,console=quiet
  perfboard gate --measure ssh://old ssh://new --probe kernel.syscall
"""

_BISECT = """\
Find the first commit that made a virtual board slower. git chooses the commits between GOOD and
BAD, COMMAND builds each, and one boot decides. The phase, process or function that takes longer
is named, and what changed in the image.

Run it in your git repository. The work is done in a private work tree in the temporary folder,
which is removed at the end, also after ^C. Each commit's COMMAND runs at the top of it, and finds
there what the commit before has built. BOARD names its kernel and root file system by paths
next to its file, where COMMAND leaves them.

A commit is bad if it is nearer to BAD than to GOOD, by the metric that changed most. One that does
not build or boot is skipped; if that leaves several, the exit code is 5.

examples:
  perfboard bisect v1.4 HEAD --build './build.sh image' --board ci/board.toml
  perfboard bisect v1.4 HEAD --build make --board ci/board.toml \\
      --metric boot.userspace --fail-above 0
"""


def add_commands(commands: Commands) -> None:
    """Adds the commands of this group."""
    gate = commands.add("gate", "gate", "judge a run: did it get worse than its baseline?", _GATE)
    _add_gate(gate)
    bisect = commands.add("bisect", "bisect", "find the commit that made a board slower", _BISECT)
    bisect.add_argument("good", metavar="GOOD", help="a commit that is fast enough")
    bisect.add_argument("bad", metavar="BAD", help="a later commit that is slower")
    bisect.add_argument(
        "--build",
        required=True,
        metavar="COMMAND",
        help="the command that builds the image of a commit; it runs without a shell",
    )
    bisect.add_argument(
        "--board",
        required=True,
        help="a virtual board's file; a relative path is one of the repository",
    )
    _add_limits(bisect)
    history = commands.add(
        "history",
        "history",
        "show a metric over the runs, and where it changed",
        "Show a metric over the runs, oldest first, and the changes in it: from where on its\n"
        "value is another for good, and between which commits (--tag commit=... of the runs).\n\n"
        "examples:\n"
        "  perfboard history\n"
        "  perfboard history boot.kernel.init --board verdex --tag branch=main\n"
        "  perfboard history 'memory.*' --limit 50 --json",
    )
    history.add_argument(
        "metric",
        metavar="METRIC",
        nargs="*",
        help="a metric, or a pattern of several (default: the headline of each kind of run)",
    )
    dashboard = commands.add(
        "dashboard",
        "dashboard",
        "write a site of all boards and metrics, with the changes of each",
        "Write a static site into the folder OUT: every board and metric over the runs, and\n"
        "where each changed. Open OUT/index.html; no server is needed. It replaces an earlier\n"
        "site there.",
    )
    dashboard.add_argument("out", metavar="OUT", type=Path, help="the folder to write")
    add_tag(dashboard, "only the runs with this tag, such as branch=main; repeatable")
    history.add_argument("--board", help="only the runs of this board")
    history.add_argument(
        "--format",
        choices=("text", "csv"),
        default="text",
        help="csv: a row a run, which Apache Otava reads (default: text)",
    )
    add_tag(history, "only the runs with this tag; repeatable")
    history.add_argument("--limit", type=parse_count, metavar="N", help="only the newest N runs")


def _add_gate(command: Command) -> None:
    command.add_argument("run", metavar="RUN", nargs="?", help=f"{RUN} (the default)")
    command.add_argument(
        "--baseline",
        metavar="B",
        help='a RUN, a branch (the tag branch=B), or "last N" (default: the last accepted run)',
    )
    command.add_argument(
        "--false-alarms",
        default="1%",
        metavar="P%",
        help="how often noise alone may fail the gate, over all metrics (default: 1%%)",
    )
    _add_limits(command)
    command.add_argument(
        "--measure",
        nargs=2,
        metavar=("A", "B"),
        help="measure A and B in turn, and judge B: each a board's name or file, or a target",
    )
    command.options = ("perfboard.studies.gate.study", "GateOptions")
    add_tag(command, "with --measure: a tag for its runs, such as commit=4f2a91c; repeatable")
    command.add_argument(
        "--strict",
        action="store_true",
        help="exit with 5 where it is inconclusive, or nothing was compared",
    )
    command.add_argument(
        "--accept", metavar="REASON", help="judge nothing; take the run as the new baseline"
    )
    command.add_argument(
        "--format",
        choices=("text", "junit", "markdown", "github"),
        default="text",
        help="how to print it (default: text)",
    )


def _add_limits(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--fail-above",
        default="0.5%",
        metavar="P%",
        help="fail if a metric is worse by more than this share (default: 0.5%%)",
    )
    command.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="PATTERN",
        help="what to judge, as in 'boot.*'; repeatable (default: the run's headline, or all)",
    )
