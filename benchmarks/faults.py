# SPDX-License-Identifier: Apache-2.0
"""What files that once hung a command, or filled its memory, cost: `python benchmarks/faults.py`.

Prints the processor time and the most memory of each command, and exits with 1 if one is over its
bar. The files are made up: a Google Benchmark of 20,000 names, and an archive whose header states
a name of 2 GiB, which are zeros. Runs and cache lie in folders of their own.
"""

import gzip
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

_NAMES, _NAME_BYTES = 20_000, 2 << 30
_MIB = 1 << 20


def write_names(path: Path) -> None:
    """A Google Benchmark's result, each benchmark once."""
    rows = [{"run_name": f"copy/{n}", "real_time": 1, "cpu_time": 1} for n in range(_NAMES)]
    path.write_text(json.dumps({"context": {}, "benchmarks": rows}))


def write_long_name(path: Path) -> None:
    """An archive whose first header is a long name, as GNU tar writes one."""
    header = bytearray(tarfile.TarInfo("././@LongLink").tobuf(tarfile.GNU_FORMAT)[:512])
    header[124:136] = b"%011o\0" % _NAME_BYTES
    header[156:157] = tarfile.GNUTYPE_LONGNAME
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(header)
        for _ in range(_NAME_BYTES // _MIB):
            file.write(bytes(_MIB))


# The command, its exit code, the seconds of a processor and the MiB that it may take.
_BARS = (
    ("import names.json", 0, 30.0, 600),
    ("export latest --format lava", 0, 10.0, 400),
    ("import name.tgz --format bootchart", 2, 5.0, 200),
)


def cost(words: list[str], folder: Path) -> tuple[int, float, int]:
    """The exit code of the command, its processor time in s, and its most memory in MiB."""
    process = subprocess.Popen(
        [sys.executable, "-m", "perfboard.cli.main", *words],
        cwd=folder,
        env={**os.environ, "XDG_DATA_HOME": f"{folder}/data", "XDG_CACHE_HOME": f"{folder}/cache"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss >> 10


def main() -> int:
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_names(folder / "names.json")
        write_long_name(folder / "name.tgz")
        for line, right, most_s, most_mib in _BARS:
            code, seconds, mib = cost(line.split(), folder)
            kept = code == right and seconds <= most_s and mib <= most_mib
            missed += not kept
            print(f"{seconds:6.2f} s {mib:5} MiB  exit {code}  {line}{'' if kept else '  MISSED'}")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
