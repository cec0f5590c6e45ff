# SPDX-License-Identifier: Apache-2.0
"""network.ssh: a file by ssh to a tmpfs, and to an encrypted file system (study B)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from perfboard.bench.bed import Bed
from perfboard.bench.job import NotMeasurable, Work
from perfboard.measures.disk.encryption import WAYS, kernel_of
from perfboard.measures.disk.points import FEATURES, failure_of, script_at
from perfboard.measures.reading import printed, times_of
from perfboard.measures.rows import Answer, Figure
from perfboard.model.run import Metric
from perfboard.model.text import printable
from perfboard.model.units import format_value

_MIB = 1 << 20
# OpenSSH and dropbear have both.
_CIPHERS = ("aes128-ctr", "chacha20-poly1305@openssh.com")
# That of study B first.
_ENCRYPTED = ("ecryptfs", "fscrypt", "xts")
_SCRIPT = Path(__file__).with_name("ssh.sh")
# The encrypted disk has so much room beside the file of ssh.
_DISK = 48 * _MIB
_FAILED = re.compile(r"^@failed \S+ (.{1,1000})$", re.MULTILINE)
_TIMES = re.compile(r"ssh-([a-z]+)-(.{1,60})")
_RUN = """\
place=
for folder in /dev/shm /run/shm /run; do
    grep -q " $folder tmpfs " /proc/mounts && [ -w "$folder" ] && place=$folder && break
done
[ -n "$place" ] || { mkdir shm && mount -t tmpfs none shm && place=$PWD/shm; } || {
    echo "@failed ssh no tmpfs can be written to"; exit 0; }
case $PROBE in /*) ;; *) PROBE=$PWD/$PROBE;; esac
export PROBE
sh ssh.sh tmpfs "$place" WORDS
mkdir covered
"""
_WITHIN = """\
for way in WAYS; do
    said=$("$PROBE" disk crypt $way SOURCE covered DISK run sh "$PWD/ssh.sh" $way . WORDS)
    echo "$said"
    case $said in *"@failed $way "*) ;; *) break;; esac
done
"""


@dataclass(frozen=True)
class NetworkSsh:
    """Client and server are both on the target, over loopback: a login is taken off the time."""

    name: str = "network.ssh"
    title: str = "A file by ssh, client and server on the board"
    features: tuple[str, ...] = FEATURES
    metrics: Mapping[str, str] = field(
        default_factory=lambda: {
            "network.ssh.bandwidth": "bytes a second beyond the login: labels to, cipher",
            "network.ssh.login.time": "of a session that copies nothing",
        }
    )

    def writes(self, bed: Bed) -> int:
        """See `Row`."""
        return bed.repeats * len(_CIPHERS) * _size(bed) + _DISK // 4

    def measure(self, bed: Bed) -> Answer:
        """See `Row`."""
        words = f"{bed.repeats} {_size(bed)} {' '.join(_CIPHERS)}"
        within = _WITHIN.replace("WAYS", " ".join(_ENCRYPTED)).replace(
            "DISK", str(_DISK + _size(bed))
        )
        if bed.board:
            within = within.replace("SOURCE", "/dev/pbd")
        else:
            within = script_at(bed, within.replace("SOURCE", '"$place"'))
        output = bed.run(
            Work(
                (_RUN + within).replace("WORDS", words),
                files={"ssh.sh": _SCRIPT.read_bytes()},
                packages=("dropbear-bin", "e2fsprogs") if bed.board else (),
                features=kernel_of(bed.board) if bed.board else (),
                data=_size(bed),
                limit_s=900,
            )
        )
        return _answer(output, _size(bed))


def _size(bed: Bed) -> int:
    """The file's bytes: many times what a login moves, and little beside the RAM."""
    most = 4 if bed.board else 16 if bed.quick else 64
    return min(max(bed.ram // 32 // _MIB, 1), most) * _MIB


def _answer(output: str, size: int) -> Answer:
    times = {
        (match[1], match[2]): [run.real_s for run in runs if not run.status]
        for label, runs in times_of(output).items()
        if (match := _TIMES.fullmatch(label))
    }
    metrics: list[Metric] = []
    figures: list[Figure] = []
    for (where, cipher), runs in times.items():
        login = times.get((where, "login"))
        if cipher not in _CIPHERS or not login or not runs or min(runs) <= median(login):
            continue
        rate = Metric(
            name="network.ssh.bandwidth",
            unit="B/s",
            better="higher",
            labels={"to": where, "cipher": cipher},
            samples=tuple(size / (run - median(login)) for run in runs),
        )
        metrics.append(rate)
        figures.append(Figure(f"to {WAYS.get(where, where)}, {cipher.partition('@')[0]}", rate))
    if not figures:
        raise NotMeasurable(failure_of(output) or "no file came through ssh")
    best = max(figures, key=lambda figure: median(figure.metric.samples))
    short = f"{format_value(median(best.metric.samples), 'B/s')} by ssh {best.title}"
    if login := times.get(("tmpfs", "login")):
        own = Metric(name="network.ssh.login.time", unit="s", samples=tuple(login))
        metrics.append(own)
        figures.append(Figure("a login", own))
    server = printable(printed(output, "server"))
    sentence = f"The server was {server}; client and server share the board's processor."
    failed = "; ".join(dict.fromkeys(printable(words) for words in _FAILED.findall(output)))
    notes = (f"Not all of ssh was measured: {failed}.",) if failed else ()
    return Answer(
        tuple(metrics), tuple(figures), short, "the processor, which has both ends", sentence, notes
    )


ROWS = (NetworkSsh(),)
