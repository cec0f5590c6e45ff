# SPDX-License-Identifier: Apache-2.0
"""A script that a bench runs, and its needs."""

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field

from perfboard.model.text import signal_name

# A virtual board's disk.
DISK = "/dev/pbd"


_EXT4 = "mke2fs -q -t ext4 -E lazy_itable_init=0,lazy_journal_init=0"


_XFS = "mkfs.xfs -q -f -b size=4096"


@dataclass(frozen=True)
class Place:
    """The lines of a script that set $place, and what they want of a virtual board."""

    script: str
    packages: tuple[str, ...]
    features: tuple[str, ...]


def _new_system(make: str, kind: str, elsewhere: str = "") -> str:
    """The lines for a new file system on a virtual board's disk; `elsewhere` is for other targets.

    All of it is on the medium then, or the kernel would still write it while a workload is timed.
    """
    return f"""\
place=.
if [ -b {DISK} ]; then
    {make} {DISK} && mkdir disk && mount -t {kind} {DISK} disk && sync || exit 1
    place=disk
{elsewhere}fi
"""


# On other targets $place is the folder that the script starts in.
PLACE = Place(_new_system(_EXT4, "ext4"), ("e2fsprogs",), ("ext4",))


# That may be on any file system.
_LIVE_XFS = """\
elif [ "$(stat -f -c %T .)" != xfs ]; then
    echo "its folder is not on an XFS; set TMPDIR to one that is" >&2
    exit 1
"""


PLACES = {"own": PLACE, "xfs": Place(_new_system(_XFS, "xfs", _LIVE_XFS), ("xfsprogs",), ("xfs",))}


# An archive that the script unpacks in the folder `home`, unless that is there.
HOME = "home.tar"


# The certificate of the authority that vouches for pages.
AUTHORITY = "ca.crt"


class NotMeasurable(Exception):
    """The target does not have what the workload wants; the message says what."""


class WorkFailed(NotMeasurable):
    """The target has what it wants, and broke down under it; the message says how."""


@dataclass(frozen=True)
class Work:
    """The script of one workload, and its needs.

    `script` is for a POSIX shell, in a folder of its own that has `files`. It finds the probe as
    "$PROBE", and prints what `Workload.read` reads, and "@absent METRIC REASON" where the target
    does not let it measure one. `packages` and `features` are what a virtual
    board is given, less what fits the patterns of `without`; any other target has the `programs`,
    or the workload is not measurable there. `data` is how many bytes it writes. `display` puts the
    watcher of native/display beside the files, as "perfboard-display". `from_disk` puts
    the packages on a virtual board's disk. `screen` is the size of the display's screen: on a
    virtual board $SCOPE is "scope" then, and the output is what `shown.completed` makes of it.
    `pages` are files that the far end of a virtual board's network serves (images/network.py). If
    they are `secure`, over TLS, a live target gets them from this machine, at port $PORT of
    127.0.0.1, and the authority's certificate as AUTHORITY, which OpenSSL calls $CA.
    `toolkit` puts the program of one of `toolkits.TOOLKITS` beside the files, as `PROGRAM`.
    """

    script: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    codecs: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    data: int = 0
    limit_s: float = 600.0
    display: bool = False
    from_disk: bool = False
    screen: tuple[int, int] | None = None
    pages: Mapping[str, bytes] = field(default_factory=dict)
    secure: bool = False
    toolkit: str = ""


# The status of a shell for what a signal ended is this and the signal.
_SIGNAL = 128


def check_ended(program: str, status: int, output: str = "") -> None:
    """Raises NotMeasurable for a program that failed, and WorkFailed if a signal ended it.

    `status` is as a shell has it, and `output` is its last lines.
    """
    words = f": {output}" if output else ""
    if status > _SIGNAL:
        killed = status - _SIGNAL == signal.SIGKILL
        why = ", as a kernel does when memory ends" if killed else ""
        raise WorkFailed(f"{signal_name(status - _SIGNAL)} ended {program}{why}{words}")
    if status:
        raise NotMeasurable(f"{program} ended with {status}{words}")
