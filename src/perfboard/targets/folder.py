# SPDX-License-Identifier: Apache-2.0
"""A folder of our own on a target, in which programs can be run."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from perfboard.model.errors import TargetError
from perfboard.model.text import printable
from perfboard.targets.base import Shell

_SAFE = re.compile(r"/[A-Za-z0-9/._-]+")
_USUAL = ("/tmp", "/var/tmp", "/dev/shm", "/run")  # noqa: S108 - nothing is opened there by name

# Writes 256 KiB, and runs a file: one without "#!" is refused by the
# kernel and read by the shell, unless the file system forbids to run it at all.
_TRY = """\
umask 077
mkdir {path} || exit 1
t={path}/t
x=0123456789abcdef
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do x=$x$x; done
for i in 1 2 3 4; do echo $x; done 2>/dev/null | cat >$t &&
echo exit 42 >$t && chmod 700 $t && {{ $t; test $? = 42; }} && rm $t && exit
rm -rf {path}
exit 1
"""

# Programs that are killed at the same time may still write there for a moment.
_REMOVE = "for i in 1 2 3 4 5; do rm -rf {path} && break; sleep 1; done"


@contextmanager
def working_folder(shell: Shell) -> Iterator[str]:
    """The path of a new folder that its owner alone may use; removed at the end.

    It has room for a quarter of a MiB, and a program in it can be run. Raises
    TargetError("no-folder", ...) that says of each place tried why it does not do.
    """
    name = f"perfboard-{secrets.token_hex(8)}"
    refusals = []
    for place in _places(shell):
        path = f"{place}/{name}"
        with shell.hold(_TRY.format(path=path), _REMOVE.format(path=path)) as tried:
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
