# SPDX-License-Identifier: Apache-2.0
"""The logs that bootchart's collector keeps: /proc/stat, its processes and its disks, again and
again, each time after a line with the uptime in hundredths of a second."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

LOGS = ("proc_stat.log", "proc_ps.log", "proc_diskstats.log")
# The unit of /proc, USER_HZ; and a sector's, of /proc/diskstats.
_HZ, _SECTOR = 100, 512
_UPTIME = re.compile(r"\d{1,12}")
_STATES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
_STAT = re.compile(r"(\d{1,9}) \((.{0,64})\) \S (.{1,1000})")
# Places after the state in /proc/PID/stat: user and system time.
_UTIME, _STIME = 10, 11
_DISK = re.compile(
    r"\s*\d{1,6}\s+0\s+([a-z]{1,12}|mmcblk\d{1,3}|nvme\d{1,3}n\d{1,3})((?:\s+\d{1,20}){11,20})\s*"
)
_READ, _WRITTEN = 2, 6


@dataclass
class Bootchart:
    """The seconds that the logs cover, and the use of the machine in them.

    `states` are seconds of all processors, `processes` of each process, by its name and number;
    `read` and `written` are bytes of all disks.
    """

    seconds: float = 0.0
    states: dict[str, float] = field(default_factory=dict)
    processes: dict[str, float] = field(default_factory=dict)
    read: int = 0
    written: int = 0


def read_bootchart(logs: Mapping[str, bytes]) -> Bootchart:
    """Reads the logs of LOGS that there are. Raises ValueError where proc_stat.log says nothing."""
    found = Bootchart()
    samples = [*_samples(logs.get("proc_stat.log", b""))]
    if len(samples) < 2 or samples[-1][0] <= samples[0][0]:
        raise ValueError("its proc_stat.log has no two samples of which the later is the last")
    found.seconds = (samples[-1][0] - samples[0][0]) / _HZ
    first, last = (_cpu(lines) for _, lines in (samples[0], samples[-1]))
    found.states = {
        name: max(0, after - before) / _HZ
        for name, before, after in zip(_STATES, first, last, strict=False)
    }
    # A process that ended has its last times in an earlier sample.
    for _, lines in _samples(logs.get("proc_ps.log", b"")):
        for line in lines:
            match = _STAT.fullmatch(line)
            numbers = match[3].split() if match else []
            if match and len(numbers) > _STIME:
                used = numbers[_UTIME], numbers[_STIME]
                if all(part.isdecimal() and len(part) < 15 for part in used):
                    found.processes[f"{match[2]} {match[1]}"] = sum(map(int, used)) / _HZ
    disks = [lines for _, lines in _samples(logs.get("proc_diskstats.log", b""))]
    if len(disks) > 1:
        (read, written), (read_after, written_after) = _moved(disks[0]), _moved(disks[-1])
        found.read = max(0, read_after - read)
        found.written = max(0, written_after - written)
    return found


def _samples(log: bytes) -> Iterator[tuple[int, list[str]]]:
    """The samples of a log: the uptime, and the lines up to the next."""
    at: int | None = None
    lines: list[str] = []
    for line in log.decode("utf-8", "replace").splitlines():
        if _UPTIME.fullmatch(line.strip()):
            if at is not None:
                yield at, lines
            at, lines = int(line), []
        elif line.strip():
            lines.append(line.strip())
    if at is not None and lines:
        yield at, lines


def _cpu(lines: list[str]) -> list[int]:
    words = next((line.split()[1:] for line in lines if line.startswith("cpu ")), [])
    return [int(word) for word in words[: len(_STATES)] if word.isdecimal() and len(word) < 15]


def _moved(lines: list[str]) -> tuple[int, int]:
    """Bytes read and written of all disks, without their partitions."""
    read = written = 0
    for line in lines:
        if match := _DISK.fullmatch(line):
            numbers = [int(word) for word in match[2].split()]
            read += numbers[_READ] * _SECTOR
            written += numbers[_WRITTEN] * _SECTOR
    return read, written
