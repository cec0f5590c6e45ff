# SPDX-License-Identifier: Apache-2.0
"""The script of network.wireguard on this machine, with a pair of cards in place of a tunnel."""

import os
import subprocess
from pathlib import Path

import pytest

import perfboard.measures.network.wireguard as measure
from tests.support.measures import read

from .compiler import compile_commands

SCRIPTS = Path(measure.__file__).parent
# Joins the two namespaces once more, where a tunnel would be made in each.
IP = """#!/bin/sh
case $* in
*"type wireguard")
    [ -z "$LACKS" ] || { echo "Error: Unknown device type." >&2; exit 2; }
    [ "$(readlink /proc/self/ns/net)" = "$(readlink /proc/$PPID/ns/net)" ] || exit 0
    exec {ip} link add name wg0 type veth peer name wg0 netns "$(pgrep -P $PPID -x cat)";;
esac
exec {ip} "$@"
"""
WG = """#!/bin/sh
[ "$1" = set ] || echo "a key of $1"
"""


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    if subprocess.run(["unshare", "-n", "true"], check=False, capture_output=True).returncode:
        pytest.skip("network namespaces cannot be made here, which needs root")
    names = ("tcp", "tcp_serve", "say")
    path = tmp_path_factory.mktemp("tunnel") / "tunnel"
    return compile_commands(path, *(f"commands/{name}.c" for name in names))


def printed(probe: str, folder: Path, **environment: str) -> str:
    """What the script prints for two transfers of 0.1 s, with what is left of its namespaces."""
    found = subprocess.run(["which", "ip"], capture_output=True, text=True, check=True)
    for name, text in (("ip", IP.replace("{ip}", found.stdout.strip())), ("wg", WG)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o700)
    for name in ("ends.sh", "wireguard.sh"):
        (folder / name).write_text((SCRIPTS / name).read_text())
    path = f"{folder}:{os.environ['PATH']}"
    done = subprocess.run(
        ["unshare", "-n", "sh", "wireguard.sh", "2", "100"],
        cwd=folder,
        env={**os.environ, "PROBE": probe, "PATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_each_transfer_has_a_rate_and_the_processors_share(probe: str, tmp_path: Path) -> None:
    rate, busy = read("network.wireguard", printed(probe, tmp_path)).metrics
    assert len(rate.samples) == len(busy.samples) == 2
    assert all(each > 1e6 for each in rate.samples)
    assert all(0 <= each <= 1 for each in busy.samples)


def test_a_kernel_without_a_tunnel_is_a_reason(probe: str, tmp_path: Path) -> None:
    output = printed(probe, tmp_path, LACKS="it")
    assert "the target's kernel has no WireGuard: Error: Unknown device type" in output
    # Nothing runs on.
    assert subprocess.run(["pgrep", "-f", f"{tmp_path}.*tcp-serve"], check=False).returncode == 1
