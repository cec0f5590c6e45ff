# SPDX-License-Identifier: Apache-2.0
"""The script of network.ssh, in folders of this user's; no server runs."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import perfboard.measures.network.ssh as row

Program = Callable[[str, str], None]
SCRIPT = Path(row.__file__).with_name("ssh.sh")
PROBE = """
case $1 in
say) shift; echo "$*";;
tcp-serve) echo x >> "$FOLDER/../ports"; echo '{"row":"port","port":4711}';;
*) echo "$1 $3" > "$2"; shift 4; "$@";;
esac
"""


@pytest.fixture
def folder(tmp_path: Path, program: Program) -> Path:
    """A folder with nothing in it; a server, clients and a probe that only do what is asked."""
    program("sshd", "exec sleep 60")
    program("ssh-keygen", 'for last; do :; done; echo "kind key $last" | tee "$last" > "$last.pub"')
    program("ssh", 'for last; do :; done; exec sh -c "$last"')
    # As nobody in particular: root would be given a folder in /run.
    program("id", "echo 1000")
    program("probe", PROBE)
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    programs = folder.parent / "programs"
    before = {*programs.iterdir()}
    done = subprocess.run(
        ["sh", str(SCRIPT), "tmpfs", str(folder), "1", "4096", "aes128-ctr"],
        env={**os.environ, "FOLDER": str(folder), "PROBE": str(programs / "probe")},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert not any(folder.iterdir()) and {*programs.iterdir()} == before
    return done


def test_each_cipher_is_timed_and_nothing_is_left(folder: Path) -> None:
    done = run(folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("time ssh-tmpfs-") == 2 and "refused" not in done.stdout


def test_the_kernel_chooses_the_port_and_the_client_knows_the_key(
    folder: Path, program: Program
) -> None:
    program("sshd", 'echo "$*" > "$FOLDER/../server"; exec sleep 60')
    known = 'for word; do case $word in User*) cp "${word#*=}" "$FOLDER/../known";; esac; done'
    program("ssh", f'echo "$*" > "$FOLDER/../client"; {known}; exec sh -c "$word"')
    run(folder)
    server, client, keys = (
        (folder.parent / name).read_text() for name in ("server", "client", "known")
    )
    assert "-p 4711 " in server and "-p 4711 " in client
    assert "StrictHostKeyChecking=yes" in client and "HostKeyAlias=perfboard" in client
    assert keys == "perfboard kind key\n"


def test_a_server_without_its_port_is_given_another(folder: Path, program: Program) -> None:
    program("sshd", '[ "$(grep -c "" "$FOLDER/../ports")" = 3 ] || exit 255; exec sleep 60')
    wait = '[ "$(grep -c "" "$FOLDER/../ports")" = 3 ] || { sleep 0.2; exit 255; }'
    program("ssh", f'for last; do :; done; {wait}; exec sh -c "$last"')
    assert run(folder).stdout.count("time ssh-tmpfs-") == 2


def test_a_server_that_does_not_start_is_told(folder: Path, program: Program) -> None:
    program("sshd", "echo no such thing >&2; exit 255")
    program("ssh", "sleep 0.1; exit 255")
    done = run(folder)
    assert done.returncode == 0
    assert "refused what=ssh why=no such thing" in done.stdout


def test_a_signal_leaves_nothing(folder: Path, program: Program) -> None:
    program("ssh", 'touch "$FOLDER/file"; kill -TERM "$PPID"')
    assert run(folder).returncode == 1
