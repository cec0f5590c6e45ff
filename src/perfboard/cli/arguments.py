# SPDX-License-Identifier: Apache-2.0
"""The command line of `perfboard`: commands, options and their help.

Only the standard library is imported here, so that the command starts at once.
"""

import argparse
import importlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from perfboard.model.errors import UsageError
from perfboard.model.text import nearest
from perfboard.report.export.formats import FORMATS

_TARGETS = "local, ssh://[USER@]HOST[:PORT], serial:///dev/NAME or virtual:BOARD"
# The options that take FACTOR=LEVEL.
_LEVELS = ("--set", "--keep", "--allow")
_NEW = "write the file of a board that boots a kernel and root file system of yours"
_RUN = "a run's id, a unique beginning of one, a path, a board's name, TAG:VALUE, or latest"
_BEARS = "a tag for the run, such as commit=4f2a91c or branch=main; repeatable"
_EPILOG = """\
first steps:
  perfboard doctor                     check this machine, list missing packages
  perfboard study standard             measure this machine: memory, kernel, CPU
  perfboard study boot --board verdex  boot a virtual board, see where time goes
  perfboard tune boot --board verdex   find the settings that boot fastest
  perfboard try rpi2 -- COMMAND        time a program on a board you do not have
  perfboard report latest              write the newest run's HTML report
  perfboard import boot.log            see where the time went in a saved log
  perfboard compare OLD NEW            see what changed between two runs

RUN is a run's id, a unique beginning of one, a path, "latest", "latest:BOARD" or a board's
name (its latest complete run), or TAG:VALUE, such as branch:main (the latest complete run with
that --tag). "~1" behind one of the latter four means the run before that one, as in latest~1.

exit codes: 0 done; 1 a verdict failed; 2 the command or a file is wrong;
3 this machine or the way to the target lacks something; 4 the target failed;
5 inconclusive; 70 a defect of Perfboard; 130 interrupted
"""
_TRY = """\
Boot a virtual board, run a command on it, and print what the command took there.

Standard output, standard error and the exit code are the command's; if a signal killed it,
the exit code is 128 plus the signal's number. A table follows on standard error: real, user
and system time in the board's seconds, instructions, cache and TLB misses, time spent
waiting, and the slowest functions. The run is stored like any other. --json prints its
run.json instead (with --compare, a list of them).

The board has busybox, a shell, and the C and C++ libraries. --package unpacks Debian packages
for the board's architecture without running their scripts, so there are no users and no
services; --without leaves out those that others pull in. --push copies files and folders to
/work, where the command starts as root. Files are read at memory speed; a board's disk is
/dev/pbd, at its own. Written files stay in the board's memory, which the command shares. The
command gets no input without --stdin, which is read to its end before the board boots. ^C
ends the command, and shows its output so far.

examples:
  perfboard try rpi2 -- uname -a
  perfboard try rpi2 --push ./prog --push data.txt -- ./prog data.txt
  perfboard try rpi2 --compare orangepi-pc --package bzip2 --push big -- bzip2 -k big
  perfboard try rpi2 --package python3-minimal -- python3 -c 'print(sum(range(10**6)))'
  perfboard try verdex --time-limit 60 -- sh -c 'ls | sort'
  echo '2^100' | perfboard try rpi2 --package bc --stdin - -- bc
"""

_TUNE = """\
Boot a board with each level of its factors, find the fastest combination, prove it with a new
boot, and list the changes to make, in order, with the lines to write.

Each combination is one boot. Boots are cached, so an interrupted tune continues where it
stopped. A level that makes the device lose a function is tried, but the best combination has
it only with --allow. --max-flash limits the bytes of bootloader, kernel and root file system;
--max-ram limits the memory that programs cannot have when the board is usable.

With --target, each image is written to a real board and booted there, in turns: at least 5
boots each, until half the interval of the median is below 1%, or until --boots. If the boots
do not separate the best combination from the baseline, the tune is inconclusive (exit code 5).

examples:
  perfboard tune boot --board verdex
  perfboard tune boot --board verdex --max-flash 4MB --max-ram 16MB --keep console=full
  perfboard tune boot --board ./my-board.toml --set flash=delivered
  perfboard tune boot --board ./my-board.toml --target serial:///dev/ttyUSB0 \\
      --write './flash.sh' --reset 'uhubctl -a cycle -l 1-1 -p 2' --usable 'login:'
"""

_IMPORT = """\
Read saved logs, store the boots in them as one run, and write its report.

A log may be of grabserial, ts, tio, minicom, screen, picocom, labgrid or LAVA, a console log with
the kernel's own times, or dmesg in any of its formats. Its format is found by its content; --format
names it. A phase is as precise as the log's stamps. Phases that a log cannot show are absent: dmesg
has none before the kernel's clock runs.

examples:
  perfboard import boot.log
  perfboard import before-1.log before-2.log --name before --evidence silicon
  perfboard import dmesg.txt --usable 'my-app: ready'
"""

_GATE = """\
Judge a stored run against its baseline. The exit code is 1 where it got worse; the phase, step,
initcall or function that takes longer is named, and what changed in the image.

Without --baseline it is held against the last accepted run of the same study, board, evidence and
factors. The first such run passes, and becomes the baseline. --accept takes a new level.

--measure A B judges no stored run: it measures A and B in turn, and judges B. Each is a board's
name or file, with levels of a virtual one behind commas, or a target. Pairs are measured in the
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
beside its file, where COMMAND leaves them.

A commit is bad if it is nearer to BAD than to GOOD, by the metric that changed most. One that does
not build or boot is skipped; if that leaves several, the exit code is 5.

examples:
  perfboard bisect v1.4 HEAD --build './build.sh image' --board ci/board.toml
  perfboard bisect v1.4 HEAD --build make --board ci/board.toml \\
      --metric boot.userspace --fail-above 0
"""

_CACHE = """\
Show the results of earlier work that are kept: by kind their number, size and last use.

Kernels, images, packages, compiled programs and the boots of a tune are kept, so that the next
command need not make them again. A command reads every file that it takes from there, and
compares it with what was written. It builds a damaged entry again, and says so on standard
error. You may delete anything there at any time.

The cache has a limit of 20 GB. Set PERFBOARD_CACHE_SIZE for another, as in "8 GB" or "500 MB".
Then the entries that were not used for longest are removed; a running command keeps its own.
XDG_CACHE_HOME says where the cache is.

`check` names damaged entries; its exit code is then 3. `clear` removes all unused entries.

examples:
  perfboard cache
  perfboard cache check
  perfboard cache clear
  PERFBOARD_CACHE_SIZE='8 GB' perfboard study boot --board verdex
"""

_COMPLETION = """\
Print the script by which a shell completes commands, options, boards, studies and probes.

examples:
  perfboard completion bash \\
      > ~/.local/share/bash-completion/completions/perfboard
  perfboard completion zsh > "${fpath[1]}/_perfboard"
  perfboard completion fish > ~/.config/fish/completions/perfboard.fish
"""
_MAN = """\
Print the manual page.

examples:
  perfboard man | man -l -
  perfboard man > ~/.local/share/man/man1/perfboard.1
"""


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

    def parse_known_args(
        self, args: Iterable[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """See `argparse`."""
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
                    f'the command stands behind "--": {self.prog} {found.board} -- '
                    f"{' '.join(unknown)}"
                )
        if unknown:
            what = " ".join(filter(None, (self.prog.partition(" ")[2], study)))
            raise UsageError(
                f"{what} takes no {' '.join(unknown)}{self._meant(unknown[0])} "
                f"`perfboard {what} --help` lists its options"
            )
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """See `argparse`."""
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


class _Version(argparse.Action):
    """Looked up when it is asked for, since that takes as long as the rest of this module."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        parser.exit(message=f"perfboard {version('perfboard')}\n")


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

    def add(name: str, module: str, help: str, description: str = "") -> Command:
        command = commands.add_parser(
            name,
            help=help,
            description=description or f"{help[0].upper()}{help[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.set_defaults(module=module, function=name)
        _add_json(command)
        return command

    add(
        "doctor",
        "machine",
        "check this machine for missing tools, and print the command that installs them",
    )
    boards = add(
        "boards",
        "boards",
        "list the boards; show, verify or slim one; write the file of a new one",
    )
    of_one = boards.add_subparsers(metavar="show|verify|slim|new")
    boards.commands = of_one.choices
    for name, help in (
        ("show", "print a board's description; --json adds its part and inherited keys"),
        ("verify", "compare a virtual board with published figures of the real one"),
        ("slim", "list the kernel options that a boot never uses, for the board file"),
    ):
        one = of_one.add_parser(
            name, help=help, description=f"{help[0].upper()}{help[1:]}.", allow_abbrev=False
        )
        one.set_defaults(function=name)
        # SUPPRESS: `boards --json show` keeps the value that `boards` parsed.
        _add_json(one, default=argparse.SUPPRESS)
        one.add_argument("board", metavar="BOARD", help="a board's name, or a board file")
        if name == "verify":
            one.options = ("perfboard.studies.standard.study", "BudgetOptions")
    _add_new(of_one.add_parser("new", help=_NEW, description=f"{_NEW.capitalize()}."))
    add("studies", "boards", "list the studies, with their factors and levels")
    profiles = add(
        "profiles",
        "profiles",
        "list the device profiles; show one, or write one of your own",
        "List the device profiles, and what they ask of a board.\n\n"
        "`perfboard profiles show media-recorder` prints a profile's file;\n"
        "`perfboard profiles new my-device` writes my-device.toml to begin with;\n"
        "`perfboard study profile ./my-device.toml --board rpi2` asks it of a board.",
    )
    profiles.add_argument("action", nargs="?", choices=("show", "new"), help="what to do")
    profiles.add_argument("name", nargs="?", metavar="NAME", help="a profile's name, or its file")
    build = add("build", "boards", "build a board's image without booting it")
    build.add_argument("board", metavar="BOARD", help="a board's name, or a board file")
    _add_set(build)

    study = add(
        "study",
        "study",
        "measure a target, store the run, write its report",
        "Measure a target, store the run, and write its report, whose path is the last line.\n\n"
        "examples:\n"
        "  perfboard study boot --board verdex\n"
        "  perfboard study boot --board verdex --set initcall_debug=on\n"
        "  perfboard study boot --board ./my-board.toml --boots 10\n"
        "  perfboard study boot --target serial:///dev/ttyUSB0 --usable 'login:' \\\n"
        "      --reset 'uhubctl -a cycle -l 1-1 -p 2'\n"
        "  perfboard study standard --target local\n\n"
        "`perfboard study STUDY --help` lists the options of that study.",
    )
    study.of_study = True
    study.add_argument("study", metavar="STUDY", help="a study that `perfboard studies` lists")
    study.add_argument(
        "--board",
        action="append",
        help="a virtual board's name, or the file of a virtual or a real board; the study profile "
        "takes several, and compares them",
    )
    study.add_argument("--target", metavar="T", help=_TARGETS)
    _add_tag(study, _BEARS)
    _add_name(study)
    _add_set(study)

    tune = add("tune", "tune", "find the settings that make a board boot fastest", _TUNE)
    _add_tag(tune, _BEARS)
    tune.add_argument("study", choices=("boot",), help="what to make faster")
    tune.add_argument(
        "--board",
        required=True,
        help="a virtual board's name, or the file of a virtual or a real board",
    )
    _add_set(tune)
    tune.add_argument(
        "--target",
        metavar="T",
        help="the serial line of a real board that boots each image: "
        "serial:///dev/DEVICE[?baud=115200] (default: the line in the file of a real board; else "
        "the virtual board)",
    )
    tune.options = ("perfboard.studies.tune.plan", "TuneOptions")

    trying = add(
        "try",
        "program",
        "run a program on a virtual board: how long it takes there, and where",
        _TRY,
    )
    trying.set_defaults(function="trying")
    trying.usage = "%(prog)s [options] BOARD [options] -- COMMAND [ARGUMENT ...]"
    trying.add_argument("board", metavar="BOARD", help="a board's name, or a board file")
    _add_tag(trying, _BEARS)
    trying.takes_command = True
    trying.options = ("perfboard.studies.program.study", "ProgramOptions")
    _add_set(trying)

    measure = add(
        "measure", "measure", "run some or all probes on a target, store the run, write its report"
    )
    measure.add_argument(
        "probes", metavar="PROBE", nargs="*", help="a probe, such as memory.latency (default: all)"
    )
    measure.add_argument(
        "--target", metavar="T", default="local", help=f"{_TARGETS} (default: local)"
    )
    _add_tag(measure, _BEARS)
    _add_name(measure)
    measure.options = ("perfboard.studies.standard.study", "StandardOptions")
    _add_set(measure)
    add("probes", "measure", "list the probes, and what each measures")

    importing = add(
        "import",
        "importing",
        "make a run of a saved console log or dmesg: where the time went",
        _IMPORT,
    )
    importing.set_defaults(function="import_run")
    _add_tag(importing, _BEARS)
    importing.add_argument("files", metavar="FILE", nargs="+", help="a saved log")
    importing.options = ("perfboard.importers.base", "ImportOptions")

    runs = add("runs", "runs", "list the runs, newest first; rm and prune remove some")
    runs.add_argument("--board", help="list only the runs of this board")
    _add_tag(runs, "list only the runs with this tag; repeatable")
    runs.add_argument("--limit", type=_count, metavar="N", help="list only the newest N")
    runs.add_argument(
        "--unfinished",
        action="store_true",
        help="list only those whose process ended before their record was written",
    )
    of_runs = runs.add_subparsers(metavar="rm|prune")
    runs.commands = of_runs.choices
    rm = of_runs.add_parser("rm", help="delete runs", description="Delete runs.")
    rm.set_defaults(function="rm")
    _add_json(rm, default=argparse.SUPPRESS)
    rm.add_argument("runs", metavar="RUN", nargs="+", help=_RUN)
    words = "remove the folders of unfinished runs, and print their paths"
    prune = of_runs.add_parser("prune", help=words, description=f"{words.capitalize()}.")
    prune.set_defaults(function="prune")
    _add_json(prune, default=argparse.SUPPRESS)
    show = add("show", "runs", "print a run's figures")
    report = add("report", "runs", "write a run's HTML report, and print its path")
    for command in (show, report):
        command.add_argument(
            "run", metavar="RUN", nargs="?", default="latest", help=f"{_RUN} (the default)"
        )
    report.add_argument("--open", action="store_true", help="show it in the browser")
    report.add_argument(
        "--with-host",
        action="store_true",
        help="show the user, host and paths of the machine that made the run",
    )
    compare = add("compare", "runs", "compare two runs: what changed, and in which phase")
    compare.add_argument("before", metavar="RUN", help="the earlier run, or the reference")
    compare.add_argument("after", metavar="RUN", help="the later run")
    compare.add_argument(
        "--across-evidence",
        action="store_true",
        help="compare runs of different evidence, such as a real and a virtual board",
    )
    _add_gate(add("gate", "gate", "judge a run: did it get worse than its baseline?", _GATE))
    bisect = add("bisect", "bisect", "find the commit that made a board slower", _BISECT)
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
    history = add(
        "history",
        "history",
        "show a metric over the runs, and where it changed",
        "Show a metric over the runs, oldest first, and the steps in it: where its level changed\n"
        "for good, and between which commits (--tag commit=... of the runs).\n\n"
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
    dashboard = add(
        "dashboard",
        "dashboard",
        "write a site of all boards and metrics, with the steps of each",
        "Write a static site into the folder OUT: every board and metric over the runs, and\n"
        "where each changed. Open OUT/index.html; no server is needed. It replaces an earlier\n"
        "site there.",
    )
    dashboard.add_argument("out", metavar="OUT", type=Path, help="the folder to write")
    _add_tag(dashboard, "only the runs with this tag, such as branch=main; repeatable")
    history.add_argument("--board", help="only the runs of this board")
    history.add_argument(
        "--format",
        choices=("text", "csv"),
        default="text",
        help="csv: a row a run, which Apache Otava reads (default: text)",
    )
    _add_tag(history, "only the runs with this tag; repeatable")
    history.add_argument("--limit", type=_count, metavar="N", help="only the newest N runs")
    cache = add(
        "cache", "cache", "show what is kept of earlier work; check it, or empty it", _CACHE
    )
    cache.set_defaults(function="show")
    of_cache = cache.add_subparsers(metavar="check|clear")
    cache.commands = of_cache.choices
    for name, help in (
        ("check", "read every file of every entry, and name what is damaged"),
        ("clear", "remove all entries but those that a running command may use"),
    ):
        one = of_cache.add_parser(
            name, help=help, description=f"{help[0].upper()}{help[1:]}.", allow_abbrev=False
        )
        one.set_defaults(function=name)
        _add_json(one, default=argparse.SUPPRESS)
    formats = "\n".join(f"  {name:<16} {what}" for name, what in FORMATS.items())
    export = add(
        "export",
        "runs",
        "print a run in another tool's format",
        f"Print a run in another tool's format.\n\nformats:\n{formats}",
    )
    export.add_argument("run", metavar="RUN", help=_RUN)
    export.add_argument("--format", required=True, choices=tuple(FORMATS), help="one of the above")
    for name, help, text in (
        ("completion", "print the script by which a shell completes the commands", _COMPLETION),
        ("man", "print the manual page", _MAN),
    ):
        one = commands.add_parser(
            name,
            help=help,
            description=text,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        one.set_defaults(module="shell", function=name)
        if name == "completion":
            one.add_argument("shell", choices=("bash", "zsh", "fish"), help="your shell")
    return parser


def _add_json(command: argparse.ArgumentParser, default: object = False) -> None:
    command.add_argument(
        "--json",
        action="store_true",
        default=default,
        help="print one JSON document to standard output",
    )


def _count(text: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f'"{text}" is not a number above 0')
    return int(text)


def _add_new(command: argparse.ArgumentParser) -> None:
    command.set_defaults(function="new")
    _add_json(command, default=argparse.SUPPRESS)
    command.add_argument("new_board", metavar="NAME", help="its name; the file is NAME.toml, here")
    command.add_argument("--like", required=True, metavar="BOARD", help="the board to be timed as")
    command.add_argument("--kernel", required=True, type=Path, help="a zImage, Image or uImage")
    command.add_argument(
        "--system-map", type=Path, help="the kernel's System.map, by which marks are exact"
    )
    command.add_argument(
        "--root",
        required=True,
        type=Path,
        help="squashfs, cramfs, romfs, jffs2, erofs, or a cpio archive (cpio.gz, say)",
    )
    command.add_argument(
        "--usable",
        default="console:login:",
        help="when the boot is over: console:REGEX or exec:NAME (default: console:login:)",
    )
    command.add_argument(
        "--boot", action="store_true", help="boot it once, as `perfboard study boot` does"
    )


def _add_name(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--name", help="the name of the board on that target, for its runs (default: the target's)"
    )


def _add_gate(command: Command) -> None:
    command.add_argument(
        "run", metavar="RUN", nargs="?", default="latest", help=f"{_RUN} (the default)"
    )
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
    _add_tag(command, "with --measure: a tag for its runs, such as commit=4f2a91c; repeatable")
    command.add_argument(
        "--strict", action="store_true", help="exit with 5 where it is inconclusive"
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


def _add_tag(command: argparse.ArgumentParser, help: str) -> None:
    command.add_argument("--tag", action="append", default=[], metavar="NAME=VALUE", help=help)


def _add_set(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FACTOR=LEVEL",
        help="set a factor to a level; repeatable",
    )
