# SPDX-License-Identifier: Apache-2.0
"""Jobs and boots in turn on one line: the bench lets go of the shell to boot, and opens it anew."""

import os
import pty
import select
import signal
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.runs import boots_of

from ..conftest import Perfboard

# A board whose shell goes on until it is reset, and which then boots, and has another one.
BOARD = """\
while :; do
    for line in 'U-Boot 2023.01' 'Starting kernel ...' '[    0.000000] Linux version 6.1.0' \\
        '[    0.400000] Run /sbin/init as init process' 'the board is ready'; do
        sleep 0.1; echo "$line"
    done
    sh -c 'echo $$ > "$SHELL_ID"; exec sh -i +m'
done
"""


@contextmanager
def board_on_a_line(shell_id: Path) -> Iterator[str]:
    """The target of a board with a shell, whose process is in the file `shell_id`."""
    process, inside = pty.fork()
    if process == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        environment = {"PATH": os.environ["PATH"], "HOME": "/", "PS1": "board# "}
        os.execvpe("sh", ["sh", "-c", BOARD], {**environment, "SHELL_ID": str(shell_id)})
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    gone = threading.Event()

    def carry() -> None:
        ways = {inside: ours, ours: inside}
        while not gone.is_set():
            for one in select.select([*ways], [], [], 0.1)[0]:
                with suppress(OSError):
                    os.write(ways[one], os.read(one, 4096))

    wire = threading.Thread(target=carry)
    wire.start()
    try:
        yield f"serial://{os.ttyname(theirs)}"
    finally:
        gone.set()
        wire.join()
        os.kill(process, signal.SIGKILL)
        with suppress(ProcessLookupError, ValueError):
            os.kill(int(shell_id.read_text()), signal.SIGKILL)
        os.waitpid(process, 0)
        for descriptor in (ours, theirs, inside):
            os.close(descriptor)


def test_a_job_a_boot_and_a_job_share_a_line(perfboard: Perfboard, tmp_path: Path) -> None:
    shell_id, reset = tmp_path / "shell", tmp_path / "reset.sh"
    reset.write_text(f"#!/bin/sh\nkill -9 $(cat {shell_id})\n")
    reset.chmod(0o755)
    with board_on_a_line(shell_id) as target:
        names = ["memory.free", "boot", "disk.files"]
        words = ["--usable", "board is ready", "--reset", str(reset), "--with", "boots=2"]
        run = perfboard.json("measure", *names, "--target", target, *words, "--with", "quick=true")
    assert run["status"] == "complete", run["errors"]
    (measures,) = (each for each in run["results"] if each["kind"] == "measures")
    found = {each["measure"]: each for each in measures["measurements"]}
    assert list(found) == names and not any(each["reason"] for each in found.values())
    boots = boots_of(run)
    assert len(boots) == 2
    for boot in boots:
        assert {"reset", "kernel.entry", "usable"} <= {mark["name"] for mark in boot["marks"]}
    of_boots = {m["name"] for m in run["metrics"] if m.get("measurement") == 1}
    assert "boot.total" in of_boots
