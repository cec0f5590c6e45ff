# SPDX-License-Identifier: Apache-2.0
"""A board that is reached by the system's OpenSSH client, over one shared connection.

The connection is a session of its own on the target, a shell that ends with its
input: so it ends with Perfboard, whatever ends that. The user's own configuration
and known hosts hold; nothing of them is changed here.
"""

import ipaddress
import os
import re
import secrets
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from perfboard.host.files.scratch import USUAL, scratch_folder, temporary_folder
from perfboard.model.errors import EnvironmentLacksError, TargetError, UsageError
from perfboard.model.progress import Progress
from perfboard.model.run import Evidence
from perfboard.targets.base import Target, refuse_factors
from perfboard.targets.pipe.process import Process
from perfboard.targets.pipe.shell import PipeShell

SCHEME = "ssh"
FORM = "ssh://[USER@]HOST[:PORT]"
# The path of another configuration file for ssh; without it ssh finds the user's own.
CONFIGURATION = "PERFBOARD_SSH_CONFIG"

_ADDRESS = re.compile(
    r"ssh://(?:(?P<user>[A-Za-z0-9_.][A-Za-z0-9_.@+$-]*)@)?"
    r"(?:\[(?P<ipv6>[^\[\]@/]+)\]|(?P<host>[A-Za-z0-9_][A-Za-z0-9._-]*))"
    r"(?::(?P<port>[0-9]{1,5}))?/?"
)
_CONNECT_S = 15
# The whole of it: name, route, keys, and the first word of the target's shell.
_GREETING_S = 40.0
# Nothing tells a target that the network has gone silent; then this does.
IDLE_S = 900.0
# Without its socket ssh would connect anew, and a lost board seem to be there.
SHARED_ONLY = ("-o", "ControlMaster=no", "-o", "ProxyCommand=false")
# The shell leads a group of processes. Servers differ in whether the login shell leads one.
_LEAD = 'exec $(kill -0 -$$ 2>/dev/null || command -v setsid) sh -c "$1"'
# A folder whose own folder for the socket fits: its name adds 28 characters, and 17 more while ssh
# makes it. The kernel allows 107.
_SAFE_SOCKET = re.compile(r"[A-Za-z0-9/._-]{1,52}")


@dataclass(frozen=True)
class Address:
    """The address of a target; a `user` or `port` of None is left to ssh's configuration."""

    host: str
    user: str | None = None
    port: int | None = None

    def words(self) -> list[str]:
        """As arguments of ssh."""
        words = [] if self.user is None else ["-l", self.user]
        words += [] if self.port is None else ["-p", str(self.port)]
        return [*words, "--", self.host]


def parse(text: str) -> Address:
    """The address in `text`. Raises UsageError."""
    match = _ADDRESS.fullmatch(text)
    if match is None:
        raise UsageError(f'"{text}" is no ssh target; it is written {FORM}, an IPv6 HOST as [::1].')
    if match["ipv6"] is not None:
        try:
            ipaddress.IPv6Address(match["ipv6"])
        except ValueError as error:
            raise UsageError(f'"{text}": {error}.') from None
        if not re.fullmatch("[A-Za-z0-9._:%-]+", match["ipv6"]):
            raise UsageError(f'"{text}": the zone of the IPv6 address is no network interface.')
    port = None if match["port"] is None else int(match["port"])
    if port is not None and not 0 < port < 65536:
        raise UsageError(f'"{text}": port {port} is not between 1 and 65535.')
    return Address(match["ipv6"] or match["host"], match["user"], port)


def _explain(text: str, address: Address, errors: str) -> EnvironmentLacksError:
    """The error for a connection that could not be made, from the errors of ssh."""
    words = " ".join(line.strip() for line in errors.splitlines() if line.strip("@ \r\n"))[-1200:]
    by_hand = shlex.join(
        word for word in ["ssh", *_configuration(), *address.words()] if word != "--"
    )
    if "HOST IDENTIFICATION HAS CHANGED" in errors or "host key has changed" in errors.lower():
        cure = (
            f"{text} shows another host key than before. If you know why, as after a new "
            f"installation, remove the old one with ssh-keygen -R and connect once: {by_hand}"
        )
    elif "Host key verification failed" in errors or "host key is known" in errors:
        cure = (
            f"The host key of {text} is not known here. Connect once and compare its "
            f"fingerprint: {by_hand}"
        )
    elif re.search("Permission denied|authentication (failures|methods)|Unable to auth", errors):
        cure = (
            f"{text} does not let you in. Perfboard asks for no password: install your key with "
            f"ssh-copy-id, load it with ssh-add, and try: {by_hand}"
        )
    else:
        cure = f"{text} cannot be reached. Is it on, and on the network? Try: {by_hand}"
    return EnvironmentLacksError(f"{cure}\nssh said: {words or 'nothing'}")


def ssh_version() -> str:
    """The words of ssh about itself. Raises EnvironmentLacksError where it is missing."""
    if shutil.which("ssh") is None:
        raise EnvironmentLacksError(
            "this machine lacks ssh; on Debian: sudo apt-get install openssh-client"
        )
    done = subprocess.run(["ssh", "-V"], capture_output=True, text=True, timeout=20, check=False)
    return done.stderr.strip()[:200]


def host_of(text: str) -> str:
    """The host that ssh connects to for the target `text`, by the user's configuration of ssh."""
    address = parse(text)
    ssh_version()
    words = ["ssh", *_configuration(), "-G", *address.words()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    for line in done.stdout.splitlines():
        name, _, value = line.partition(" ")
        if name == "hostname":
            return value
    return address.host


@contextmanager
def control_folder() -> Iterator[Path]:
    """A private folder whose path is short and plain enough for a socket of ssh's."""
    usual = temporary_folder()
    with scratch_folder(usual if _SAFE_SOCKET.fullmatch(str(usual)) else USUAL) as folder:
        yield folder


def _configuration() -> list[str]:
    """Which configuration file ssh is to read, where that is not its own."""
    own = os.environ.get(CONFIGURATION)
    return [] if own is None else ["-F", own]


def options(socket: Path) -> list[str]:
    """Options of ssh, over the user's own: for a session that others share by `socket`."""
    settings = {
        "BatchMode": "yes",
        "ConnectTimeout": str(_CONNECT_S),
        "ServerAliveInterval": "5",
        "ServerAliveCountMax": "3",
        "LogLevel": "ERROR",
        "ControlPersist": "no",
        "ClearAllForwardings": "yes",
        # A board that is not trusted could use the user's agent and screen.
        "ForwardAgent": "no",
        "ForwardX11": "no",
        "PermitLocalCommand": "no",
        "RemoteCommand": "none",
    }
    return [*_configuration(), "-T", "-S", str(socket)] + [
        word for name, value in settings.items() for word in ("-o", f"{name}={value}")
    ]


@contextmanager
def connect(
    text: str, progress: Progress, artifacts: Path | None, factors: Mapping[str, str]
) -> Iterator[Target]:
    refuse_factors(text, factors)
    address = parse(text)
    version = ssh_version()
    with control_folder() as folder:
        shared = options(folder / "s")

        def ssh(more: Sequence[str], script: str) -> list[str]:
            return ["ssh", *shared, *more, *address.words(), remote(script)]

        def explain(errors: str) -> EnvironmentLacksError:
            return _explain(text, address, errors)

        with shell_over(text, ssh, ["-o", "ControlMaster=yes"], explain, progress) as shell:
            yield Target(text, Evidence.SILICON, shell, IDLE_S, tools={"ssh": version})


def remote(script: str) -> str:
    """The last argument of ssh, by which any login shell has `sh` run the script."""
    return f"exec sh -c {shlex.quote(_LEAD)} sh {shlex.quote(script)}"


@contextmanager
def shell_over(
    text: str,
    ssh: Callable[[Sequence[str], str], list[str]],
    first: Sequence[str],
    explain: Callable[[str], EnvironmentLacksError],
    progress: Progress,
) -> Iterator[PipeShell]:
    """A shell on the target `text`, by one connection that all its scripts share.

    `ssh` makes the command line of a script, with more options: for its session, `first`. `explain`
    makes the error of a connection that cannot be made from what ssh complained of.
    """

    def lost(errors: str) -> TargetError:
        # The shared connection often knows more than the session that it carried.
        master.hear_last_words()
        whole = " ".join(f"{master.errors} {errors}".split())[-800:]
        return TargetError(
            "lost",
            f"The connection to {text} is lost. ssh said: {whole or 'nothing'}\n"
            "Is it still on, and on the network? A board that hangs is lost too.",
        )

    def command(script: str) -> list[str]:
        if master.ended:
            raise lost("")
        return ssh(SHARED_ONLY, script)

    # Not quoted, like all that follows: a C shell takes no quotes around several lines.
    mark = f"perfboard-{secrets.token_hex(8)}"
    with progress.step(f"connecting to {text}", 1):
        words = ssh(first, f"echo {mark}\nexec sh")
        master = Process(words, lambda errors: TargetError("lost", errors), tidies=True)
        try:
            _await(mark, master, text, explain)
        except BaseException:
            master.kill()
            raise
    try:
        yield PipeShell(command, lost, master)
    finally:
        master.close()


def _await(
    mark: str, master: Process, text: str, explain: Callable[[str], EnvironmentLacksError]
) -> None:
    """Returns when the target's shell has printed `mark`."""
    output = b""
    deadline = time.monotonic() + _GREETING_S
    while mark.encode() not in output:
        if time.monotonic() > deadline:
            raise EnvironmentLacksError(
                f"{text} has not answered within {_GREETING_S:.0f} s. It said: "
                f"{output[-500:].decode(errors='replace').strip() or 'nothing'}"
            )
        try:
            output = (output + master.read(0.5))[-1 << 16 :]
        except TargetError:
            break
    else:
        return
    if master.exit_status() == 255:
        raise explain(master.errors)
    words = (output.decode(errors="replace") + master.errors).strip()
    raise EnvironmentLacksError(
        f"{text} lets you in but gives no POSIX shell that runs commands. It said: "
        f"{words[-500:] or 'nothing'}"
    )
