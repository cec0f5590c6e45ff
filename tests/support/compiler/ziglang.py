# SPDX-License-Identifier: Apache-2.0
"""Stands in for the probe's compiler, as `python -m ziglang cc ... -o FILE` starts it.

A binary is the command that made it. Files of the folder that has the compiler's own: `calls`
gets the commands, `fault` is what is wrong with the sources; in its own it keeps an `object`.
"""

import fcntl
import os
import sys
from pathlib import Path


def main(*words: str, output: str) -> None:
    own = Path(os.environ["ZIG_GLOBAL_CACHE_DIR"])
    own.mkdir(parents=True, exist_ok=True)
    command = " ".join(words)
    with (own.parent / "calls").open("a") as calls:
        print(command, file=calls)
    locks = own.parent.parent / "locks"
    if locks.is_dir():
        with (locks / f"{own.parent.name}-{own.name}.lock").open() as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                sys.exit("another may compile meanwhile")
            except BlockingIOError:
                pass
    if (own.parent / "fault").exists():
        sys.exit((own.parent / "fault").read_text())
    (own / "object").write_text("1")
    Path(output).write_text(command)


main(*sys.argv[1:-2], output=sys.argv[-1])
