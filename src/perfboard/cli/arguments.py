# SPDX-License-Identifier: Apache-2.0
"""The words that `perfboard` takes, and what they are for.

Only the standard library is imported here, so that the command starts at once.
"""

import argparse
import re
import shlex
from importlib.metadata import version

from perfboard.report.export.formats import FORMATS

_TARGETS = "local, ssh://[USER@]HOST[:PORT], serial:///dev/NAME or virtual:BOARD"
_EPILOG = """\
first steps:
  perfboard doctor                     what this machine lacks, and how to mend it
  perfboard study boot --board verdex  boot a virtual board, see where time goes
  perfboard study standard             measure this machine's basics
  perfboard tune boot --board verdex   what to change, so that it boots faster
  perfboard try rpi2 -- COMMAND        what a program takes on a board you do not have
  perfboard report latest              the HTML report of the newest run
  perfboard compare OLD NEW            what changed, and in which phase

RUN is a run's id, a unique beginning of one, "latest", or a path.

exit codes: 0 done; 1 a verdict failed; 2 the command or a file is wrong;
3 this machine or the way to the target lacks something; 4 the target failed;
5 inconclusive; 130 interrupted
"""
_TRY = """\
Boot a virtual board, run a command on it, and say what it took there.

The command's standard output, standard error and exit code come through; 128 and the
signal's number where one killed it. On standard error follows a table: real, user and
system time in the board's seconds, instructions, cache and TLB misses, what was waited for,
and the functions that took the time. The run is recorded like any other; with --json
standard output is its run.json (a list of them with --compare).

The board has busybox, the C and C++ libraries and a shell. Packages are those of its
architecture, unpacked but not set up: no script of theirs runs, so that there are no
users and no services. Pushed files are in the folder /work, where the command starts as
root. Files come at memory's speed; all that is written is kept in memory, which the command
shares. The command reads nothing, unless --stdin names it: standard input is read to its
end before the board is booted.

examples:
  perfboard try rpi2 -- uname -a
  perfboard try rpi2 --push ./prog --push data.txt -- ./prog data.txt
  perfboard try rpi2 --compare orangepi-pc --package bzip2 --push big -- bzip2 -k big
  perfboard try rpi2 --package python3-minimal -- python3 -c 'print(sum(range(10**6)))'
  perfboard try verdex --time-limit 60 -- sh -c 'ls | sort'
  echo '2^100' | perfboard try rpi2 --package bc --stdin - -- bc
"""

_TUNE = """\
Try each level of a board's factors, find the combination that boots fastest, prove it with a
boot, and say what to change in which order, with the lines to change.

A try is a boot; one that was made before is taken from the cache, so that a tune that was
interrupted goes on where it was. Levels by which the device loses a function are tried, but
are in the best only where they are allowed. Flash is the bytes of bootloader, kernel and root
file system; RAM what could not be given to a program when the board is usable.

With --target each image is written to a real board and booted there, all in turn, again and
again: at least 5 times, and until half the interval of the median is 1% of it, or for --boots.
Where the best is then not told from the baseline, that is inconclusive (exit code 5).

examples:
  perfboard tune boot --board verdex
  perfboard tune boot --board verdex --max-flash 4MB --max-ram 16MB --keep console=full
  perfboard tune boot --board ./my-board.toml --set flash=delivered
  perfboard tune boot --board ./my-board.toml --target serial:///dev/ttyUSB0 \\
      --write './flash.sh' --reset 'uhubctl -a cycle -l 1-1 -p 2' --usable 'login:'
"""


def make_parser() -> argparse.ArgumentParser:
    """Of `module` and `function` in what it gives, the command is made (`cli.main`)."""
    parser = argparse.ArgumentParser(
        prog="perfboard",
        description="A performance lab for embedded Linux: measures boards, boots virtual ones "
        "whose runs repeat exactly, shows where the time goes, and what a change did.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"perfboard {version('perfboard')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def add(name: str, module: str, help: str, description: str = "") -> argparse.ArgumentParser:
        command = commands.add_parser(
            name,
            help=help,
            description=description or f"{help[0].upper()}{help[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.set_defaults(module=module, function=name)
        _add_json(command)
        return command

    add("doctor", "machine", "what is missing on this machine, and the command that mends it")
    boards = add(
        "boards",
        "boards",
        "the boards there are, one in full, beside the real board, or with a slim kernel",
    )
    of_one = boards.add_subparsers(metavar="show|verify|slim")
    for name, help in (
        ("show", "what a board's file says; with --json also what it has from its part and others"),
        ("verify", "what was published of the real board, beside what the virtual one does"),
        ("slim", "what a board's kernel has built in and its boot never uses, for its file"),
    ):
        one = of_one.add_parser(name, help=help, description=f"{help[0].upper()}{help[1:]}.")
        one.set_defaults(function=name)
        # Where it is not given here, it may have been before.
        _add_json(one, default=argparse.SUPPRESS)
        one.add_argument("board", metavar="BOARD", help="a board's name, or a board file")
        if name == "verify":
            _add_budget(one)
    add("studies", "boards", "the studies there are, with their factors and levels")
    build = add("build", "boards", "build a board's image only, so that a study starts at once")
    build.add_argument("board", metavar="BOARD", help="a board's name, or a board file")
    _add_set(build)

    study = add(
        "study",
        "study",
        "measure a target, record a run, write its report",
        "Measure a target, record a run, and write its report, whose path is the last line.\n\n"
        "examples:\n"
        "  perfboard study boot --board verdex\n"
        "  perfboard study boot --board verdex --set initcall_debug=on\n"
        "  perfboard study boot --board ./my-board.toml --boots 10\n"
        "  perfboard study boot --target serial:///dev/ttyUSB0 --usable 'login:' \\\n"
        "      --reset 'uhubctl -a cycle -l 1-1 -p 2'\n"
        "  perfboard study standard --target local",
    )
    study.add_argument("study", metavar="STUDY", help="which study; `perfboard studies` lists them")
    where = study.add_mutually_exclusive_group()
    where.add_argument("--board", help="a virtual board's name, or a board file")
    where.add_argument("--target", metavar="T", help=_TARGETS)
    study.add_argument(
        "--boots",
        type=_boots,
        metavar="N",
        help="how many boots, of a study that boots its board (default: 3)",
    )
    study.add_argument(
        "--usable",
        metavar="REGEX",
        help="of a boot over a serial line: the line of the console that ends it",
    )
    study.add_argument(
        "--reset",
        type=_words,
        default=(),
        metavar="COMMAND",
        help="of a boot over a serial line: what resets the board, run here, without a shell; it "
        "must end when it lets go of the board (default: `reboot -f` in the board's own shell)",
    )
    _add_budget(study)
    _add_cpu(study)
    _add_set(study)

    tune = add("tune", "tune", "try what makes a board boot faster, rank and combine it", _TUNE)
    tune.add_argument("study", choices=("boot",), help="what is to be faster")
    tune.add_argument("--board", required=True, help="a virtual board's name, or a board file")
    _add_set(tune)
    for name, help in (
        ("--keep", "a level that the best must have; may be given again for others"),
        ("--allow", "a level that the best may have though it loses something; may be given again"),
    ):
        tune.add_argument(name, action="append", default=[], metavar="FACTOR=LEVEL", help=help)
    for name, help in (
        ("--max-flash", "the most that the image may take of flash, as in 4MB"),
        ("--max-ram", "the most that may be in use of the memory, as in 16MB"),
    ):
        tune.add_argument(name, action="append", default=[], metavar="SIZE", help=help)
    tune.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="of Dask Distributed, to spread the work over machines",
    )
    real = tune.add_argument_group("a real board, on which each image is booted")
    real.add_argument("--target", metavar="T", help="its line: serial:///dev/DEVICE[?baud=115200]")
    real.add_argument(
        "--usable", metavar="REGEX", help="the line of its console that says that it is usable"
    )
    for name, help in (
        ("--write", "what puts an image on it; the image's files follow as last arguments"),
        ("--reset", "what resets it; it must end when it lets go of the board"),
    ):
        help = f"{help}; run here, without a shell"
        real.add_argument(name, type=_words, metavar="COMMAND", help=help)
    real.add_argument(
        "--boots", type=_boots, metavar="N", help="the most of one combination (default: 15)"
    )

    trying = add(
        "try",
        "program",
        "run any program on a virtual board: its time there, and where it goes",
        _TRY,
    )
    trying.set_defaults(function="trying")
    trying.usage = "%(prog)s [options] BOARD [options] -- COMMAND [ARGUMENT ...]"
    trying.add_argument("board", metavar="BOARD", help="a board's name, or a board file")
    for name, metavar, help in (
        ("--package", "P", "a Debian package to have there, with all that it depends on"),
        ("--push", "FILE", "a file to have in the command's working folder"),
        ("--compare", "BOARD", "another board to try it on, shown beside the first"),
    ):
        trying.add_argument(
            name, action="append", default=[], metavar=metavar, help=f"{help}; may be given again"
        )
    trying.add_argument(
        "--stdin",
        metavar="FILE",
        help="what the command reads; - is what Perfboard itself is given (default: nothing)",
    )
    trying.add_argument(
        "--time-limit",
        type=_seconds,
        default=600.0,
        metavar="SECONDS",
        help="of the board's time, after which the command is killed (default: 600)",
    )
    _add_set(trying)

    measure = add("measure", "measure", "run some probes, or all, on a target; record and report")
    measure.add_argument(
        "probes", metavar="PROBE", nargs="*", help="as in memory.latency; default: all"
    )
    measure.add_argument(
        "--target", metavar="T", default="local", help=f"{_TARGETS} (default: local)"
    )
    _add_budget(measure)
    _add_cpu(measure)
    _add_set(measure)
    add("probes", "measure", "the probes there are, and what each measures")

    add("runs", "runs", "the runs there are, newest first")
    show = add("show", "runs", "one run's figures")
    report = add("report", "runs", "write a run's HTML report again, and print its path")
    for command in (show, report):
        command.add_argument("run", metavar="RUN", nargs="?", default="latest")
    compare = add("compare", "runs", "two runs, phase by phase: what changed, and where")
    compare.add_argument("before", metavar="RUN", help="the run to compare with")
    compare.add_argument("after", metavar="RUN", help="the run that is compared")
    compare.add_argument(
        "--across-evidence",
        action="store_true",
        help="compare though one is measured and the other modelled; both are named",
    )
    formats = "\n".join(f"  {name:<16} {what}" for name, what in FORMATS.items())
    export = add(
        "export",
        "runs",
        "a run in a format of other tools",
        f"Print a run to standard output in a format of other tools.\n\nformats:\n{formats}",
    )
    export.add_argument("run", metavar="RUN")
    export.add_argument("--format", required=True, choices=tuple(FORMATS), help="as above")
    return parser


def _add_json(command: argparse.ArgumentParser, default: object = False) -> None:
    command.add_argument(
        "--json",
        action="store_true",
        default=default,
        help="print one JSON document to standard output",
    )


def _add_set(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FACTOR=LEVEL",
        help="a factor's level; may be given again for others",
    )


def _add_budget(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--budget",
        type=_seconds,
        metavar="SECONDS",
        help="the target's time that probes may take in all (default: 60)",
    )


def _add_cpu(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--cpu",
        type=_cpu,
        metavar="N",
        help="the target's processor that probes run on (default: the last of the fastest ones)",
    )


def _cpu(text: str) -> int:
    if not re.fullmatch("[0-9]{1,4}", text):
        raise argparse.ArgumentTypeError(f'"{text}" is not the number of a processor')
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= 86_400:
        raise argparse.ArgumentTypeError(f'"{text}" is not a number of seconds from 1 to 86400')
    return seconds


def _words(text: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no command: {error}") from error
    if not words:
        raise argparse.ArgumentTypeError("is empty; name a command, or leave it out")
    return words


def _boots(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f'"{text}" is not a number of boots from 1 to 1000')
    return int(text)
