# SPDX-License-Identifier: Apache-2.0
"""The commands on this machine: cache, completion, man."""

import argparse

from perfboard.cli.parsers.base import Commands, add_json

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


def add_commands(commands: Commands) -> None:
    """Adds the commands of this group."""
    cache = commands.add(
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
        add_json(one, default=argparse.SUPPRESS)
    shell = commands.add(
        "completion",
        "shell",
        "print the script by which a shell completes the commands",
        _COMPLETION,
        json=False,
    )
    shell.add_argument("shell", choices=("bash", "zsh", "fish"), help="your shell")
    commands.add("man", "shell", "print the manual page", _MAN, json=False)
