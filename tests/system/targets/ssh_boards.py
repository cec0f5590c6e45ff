# SPDX-License-Identifier: Apache-2.0
"""Boards on loopback that are reached over ssh: an sshd, and a dropbear with a busybox."""

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil
import pytest

from ..conftest import Here, until

_SYSTEM_PATH = f"{os.environ['PATH']}:/usr/sbin"


def make_key(path: Path) -> None:
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)]
    subprocess.run(command, check=True)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def answers(port: int) -> bool | None:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return None
    return True


def introduce(here: Here, port: int, host_key: str) -> None:
    """Lets the command know what is at `port` as "board", by the key of the test's folder."""
    folder = here.place.parent
    (folder / "known").write_text(f"[127.0.0.1]:{port} {' '.join(host_key.split()[:2])}\n")
    (folder / "ssh_config").write_text(
        f"Host board\n HostName 127.0.0.1\n Port {port}\n IdentityFile {folder}/key\n"
        f" IdentitiesOnly yes\n UserKnownHostsFile {folder}/known\n"
        " GlobalKnownHostsFile /dev/null\n"
    )
    here.environment["PERFBOARD_SSH_CONFIG"] = str(folder / "ssh_config")


@contextmanager
def _served(command: Sequence[str], port: int) -> Iterator[psutil.Process]:
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        until(lambda: answers(port))
        yield psutil.Process(server.pid)
    finally:
        family = psutil.Process(server.pid).children(recursive=True)
        server.kill()
        server.wait()
        for process in family:
            with suppress(psutil.NoSuchProcess):
                process.kill()


@contextmanager
def sshd(here: Here, *lines: str) -> Iterator[psutil.Process]:
    """OpenSSH's server with `lines` more in its configuration; the probe runs in `here.place`."""
    server = shutil.which("sshd", path=_SYSTEM_PATH)
    if server is None:
        pytest.skip("no sshd here; on Debian: apt-get install openssh-server")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    folder, port = here.place.parent, free_port()
    make_key(folder / "host")
    make_key(folder / "key")
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\n"
        f"AuthorizedKeysFile {folder}/key.pub\nStrictModes no\nUsePAM no\nPidFile none\n"
        f"SetEnv TMPDIR={here.place}\n" + "\n".join(lines) + "\n"
    )
    introduce(here, port, (folder / "host.pub").read_text())
    with _served([server, "-D", "-e", "-f", str(folder / "sshd_config")], port) as process:
        yield process


@contextmanager
def dropbear(here: Here, memory: Path | None = None, meminfo: str = "") -> Iterator[Path]:
    """dropbear in a small root of its own with a busybox and nothing else; yields that root.

    All of it is in the control group `memory`, and the kernel's /proc/meminfo shows `meminfo`.
    """
    server = shutil.which("dropbear", path=_SYSTEM_PATH)
    busybox = shutil.which("busybox", path=_SYSTEM_PATH)
    if server is None or busybox is None:
        pytest.skip(
            "no dropbear and busybox; on Debian: apt-get install dropbear-bin busybox-static"
        )
    namespace = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
    if os.geteuid() or subprocess.run([*namespace, "true"], check=False).returncode:
        pytest.skip("only root may let dropbear log in, in a root and a namespace of its own")
    folder, port = here.place.parent, free_port()
    root = folder / "root"
    for name in ("bin", "etc", "root/.ssh", "tmp", "proc", "dev"):
        (root / name).mkdir(parents=True)
    for name in ("", "root", "root/.ssh"):
        (root / name).chmod(0o700)
    shutil.copy(busybox, root / "bin/busybox")
    subprocess.run(["chroot", str(root), "/bin/busybox", "--install", "-s", "/bin"], check=True)
    libraries = subprocess.run(["ldd", server], check=True, capture_output=True, text=True).stdout
    for library in (server, *re.findall(r"(/\S+) \(", libraries)):
        (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, root / library[1:])
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\n")
    (root / "etc/shells").write_text("/bin/sh\n")
    make_key(folder / "key")
    shutil.copy(folder / "key.pub", root / "root/.ssh/authorized_keys")
    key = subprocess.run(
        ["dropbearkey", "-t", "ed25519", "-f", str(root / "etc/hostkey")],
        check=True,
        capture_output=True,
        text=True,
    )
    introduce(here, port, next(x for x in key.stdout.splitlines() if x.startswith("ssh-")))
    (root / "etc/meminfo").write_text(meminfo)
    script = [
        *([f"echo $$ >'{memory}/cgroup.procs'"] if memory else []),
        f"mount -t proc none '{root}/proc'",
        *([f"mount --bind '{root}/etc/meminfo' '{root}/proc/meminfo'"] if meminfo else []),
        f"mount --bind /dev '{root}/dev'",
        f"exec chroot '{root}' {server} -F -E -s -j -k -p 127.0.0.1:{port} -r /etc/hostkey",
    ]
    here.place = root / "tmp"
    with _served([*namespace, "sh", "-ec", "\n".join(script)], port):
        yield root
    assert not any(here.place.iterdir())


@contextmanager
def memory_group(limit: int) -> Iterator[Path]:
    """A control group within the test's own whose processes may have `limit` bytes together."""
    groups = Path("/proc/self/cgroup").read_text().split()
    for line in groups:
        number, controllers, path = line.split(":", 2)
        parent, name = Path(f"/sys/fs/cgroup/memory{path}"), "memory.limit_in_bytes"
        if number == "0":
            parent, name = Path(f"/sys/fs/cgroup{path}"), "memory.max"
        elif "memory" not in controllers.split(","):
            continue
        group = parent / f"perfboard-test-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            if (group / name).exists():
                (group / name).write_text(str(limit))
                yield group
                return
        finally:
            until(partial(_removed, group))
    pytest.skip("no control group that limits memory can be made here")


def _removed(group: Path) -> bool:
    with suppress(OSError):
        group.rmdir()
    return not group.exists()
