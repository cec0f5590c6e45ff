# SPDX-License-Identifier: Apache-2.0
"""The probe's disk points and fio on the same file, in turn.

usage: python benchmarks/disk.py [--folder FOLDER] [--pairs N] [--only POINT ...]

The probe makes its file without a name, as in the bring-up, and waits before each point until its
output is read; fio has its turn on the same file through /proc. A buffered write makes a new file
for each of them.
Bars: the median of the pairs between 0.95 and 1.05 for blocks in order, between 0.9 and 1.1 at
random. Exit code 1 where one is missed. Run it on an idle machine, with fio.
"""

import argparse
import fcntl
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.measures.disk.points import points_of
from perfboard.model.progress import SilentProgress

MIB = 1 << 20
SIZE = 512 * MIB
LIMIT_S = 3
ROOM = 4096
IN_ORDER, AT_RANDOM = (0.95, 1.05), (0.9, 1.1)
# The points of the rows; fio's word for their operation.
POINTS = {
    "read/direct/1048576/1": "read",
    "write/direct/1048576/1": "write",
    "read/buffered/8192/1": "read",
    "write/buffered/8192/1": "write",
    "randread/direct/4096/1": "randread",
    "randwrite/direct/4096/1": "randwrite",
    "randread/direct/4096/32": "randread",
    "randwrite/direct/4096/32": "randwrite",
}


class Probe:
    """The probe at a folder with its points, held before each."""

    def __init__(self, program: Path, folder: Path, points: Sequence[str]) -> None:
        self._output, given = os.pipe()
        # A pipe of a page, which is full until a line may go.
        fcntl.fcntl(given, fcntl.F_SETPIPE_SZ, ROOM)
        self._filler = given
        os.set_blocking(given, True)
        self._fill()
        words = [
            str(program),
            "disk-points",
            str(folder),
            str(SIZE),
            str(LIMIT_S * 1000),
            *points,
        ]
        self._process = subprocess.Popen(words, stdout=given)

    def _fill(self) -> None:
        os.write(self._filler, b"\n" * ROOM)

    def wait(self) -> None:
        """Returns when it is about to print a line."""
        path = Path(f"/proc/{self._process.pid}/syscall")
        while path.read_text().split()[0] not in ("1", "20"):
            time.sleep(0.01)

    def next_line(self) -> str:
        """The line that it is to print; then it goes on to the next one."""
        text = b""
        while not text.strip(b"\n") or not text.endswith(b"\n"):
            text += os.read(self._output, 2 * ROOM)
        self._fill()
        return text.decode().strip("\n")

    @property
    def file(self) -> Path:
        """Its file, which has no name."""
        for path in Path(f"/proc/{self._process.pid}/fd").iterdir():
            if ".perfboard-disk." in str(path.readlink()):
                return path
        raise SystemExit("the probe has no file")

    def end(self) -> None:
        """Ends it."""
        self._process.terminate()
        self._process.wait()
        os.close(self._output)
        os.close(self._filler)


@contextmanager
def held(program: Path, folder: Path, points: Sequence[str]) -> Iterator[Probe]:
    """The probe, ended afterwards."""
    probe = Probe(program, folder, points)
    try:
        yield probe
    finally:
        probe.end()


def fio(point: str, file: Path) -> float:
    """Bytes a second of the point's pattern in that file."""
    _, mode, block, depth = point.split("/")
    writes = "write" in point
    words = ["fio", "--name=pair", f"--filename={file}", f"--rw={POINTS[point]}", f"--bs={block}"]
    words += [f"--size={SIZE}", f"--direct={int(mode == 'direct')}", f"--runtime={LIMIT_S}"]
    words += [f"--iodepth={depth}", f"--ioengine={'libaio' if depth != '1' else 'psync'}"]
    # As the probe's: blocks drawn again and again; a write is timed to the end of its fsync().
    words += ["--norandommap=1", "--randrepeat=0", f"--end_fsync={int(writes)}", "--fallocate=none"]
    done = subprocess.run(
        [*words, "--output-format=json"], check=True, capture_output=True, text=True
    )
    found = json.loads(done.stdout)["jobs"][0]["write" if writes else "read"]
    return float(found["io_bytes"]) / (float(found["runtime"]) / 1000)


def pairs(program: Path, folder: Path, point: str, count: int) -> list[float]:
    """The ratios of the probe's rate to fio's, in turn."""
    ours, theirs = [], []
    with held(program, folder, [point] * (count + 1)) as probe:
        probe.wait()
        for turn in range(count + 1):
            line = probe.next_line()
            if turn:
                (found,) = points_of(line)
                ours.append(found.bytes / found.seconds)
            probe.wait()
            if point.startswith("write/buffered"):
                new = folder / "fio"
                theirs.append(fio(point, new))
                new.unlink()
            else:
                theirs.append(fio(point, probe.file))
        (found,) = points_of(probe.next_line())
        ours.append(found.bytes / found.seconds)
    # The first of each warms up.
    return [mine / other for mine, other in zip(ours[1:], theirs[1:], strict=True)]


def main() -> int:
    """Prints the bars; 1 if one is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=Path(), help="on a disk")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--only", action="append", choices=POINTS, metavar="POINT")
    given = parser.parse_args()
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    met = True
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        program = find_binary(architecture_of(platform.machine()), SilentProgress())
        for point in given.only or POINTS:
            low, high = AT_RANDOM if point.startswith("rand") else IN_ORDER
            ratios = pairs(program, folder, point, given.pairs)
            middle = statistics.median(ratios)
            good = low <= middle <= high
            met &= good
            print(
                f"{'met' if good else 'NOT'}  {point} against fio, median of {given.pairs} pairs "
                f"from {low} to {high}: {middle:.3f} ({min(ratios):.3f} to {max(ratios):.3f})",
                flush=True,
            )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
