# SPDX-License-Identifier: Apache-2.0
"""The script of network.ssh, in a folder that everybody may write to; no server runs."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import perfboard.measures.network.ssh as row

Program = Callable[[str, str], None]
SCRIPT = Path(row.__file__).with_name("ssh.sh")
# Another user knows the number of the process, which exec keeps.
ATTACK = 'ln -s "$VICTIM" "$FOLDER/perfboard-ssh.$$"; exec "$@"'


@pytest.fixture
def shared(tmp_path: Path, program: Program) -> Path:
    """A folder with nothing in it; a server, clients and a probe that only do what is asked."""
    program("sshd", "exec sleep 60")
    program("ssh-keygen", "")
    program("ssh", 'for last; do :; done; exec sh -c "$last"')
    # As nobody in particular: root would be given a folder in /run.
    program("id", "echo 1000")
    program(
        "probe", 'case $1 in say) shift; echo "$*";; *) echo "$1 $3" > "$2"; shift 4; "$@";; esac'
    )
    for name in ("own", "shared"):
        (tmp_path / name).mkdir()
    return tmp_path / "shared"


def run(folder: Path, *first: str) -> subprocess.CompletedProcess[str]:
    victim = folder.parent / "victim"
    victim.write_bytes(b"root's")
    more = {"TMPDIR": str(folder.parent / "own"), "FOLDER": str(folder), "VICTIM": str(victim)}
    done = subprocess.run(
        [*first, "sh", str(SCRIPT), "tmpfs", str(folder), "1", "4096", "aes128-ctr"],
        env={**os.environ, **more, "PROBE": str(folder.parent / "programs/probe")},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert victim.read_bytes() == b"root's"
    assert not [path for path in folder.iterdir() if not path.is_symlink()]
    assert not any((folder.parent / "own").iterdir())
    return done


def test_a_link_at_a_name_that_can_be_guessed_is_not_written_through(shared: Path) -> None:
    done = run(shared, "sh", "-c", ATTACK, "sh")
    assert len([*shared.iterdir()]) == 1
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("time ssh-tmpfs-") == 2 and "refused" not in done.stdout


def test_the_file_lies_where_no_other_user_looks(shared: Path, program: Program) -> None:
    program("ssh", 'for last; do :; done; ls -ld "$FOLDER"/*/ >> "$FOLDER/../seen"; sh -c "$last"')
    run(shared)
    seen = (shared.parent / "seen").read_text().splitlines()
    assert len(seen) == 3 and all(line.startswith("drwx------") for line in seen)


def test_a_signal_leaves_nothing(shared: Path, program: Program) -> None:
    program("ssh", 'touch "$FOLDER"/*/file; kill -TERM "$PPID"')
    assert run(shared).returncode == 1


@pytest.mark.parametrize("where", ["own", "shared"])
def test_a_folder_that_cannot_be_made_is_told(shared: Path, program: Program, where: str) -> None:
    program("mktemp", f'case $2 in */{where}/*) exit 1;; esac; mkdir "$2"; echo "$2"')
    done = run(shared)
    assert done.returncode == 0
    assert done.stdout.startswith("refused what=ssh why=no folder can be made in ")
    assert done.stdout.endswith(f"/{where}\n")
