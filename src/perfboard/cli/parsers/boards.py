# SPDX-License-Identifier: Apache-2.0
"""The commands on boards: doctor, boards, studies, profiles, build, build-module."""

import argparse
from pathlib import Path

from perfboard.cli.parsers.base import Commands, add_json, add_set

_MODULE = """\
Build a driver of ours as a module, for a kernel of yours: wake (docs/studies/wakeups.md), gpio
(marks of a boot on a GPIO line, docs/runs/captures.md) or nic.

It needs the kernel's headers, or the folder where it was built, and the compiler that built it. A
kernel for another architecture says by its configuration which one and which compiler.

examples:
  perfboard build-module wake
  perfboard build-module gpio --kernel ~/build/linux-6.12
  perfboard build-module wake --kernel ~/build/linux-6.12 --into /srv/nfs/board
"""
_VERIFY = """\
Compare a virtual board with published figures of the real one.

It measures each figure of the board's file, and says first how many of those that
are held out lie inside the margins that runs of the board state. Then come all
ratios as a chart, how many lie inside the margin of each kind of work, and each
figure with its source. Before it begins it says how long that takes on this
machine; what has to be built first takes longer. ^C ends it with what was measured
by then. Each run is stored.

examples:
  perfboard boards verify rpi2
  perfboard boards verify rpi2 --report      a page, whose path is the last line
  perfboard boards verify rpi2 --json        the same figures for a program
"""
_NEW = "write the file of a board that boots a kernel and root file system of yours"


def add_commands(commands: Commands) -> None:
    """Adds the commands of this group."""
    commands.add(
        "doctor",
        "machine",
        "check this machine for missing tools, and print the command that installs them",
    )
    boards = commands.add(
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
        one.set_defaults(module="boards" if name == "show" else "verify", function=name)
        # SUPPRESS: `boards --json show` keeps the value that `boards` parsed.
        add_json(one, default=argparse.SUPPRESS)
        one.add_argument("board", metavar="BOARD", help="a board's name, or a board file")
        if name == "show":
            one.add_argument("--file", action="store_true", help="print the board's file")
        if name == "verify":
            one.description = _VERIFY
            one.formatter_class = argparse.RawDescriptionHelpFormatter
            one.add_argument(
                "--report",
                action="store_true",
                help="write a page of it into the first run's folder, and print its path",
            )
            one.options = ("perfboard.studies.probing", "TimeOptions")
    _add_new(of_one.add_parser("new", help=_NEW, description=f"{_NEW.capitalize()}."))
    commands.add("studies", "studies", "list the studies, with their factors and levels")
    profiles = commands.add(
        "profiles",
        "profiles",
        "list the device profiles; show one, or write one of your own",
        "List the device profiles, and what they ask of a board.\n\n"
        "`perfboard profiles show media-recorder` prints what a profile asks;\n"
        "`perfboard profiles new my-device` writes my-device.toml to begin with;\n"
        "`perfboard choose ./my-device.toml` says which board is right for it.",
    )
    profiles.add_argument("action", nargs="?", choices=("show", "new"), help="what to do")
    profiles.add_argument("name", nargs="?", metavar="NAME", help="a profile's name, or its file")
    profiles.add_argument("--file", action="store_true", help="show: print the profile's file")
    build = commands.add("build", "build", "build a board's image without booting it")
    build.add_argument("board", metavar="BOARD", help="a board's name, or a board file")
    add_set(build)
    module = commands.add(
        "build-module",
        "modules",
        "build a driver of ours as a module for a kernel of yours",
        _MODULE,
    )
    module.set_defaults(function="build_module")
    module.add_argument("driver", metavar="DRIVER", help="wake, gpio or nic")
    module.add_argument(
        "--kernel",
        type=Path,
        metavar="FOLDER",
        help="the kernel's headers or build tree (default: those of the running kernel)",
    )
    module.add_argument(
        "--into", type=Path, default=Path(), metavar="FOLDER", help="where it goes (default: here)"
    )


def _add_new(command: argparse.ArgumentParser) -> None:
    command.set_defaults(function="new")
    add_json(command, default=argparse.SUPPRESS)
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
        default="login:",
        help="when the boot is over: a line of the console, as login:, or the start of a program, "
        "as exec:NAME, which needs --system-map (default: login:)",
    )
    command.add_argument(
        "--boot", action="store_true", help="boot it once, as `perfboard study boot` does"
    )
