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
class Folder:
    """The lines of a script that set $place, and their needs on a virtual board."""

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
OWN_FOLDER = Folder(_new_system(_EXT4, "ext4"), ("e2fsprogs",), ("ext4",))
# That may be on any file system.
_LIVE_XFS = """\
elif [ "$(stat -f -c %T .)" != xfs ]; then
    echo "its folder is not on an XFS; set TMPDIR to one that is" >&2
    exit 1
"""
FOLDERS = {
    "own": OWN_FOLDER,
    "xfs": Folder(_new_system(_XFS, "xfs", _LIVE_XFS), ("xfsprogs",), ("xfs",)),
}
# Anybody may write to a usual folder, and lay a link at a name that can be guessed. So $place
# becomes a new folder in it, of this user alone: the bench names it, and removes it with all of the
# job's. On a virtual board, where nobody else is, it does not name one.
_OWN_PLACE = """\
if [ -n "$OWN" ]; then
    place=$(cd "$place" && pwd)/$OWN && echo "$place" >> others && mkdir -m 700 "$place" &&
        cat owner > "$place/owner" || exit 1
fi
"""
# Or else $folder, or else the first one that is on a disk.
_LIVE_DISK = (
    """\
else
    # That is set on a virtual board alone.
    [ -z "${SCOPE+set}" ] || {
        "$PROBE" say refused what=place why="the board has no disk"; exit 0; }
    if [ -n "$folder" ]; then set -- "$folder"
    else set -- "${TMPDIR:-.}" . /var/tmp "${HOME:-.}" /; fi
    place=$("$PROBE" disk-place "$@") || { echo "$place"; exit 0; }
"""
    + _OWN_PLACE
)
DISK_FOLDER = Folder(_new_system(_EXT4, "ext4", _LIVE_DISK), ("e2fsprogs",), ("ext4",))
# The first tmpfs that can be written to, else one in the job's folder, where it can be mounted.
TMPFS_PLACE = (
    """\
place=
for folder in /dev/shm /run/shm /tmp /run; do
    grep -q " $folder tmpfs " /proc/mounts && [ -w "$folder" ] && place=$folder && break
done
if [ -z "$place" ]; then
    mkdir shm && mount -t tmpfs none shm 2> /dev/null || {
        "$PROBE" say refused what=tmpfs why="no tmpfs can be written to"; exit 0; }
    place=$PWD/shm
fi
"""
    + _OWN_PLACE
)
# A virtual board's disk is $source, without a file system; elsewhere it is a folder on a disk.
WHOLE_DISK = Folder(
    f"if [ -b {DISK} ]; then\n    mkdir disk && place=disk source={DISK}\n"
    f"{_LIVE_DISK}    source=$place\nfi\n",
    DISK_FOLDER.packages,
    DISK_FOLDER.features,
)
# An archive that the script unpacks in the folder `home`, unless that is there.
HOME = "home.tar"


# The certificate of the authority that vouches for pages.
AUTHORITY = "ca.crt"


class NotMeasurable(Exception):
    """The target lacks what the measure needs; the message says what."""


class BoardFailed(NotMeasurable):
    """The target has what the measure needs, and broke down under it; the message says how."""


class BoardLacks(BoardFailed):
    """The board has not the hardware that the measure needs, so it can never do it."""


@dataclass(frozen=True)
class Job:
    """A script that a measure has run on a board, and its needs.

    `script` is for a POSIX shell, in a folder of its own that has `files`. It finds the probe as
    "$PROBE", and prints what `Measure.read` reads, and a row `absent` where the target does not
    let it measure a metric. `packages` and `features` are what a virtual
    board is given, less what fits the patterns of `without`; any other target has the `programs`,
    or the measure has nothing to run there. `disk` is how many bytes of a disk it needs, and
    `writes` how many it writes there in all. `display` puts the
    watcher of native/display next to the files, as "perfboard-display". `from_disk` puts
    the packages on a virtual board's disk. `screen` is the size of the display's screen: on a
    virtual board $SCOPE is "scope" then, and the output is what `screen.completed` makes of it.
    `framebuffer` says that it is the board's own, which programs draw to as /dev/fb0.
    `pages` are files that the far end of a virtual board's network serves (images/network.py).
    If pages are `secure`, that is over TLS, and the watcher of a live target can serve so: its
    server.crt and server.key for 127.0.0.1 lie next to the files. The certificate of the authority
    that vouches for either is AUTHORITY, which OpenSSL calls $CA.
    With `network` a virtual board has a network card of ours; `pages` need one too.
    `toolkit` puts the program of one of `toolkits.TOOLKITS` next to the files, as `PROGRAM`.
    `own` are those of the files that are programs of the user's: a virtual board whose part lacks
    an instruction that one of them runs gives no figure. `notes` say what the job has of the user.
    """

    script: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    codecs: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    disk: int = 0
    writes: int = 0
    limit_s: float = 600.0
    display: bool = False
    from_disk: bool = False
    screen: tuple[int, int] | None = None
    framebuffer: bool = False
    pages: Mapping[str, bytes] = field(default_factory=dict)
    secure: bool = False
    toolkit: str = ""
    network: bool = False
    own: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


# The status of a shell for what a signal ended is this and the signal.
_SIGNAL = 128


def check_ended(program: str, status: int, output: str = "") -> None:
    """Raises NotMeasurable for a program that failed, and BoardFailed if a signal ended it.

    `status` is as a shell has it, and `output` is its last lines.
    """
    words = f": {output}" if output else ""
    if status > _SIGNAL:
        killed = status - _SIGNAL == signal.SIGKILL
        why = ", as a kernel does when memory ends" if killed else ""
        raise BoardFailed(f"{signal_name(status - _SIGNAL)} ended {program}{why}{words}")
    if status:
        raise NotMeasurable(f"{program} ended with {status}{words}")
