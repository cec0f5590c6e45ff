# SPDX-License-Identifier: Apache-2.0
"""Packets a second between two network namespaces, where a token bucket is the known limit; and of
a virtual board, whose processor is."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.runs import result_of

from ..conftest import Here, Perfboard, build_for_trials, sample
from ..targets.ssh_boards import make_key

# Replies of 43 bytes (14 of Ethernet, 20, 8 and 1) at 4000 a second; with the requests, 8000
# packets a second. The queue holds 2000 bytes: 46 of them.
_RATE, _TRUTH = "1376kbit", 8000.0
# The queue may flatter trials of a second by 1.2%.
_NEAR = 0.04


def _run(*words: str) -> None:
    subprocess.run(words, check=True)


@pytest.fixture
def behind_bucket(here: Here) -> Iterator[Here]:
    """The command in a namespace; its ssh host "board" is another, behind a token bucket.

    What ssh says goes by a pipe, so that the veth pair has nothing but packets.
    """
    server = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    if os.geteuid() or server is None or shutil.which("tc") is None:
        pytest.skip("needs root, sshd and tc: apt-get install openssh-server iproute2")
    folder = here.place.parent
    device, sender = (f"pb{name}{os.getpid()}" for name in "ds")
    made = []
    try:
        for name in (device, sender):
            if subprocess.run(["ip", "netns", "add", name], check=False).returncode:
                pytest.skip("network namespaces cannot be made here")
            made.append(name)
            _run("ip", "-n", name, "link", "set", "lo", "up")
        _run(*f"ip link add v0 netns {sender} type veth peer name v0 netns {device}".split())
        for name, address in ((sender, "10.77.1.2/30"), (device, "10.77.1.1/30")):
            _run("ip", "-n", name, "addr", "add", address, "dev", "v0")
            _run("ip", "-n", name, "link", "set", "v0", "up")
        words = f"tc -n {device} qdisc add dev v0 root tbf rate {_RATE} burst 200 limit 2000"
        if subprocess.run(words.split(), check=False).returncode:
            pytest.skip("this kernel has no token bucket (sch_tbf)")
        _run("mkdir", "-p", "/run/sshd")
        make_key(folder / "host")
        make_key(folder / "key")
        (folder / "sshd_config").write_text(
            f"HostKey {folder}/host\nAuthorizedKeysFile {folder}/key.pub\nStrictModes no\n"
            f"UsePAM no\nPidFile none\nSetEnv TMPDIR={here.place}\n"
        )
        key = " ".join((folder / "host.pub").read_text().split()[:2])
        (folder / "known").write_text(f"board {key}\n")
        (folder / "ssh_config").write_text(
            f"Host board\n HostName 10.77.1.1\n HostKeyAlias board\n IdentityFile {folder}/key\n"
            f" IdentitiesOnly yes\n UserKnownHostsFile {folder}/known\n"
            " GlobalKnownHostsFile /dev/null\n"
            f" ProxyCommand ip netns exec {device} {server} -i -f {folder}/sshd_config\n"
        )
        here.environment["PERFBOARD_SSH_CONFIG"] = str(folder / "ssh_config")
        here.wrapper = ["ip", "netns", "exec", sender]
        yield here
    finally:
        for name in made:
            _run("ip", "netns", "del", name)


def test_a_token_bucket_is_found_and_named(behind_bucket: Here) -> None:
    words = ("--target", "ssh://board", "--only", "icmp", "--trial", "1")
    run = behind_bucket.json("study", "packets", *words)
    result = result_of(run, "packets")
    assert result["address"] == "10.77.1.1"
    for echo in result["echoes"]:
        assert not echo["reason"]
        found = sample(run, "network.packets.paced", protocol=echo["protocol"])
        assert abs(found / _TRUTH - 1) < _NEAR, found
        assert echo["place"] == "the device's queue tbf of v0", echo["why"]
        # The last word is with trials of the whole length.
        whole = [row for row in echo["trials"] if row["duration_s"] == echo["trial_s"]]
        assert any(row["load"] == echo["lower"] for row in whole)
        # The bucket never has room for a larger packet.
        assert [row["payload"] for row in echo["curve"]] == [1, 16, 64]
    assert result["icmp_before"] == result["icmp_after"] != {}
    assert behind_bucket.left_clean()


def test_a_virtual_boards_processor_is_named(tmp_path: Path) -> None:
    # The kernel that other tests need, so that there is one fewer to build.
    build_for_trials("settop-web", "wake")
    words = ("--board", "settop-web", "--set", "features=wake", "--only", "icmp", "--trial", "1")
    run = Perfboard(tmp_path).json("study", "packets", *words)
    assert (run["status"], run["evidence"]) == ("complete", "timed")
    (echo,) = result_of(run, "packets")["echoes"]
    assert 0.97 < echo["lower"] / echo["upper"] < 1
    # A request and its reply.
    assert sample(run, "network.packets.paced") == 2 * echo["lower"]
    assert echo["place"] == "the device's processor" and "softirq" in echo["why"]
    assert all(row["counts"] for row in echo["trials"])
    # A longer packet takes longer to be copied.
    rates = [row["rate"] for row in echo["curve"]]
    assert rates == sorted(rates, reverse=True) and echo["curve"][-1]["payload"] == 1472
