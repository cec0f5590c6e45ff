# SPDX-License-Identifier: Apache-2.0
"""Network rows of the bring-up, on a board that is reached by ssh, and with a server here."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import perfboard.measures.network.ssh as network_ssh
from tests.support.runs import result_of

from ..conftest import Here, sample
from ..targets.ssh_boards import make_key, sshd


def test_http_is_measured_between_here_and_a_board(here: Here) -> None:
    only = ("--only", "network.http", "--quick")
    with sshd(here):
        run = here.json("study", "bringup", "--target", "ssh://board", *only)
    rows = result_of(run, "measures")["measurements"]
    assert all(not row["reason"] and row["figures"] for row in rows)
    assert sample(run, "network.http.bandwidth") > 1e6
    assert here.left_clean()


# OpenSSH's server with another key than it is told.
OTHER = """#!/bin/bash
words=()
for word; do
    case $word in HostKey=*) word=HostKey={0}/other;; esac
    words+=("$word")
done
exec {1} "${{words[@]}}"
"""


@pytest.mark.parametrize("other", [False, True], ids=["its own", "another"])
def test_a_file_goes_by_ssh_to_a_server_with_the_right_key(
    tmp_path: Path, probe: Path, other: bool
) -> None:
    server = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    if server is None:
        pytest.skip("no sshd here; on Debian: apt-get install openssh-server")
    (tmp_path / "folder").mkdir(0o700)
    shutil.copy(probe, tmp_path / "probe")
    make_key(tmp_path / "other")
    if other:
        (tmp_path / "sshd").write_text(OTHER.format(tmp_path, server))
        (tmp_path / "sshd").chmod(0o700)
    script = Path(network_ssh.__file__).with_name("ssh.sh")
    done = subprocess.run(
        ["sh", str(script), "tmpfs", str(tmp_path / "folder"), "1", "65536", "aes128-ctr"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "PROBE": str(tmp_path / "probe")},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert ("Host key verification failed" in done.stdout) == other
    assert done.stdout.count('"row":"time"') == (0 if other else 2)
    assert not any((tmp_path / "folder").iterdir()) and not (tmp_path / "keys").exists()
