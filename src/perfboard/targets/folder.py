# SPDX-License-Identifier: Apache-2.0
"""A folder of our own on a target, in which programs can be run.

Its file `owner` names the shell that removes it, and its file `others` the folders elsewhere that
go with it: a script that needs a file on another file system makes one there (bench/job.py).
"""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from perfboard.model.errors import TargetError
from perfboard.model.text import printable
from perfboard.targets.base import Shell

_SAFE = re.compile(r"/[A-Za-z0-9/._-]+")
_USUAL = ("/tmp", "/var/tmp", "/dev/shm", "/run")  # noqa: S108 - nothing is opened there by name

_SWEEP_S = 120.0
# Sets _b to the time when the process $1 began: no later one of its number has the same.
_BORN = "born(){ _b=;{ read -r _b </proc/$1/stat;} 2>/dev/null;set -- ${_b##*) };_b=${20};}\n"
# Makes $d, writes 256 KiB there, and runs a file: one without "#!" is refused by the
# kernel and read by the shell, unless the file system forbids to run it at all.
_TRY = """\
umask 077
mkdir $d || exit 1
t=$d/t
x=0123456789abcdef
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do x=$x$x; done
for i in 1 2 3 4; do echo $x; done 2>/dev/null | cat >$t &&
echo exit 42 >$t && chmod 700 $t && { $t; test $? = 42; } && rm $t &&
born $$ && echo "$(uname -n) $$ $_b" >$d/owner && exit
rm -rf $d
exit 1
"""
# Removes $d and what goes with it. A script may have mounted a tmpfs there. Programs that are
# killed at the same time may still write there for a moment.
_REMOVE = """\
[ ! -f "$d/others" ] || while IFS= read -r o; do
case $o in */perfboard-*) rm -rf "$o";; esac
done <"$d/others"
[ ! -d "$d/shm" ] || umount -l "$d/shm" 2>/dev/null
for i in 1 2 3 4 5; do rm -rf "$d" && break; sleep 1; done
"""
# A folder of another user's is not looked into, nor is one of another machine's on a shared disk.
# This shell itself may have made one for a command that was killed: on a console.
_SWEEP = f"""\
{_BORN}\
for place in "$TMPDIR" {" ".join(_USUAL)} "$HOME" "$(pwd)"; do
for d in "$place"/perfboard-????????????????; do
[ -d "$d" ] && [ ! -L "$d" ] && [ -O "$d" ] && [ -f "$d/owner" ] || continue
read -r name pid began <"$d/owner"
born "$pid"
[ "$name" = "$(uname -n)" ] && {{ [ "$pid" = $$ ] || [ "$_b" != "$began" ]; }} || continue
{_REMOVE}\
done
done
"""


def new_name() -> str:
    """The name of a folder on a target, which nobody can guess."""
    return f"perfboard-{secrets.token_hex(8)}"


def sweep_folders(shell: Shell) -> None:
    """Removes what earlier commands of this user left on the target, when all was killed.

    It comes before any folder is made by this shell.
    """
    shell.run(_SWEEP, timeout_s=_SWEEP_S)


@contextmanager
def working_folder(shell: Shell) -> Iterator[str]:
    """The path of a new folder that its owner alone may use; removed at the end.

    It has room for a quarter of a MiB, and a program in it can be run. Folders whose paths are
    lines of its file `others` are removed with it. Raises
    TargetError("no-folder", ...) that says of each place tried why it does not do.
    """
    name = new_name()
    refusals = []
    for place in _places(shell):
        path = f"{place}/{name}"
        with shell.hold(f"d={path}\n{_BORN}{_TRY}", f"d={path}\n{_REMOVE}") as tried:
            if tried.status == 0:
                yield path
                return
        refusals.append(f"{place}: {_reason(tried.output)}")
    raise TargetError(
        "no-folder",
        "No folder of the target does to put the probe in and run it there:\n"
        + "\n".join(refusals)
        + "\nMake room in one, mount one that is writable and not noexec, or set TMPDIR there.",
    )


def _places(shell: Shell) -> list[str]:
    """Places for a folder, the best first. The target's answer is not trusted."""
    output = shell.run('echo "TMPDIR=$TMPDIR"; echo "HOME=$HOME"; echo "PWD=$(pwd)"').output
    named = dict(line.strip().split("=", 1) for line in output.splitlines() if "=" in line)
    places = [named.get("TMPDIR", ""), *_USUAL, named.get("HOME", ""), named.get("PWD", "")]
    return list(dict.fromkeys(place for place in places if _SAFE.fullmatch(place)))


def _reason(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return printable(lines[-1][-200:]) if lines else "a program there cannot be run"
