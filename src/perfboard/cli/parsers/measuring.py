# SPDX-License-Identifier: Apache-2.0
"""The commands that measure: choose, study, tune, try, measure; and measures."""

from perfboard.cli.parsers.base import BEARS, TARGETS, Commands, add_name, add_set, add_tag

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

_MEASURE = """\
Measure anything that `perfboard measures` lists, on any target that can have it: this machine,
a board by SSH, on a serial line or in a labgrid place, or a virtual board. The run is stored, and
its report written, whose path is the last line. The sets standard, bringup and guide name many at
once; a file of yours may be one (docs/studies/profiles.md). The guide goes on where ^C ended it.

A measure that the target cannot have says why, and the others go on. Probes run in turn with each
other, so that a drift of the target is in all of them alike.

examples:
  perfboard measure
  perfboard measure memory.latency ipc.pipe --time 20
  perfboard measure disk.sequential --target ssh://root@board --with quick=true
  perfboard measure boot network.tcp --board rpi2
  perfboard measure bringup --board verdex
  perfboard measure guide --quick --target ssh://root@board
"""

_CHOOSE = """\
Say which board is right for a device: the cheapest that keeps all budgets of its profile with
a probability of 0.9 (--sure), the next one, and why the others are not.

All virtual boards are measured by default, as many at once as this machine has processors; with
--board or --target those alone (--board all adds the virtual ones). Real boards come first, one
after the other. Rows that cost little come first, and a board that fails one is not measured
further without --all-rows. Earlier figures of the same board are taken over: ^C keeps all, and
the same command goes on. The options of the profile are tried on the three boards that fail by
least.

examples:
  perfboard choose gateway
  perfboard choose ./my-device.toml --board rpi2 --board orangepi-pc
  perfboard choose ./my-device.toml --target ssh://root@board --board all --price board=49
  perfboard choose media-recorder --board rpi2
`perfboard profiles` lists the profiles; `perfboard profiles new NAME` writes one to begin with.
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
do not separate the best combination from the start, the tune is inconclusive (exit code 5).

examples:
  perfboard tune boot --board verdex
  perfboard tune boot --board verdex --max-flash 4MB --max-ram 16MB --keep console=full
  perfboard tune boot --board ./my-board.toml --set flash=delivered
  perfboard tune boot --board ./my-board.toml --target serial:///dev/ttyUSB0 \\
      --write './flash.sh' --reset 'uhubctl -a cycle -l 1-1 -p 2' --usable 'login:'
"""


def add_commands(commands: Commands) -> None:
    """Adds the commands of this group."""
    study = commands.add(
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
        "  perfboard study packets --target ssh://root@board\n\n"
        "`perfboard study STUDY --help` lists the options of that study.",
    )
    study.of_study = True
    study.add_argument("study", metavar="STUDY", help="a study that `perfboard studies` lists")
    study.add_argument(
        "--board", help="a virtual board's name, or the file of a virtual or a real board"
    )
    study.add_argument("--target", metavar="T", help=TARGETS)
    add_tag(study, BEARS)
    add_name(study)
    add_set(study)

    tune = commands.add("tune", "tune", "find the settings that make a board boot fastest", _TUNE)
    add_tag(tune, BEARS)
    tune.add_argument("study", choices=("boot",), help="what to make faster")
    tune.add_argument(
        "--board",
        required=True,
        help="a virtual board's name, or the file of a virtual or a real board",
    )
    add_set(tune)
    tune.add_argument(
        "--target",
        metavar="T",
        help="the serial line of a real board that boots each image: "
        "serial:///dev/DEVICE[?baud=115200] or labgrid://PLACE (default: the line in the file of a "
        "real board; else "
        "the virtual board)",
    )
    tune.options = ("perfboard.studies.tune.plan", "TuneOptions")

    trying = commands.add(
        "try",
        "program",
        "run a program on a virtual board: how long it takes there, and where",
        _TRY,
    )
    trying.set_defaults(function="trying")
    trying.usage = "%(prog)s [options] BOARD [options] -- COMMAND [ARGUMENT ...]"
    trying.add_argument("board", metavar="BOARD", help="a board's name, or a board file")
    add_tag(trying, BEARS)
    trying.takes_command = True
    trying.options = ("perfboard.studies.program.study", "ProgramOptions")
    add_set(trying)

    choose = commands.add(
        "choose",
        "choose",
        "which board is right for a device: held against its profile, with a probability",
        _CHOOSE,
    )
    choose.add_argument(
        "--board",
        action="append",
        help="a virtual board's name, or the file of a virtual or a real board, or all; repeatable "
        "(default: all virtual boards)",
    )
    choose.add_argument("--target", action="append", metavar="T", help=f"{TARGETS}; repeatable")
    add_tag(choose, BEARS)
    add_name(choose)
    choose.options = ("perfboard.studies.choose.options", "ChooseOptions")
    add_set(choose)

    measure = commands.add(
        "measure",
        "measure",
        "measure anything that `perfboard measures` lists, store the run, write its report",
        _MEASURE,
    )
    measure.add_argument(
        "names",
        metavar="MEASURE",
        nargs="*",
        help="a measure, such as memory.latency, or a set, such as bringup (default: standard)",
    )
    measure.add_argument(
        "--board", help="a virtual board's name, or the file of a virtual or a real board"
    )
    measure.add_argument("--target", metavar="T", help=f"{TARGETS} (default: local)")
    measure.add_argument(
        "--with",
        dest="parameters",
        action="append",
        default=[],
        metavar="PARAMETER=VALUE",
        help="a parameter of all measures that have it, as `perfboard measures NAME` lists them; "
        "repeatable",
    )
    add_tag(measure, BEARS)
    add_name(measure)
    measure.options = ("perfboard.studies.measure", "MeasureOptions")
    add_set(measure)
    measures = commands.add(
        "measures", "measures", "list the measures; describe one: metrics, units, parameters, needs"
    )
    measures.add_argument("names", metavar="MEASURE", nargs="*", help="one to describe")
    commands.add("probes", "measures", "the name of `perfboard measures` before")
