# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a target, done to this machine in namespaces of the test's own."""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import platformdirs
import psutil
import pytest

import perfboard as package
from tests.support.runs import processes_of

from ..conftest import Here, until

CACHE = Path(platformdirs.user_cache_dir())
NAMESPACE = ["unshare", "--map-root-user", "--mount"]


def wrap(here: Here, *script: str, run: str = 'exec "$@"') -> None:
    """Lets the command run in a mount namespace, by `run`, after `script`."""
    allowed = shutil.which("unshare") and subprocess.run([*NAMESPACE, "true"], check=False)
    if not allowed or allowed.returncode:
        pytest.skip("this machine allows no mount namespace to this user")
    here.wrapper = [*NAMESPACE, "sh", "-ec", "\n".join([*script, run]), "sh"]


def stop_between_probes(here: Here, process: subprocess.Popen[str]) -> None:
    """Stops the command; meanwhile the server ends what it was asked for."""
    process.send_signal(signal.SIGSTOP)
    # What was asked for just before is not begun yet.
    time.sleep(1)
    until(lambda: None if here.running("kernel.syscall", "ipc.pipe", "file.read") else True)


def hide_usual_places(here: Here, last: str) -> None:
    """Mounts over every usual folder of the command one that does not do, but for /run.

    The test's own folder is /mnt there. `last` are the mount options of /run. Perfboard, its
    Python and its cache stay where they are, though that be in such a folder.
    """
    own = (sys.prefix, *(str(Path(package.__file__).parents[n]) for n in (0, 2)), str(CACHE))
    hidden = [path for path in own if Path(path).parts[1] in ("tmp", "run", "mnt")]
    # A folder is still there for who has opened it.
    opened = [f"exec {number}< '{path}'" for number, path in enumerate(hidden, 3)]
    shown = [
        f"mkdir -p '{path}' && mount --bind /proc/self/fd/{number} '{path}'"
        for number, path in enumerate(hidden, 3)
    ]
    folder = here.place.parent
    here.environment |= {
        "XDG_DATA_HOME": "/mnt/data",
        "XDG_CACHE_HOME": str(CACHE),
        "TMPDIR": "/mnt/none",
        "HOME": "/proc",
    }
    wrap(
        here,
        *opened,
        f"mount --bind '{folder}' /mnt",
        "mount -t tmpfs -o size=64k none /tmp",
        "mount -t tmpfs -o ro none /var/tmp",
        "mount -t tmpfs -o noexec none /dev/shm",
        f"mount -t tmpfs -o {last} none /run",
        *shown,
        "cd /proc",
    )


def test_a_target_without_any_place_for_the_probe_says_why_not_in_each(here: Here) -> None:
    hide_usual_places(here, "ro")
    said = here("measure", "kernel.syscall", "--time", "1", code=4).stderr
    lines = {line.partition(": ")[0]: line for line in said.splitlines()}
    assert "No such file or directory" in lines["/mnt/none"]
    assert "No space left on device" in lines["/tmp"]
    assert "Read-only file system" in lines["/var/tmp"]
    assert "ermission denied" in lines["/dev/shm"]
    assert "Read-only file system" in lines["/run"]
    assert "/proc" in lines
    assert "Make room in one" in said
    assert here.json("runs") == []


def test_a_tmpfs_is_filled_where_there_is_room(here: Here) -> None:
    small, large = (
        "mount -t tmpfs -o size=256k none /dev/shm",
        "mount -t tmpfs -o size=64m none /run",
    )
    wrap(here, small, large)
    run = here.json("measure", "memory.tmpfs", "--time", "1")
    sizes = [int(metric["labels"]["size"]) for metric in run["metrics"] if metric["samples"]]
    assert max(sizes) >= 4 << 20


def test_the_probe_goes_where_it_can_run(here: Here) -> None:
    hide_usual_places(here, "size=8m")
    here.place = Path("/run/perfboard-")
    process = here.start("measure", "kernel.syscall", "--time", "3")
    until(lambda: here.running("kernel.syscall"))
    assert here.finish(process, 0)["status"] == "complete"


def test_a_disk_that_fills_up_while_the_probe_is_copied_there(here: Here) -> None:
    programs = here.place.parent / "programs"
    programs.mkdir()
    # The last that is done to the file with which the folder is tried.
    (programs / "rm").write_text(
        f'#!/bin/sh\n/bin/rm "$@"\n[ -e "{here.place}/fill" ] ||\n'
        f'dd if=/dev/zero of="{here.place}/fill" bs=1024 count=256\n'
    )
    (programs / "rm").chmod(0o755)
    here.environment["PATH"] = f"{programs}:{here.environment['PATH']}"
    left = here.place.parent / "left"
    wrap(
        here,
        f"mount -t tmpfs -o size=320k none '{here.place}'",
        run=f'"$@" || code=$?\nls -A "{here.place}" >"{left}"\nexit $code',
    )
    said = here("measure", "kernel.syscall", "--time", "1", code=4).stderr
    assert "cannot be written on the target" in said
    assert "No space left on device" in said
    assert left.read_text() == "fill\n"


def test_a_disk_that_fills_up_while_it_is_measured(here: Here) -> None:
    wrap(here, f"mount -t tmpfs -o size=4m none '{here.place}'")
    process = here.start("measure", "kernel.syscall", "file.read", "--time", "12")
    first = until(lambda: here.running("file.read"))
    until(lambda: None if psutil.pid_exists(first.pid) else True)
    stop_between_probes(here, process)
    fill = Path(f"/proc/{process.pid}/root{here.place}/fill")
    with pytest.raises(OSError, match="No space left"), fill.open("wb") as file:
        while True:
            file.write(bytes(1 << 12))
            file.flush()
    process.send_signal(signal.SIGCONT)
    run = here.finish(process, 0)
    assert run["status"] == "complete"
    said = [p["refused"] or "" for p in processes_of(run) if p["probe"] == "file.read"]
    assert said[0] == ""
    assert "space" in said[-1]
    assert {"kernel.syscall", "file.read.bandwidth"} <= {m["name"] for m in run["metrics"]}


def test_a_machine_for_which_there_is_no_probe(here: Here) -> None:
    programs = here.place.parent / "programs"
    programs.mkdir()
    (programs / "uname").write_text("#!/bin/sh\necho sh4\n")
    (programs / "uname").chmod(0o755)
    here.environment["PATH"] = f"{programs}:{here.environment['PATH']}"
    said = here("measure", code=3).stderr
    assert "machine is 'sh4', and there is no probe for that" in said
    assert "aarch64" in said
    assert here.json("runs") == []
    assert here.left_clean()


def test_a_server_that_hangs_ends_the_run_with_what_was_measured(here: Here) -> None:
    process = here.start("measure", "kernel.syscall", "ipc.pipe", "--time", "60")
    first = until(lambda: here.running("kernel.syscall", "ipc.pipe"))
    until(lambda: None if psutil.pid_exists(first.pid) else True)
    stop_between_probes(here, process)
    until(lambda: here.running("serve")).suspend()
    process.send_signal(signal.SIGCONT)
    run = here.finish(process, 4)
    assert run["status"] == "failed"
    assert run["errors"][0]["kind"] == "hang"
    assert run["metrics"]
    until(here.left_clean)
