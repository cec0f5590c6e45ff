# SPDX-License-Identifier: Apache-2.0
"""network.ssh: a file by ssh to a tmpfs, and to an encrypted file system (bring-up study, 2010)."""

import re
from pathlib import Path
from statistics import median

from perfboard.bench.job import TMPFS_PLACE, WHOLE_DISK, Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Quantity, Setting, ShownMetric
from perfboard.measures.disk.encryption import WAYS, kernel_for
from perfboard.measures.disk.points import PARAMETERS, folder_line
from perfboard.measures.reading import example_time, printed, times_of
from perfboard.model.rows import RefusedRow, read_rows, row_line
from perfboard.model.run import Metric
from perfboard.model.units import format_value

_MIB = 1 << 20
# OpenSSH and dropbear have both.
_CIPHERS = ("aes128-ctr", "chacha20-poly1305@openssh.com")
# That of the bring-up study of 2010 first.
_ENCRYPTED = ("ecryptfs", "fscrypt", "xts")
_SCRIPT = Path(__file__).with_name("ssh.sh")
# The encrypted disk has so much room besides the file of ssh.
_DISK = 48 * _MIB
_TIMES = re.compile(r"ssh-([a-z]+)-(.{1,60})")
_RUN = """\
case $PROBE in /*) ;; *) PROBE=$PWD/$PROBE;; esac
export PROBE
sh ssh.sh tmpfs "$place" WORDS
mkdir covered
"""
_WITHIN = """\
for way in WAYS; do
    said=$("$PROBE" disk-crypt $way "$source" covered DISK run sh "$PWD/ssh.sh" $way . WORDS)
    echo "$said"
    case $said in *'"what":"'$way'"'*) ;; *) break;; esac
done
"""


class NetworkSsh(Measure):
    """Client and server are both on the target, over loopback: a login is taken off the time."""

    name = "network.ssh"
    title = "A file by ssh, client and server on the board"
    parameters = PARAMETERS
    metrics = (
        Quantity(
            "network.ssh.bandwidth",
            "B/s",
            "bytes a second beyond the login: labels to, cipher",
            "higher",
        ),
        Quantity("network.ssh.login.time", "s", "of a session that copies nothing"),
    )
    examples = (
        Example(
            row_line("said", name="server", text="OpenSSH")
            + example_time("ssh-tmpfs-login", 500_000_000, 1000)
            + example_time("ssh-tmpfs-aes128-ctr", 2_500_000_000, 1000),
            {"network.ssh.bandwidth": 2 * _MIB / 2, "network.ssh.login.time": 0.5},
        ),
    )

    def job(self, setting: Setting) -> Job:
        size = _size(setting)
        words = f"{setting.repeats} {size} {' '.join(_CIPHERS)}"
        within = _WITHIN.replace("WAYS", " ".join(_ENCRYPTED)).replace("DISK", str(_DISK + size))
        script = f"{TMPFS_PLACE}{_RUN}{folder_line(setting)}{WHOLE_DISK.script}{within}"
        return Job(
            script.replace("WORDS", words),
            files={"ssh.sh": _SCRIPT.read_bytes()},
            packages=("dropbear-bin", *WHOLE_DISK.packages),
            features=kernel_for(setting.facts),
            disk=size,
            writes=setting.repeats * len(_CIPHERS) * size + _DISK // 4,
            limit_s=900,
        )

    def read(self, output: str, setting: Setting) -> Finding:
        return _found(output, _size(setting))


def _size(setting: Setting) -> int:
    """The file's bytes: many times what a login moves, and little compared with the RAM."""
    most = 4 if setting.facts.exact else 16 if setting.parameters["quick"] else 64
    return min(max(setting.facts.ram // 32 // _MIB, 1), most) * _MIB


def _found(output: str, size: int) -> Finding:
    times = {
        (match[1], match[2]): [run.real_s for run in runs if not run.status]
        for label, runs in times_of(output).items()
        if (match := _TIMES.fullmatch(label))
    }
    metrics: list[Metric] = []
    figures: list[ShownMetric] = []
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
        figures.append(
            ShownMetric(f"to {WAYS.get(where, where)}, {cipher.partition('@')[0]}", rate)
        )
    refused = list(dict.fromkeys(row.why for row in read_rows(output, RefusedRow)))
    if not figures:
        raise NotMeasurable(refused[0] if refused else "no file came through ssh")
    best = max(figures, key=lambda figure: median(figure.metric.samples))
    short = f"{format_value(median(best.metric.samples), 'B/s')} by ssh {best.title}"
    if login := times.get(("tmpfs", "login")):
        own = Metric(name="network.ssh.login.time", unit="s", samples=tuple(login))
        metrics.append(own)
        figures.append(ShownMetric("a login", own))
    server = printed(output, "server")
    sentence = f"The server was {server}; client and server share the board's processor."
    notes = (f"Not all of ssh was measured: {'; '.join(refused)}.",) if refused else ()
    return Finding(
        tuple(metrics), tuple(figures), short, "the processor, which has both ends", sentence, notes
    )


MEASURES = (NetworkSsh(),)
