# SPDX-License-Identifier: Apache-2.0
"""The list of probes that is read from their sources."""

import subprocess
from pathlib import Path

from perfboard.binaries.applets import all_applets
from perfboard.probes.records import read_applets

from ..sanitized import PROBE


def test_the_sources_name_what_the_binary_lists(tmp_path: Path) -> None:
    sources = sorted(str(path) for path in PROBE.rglob("*.c"))
    command = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-I.", "-o", str(tmp_path / "probe"), *sources]
    subprocess.run(command, cwd=PROBE, check=True)
    listed = subprocess.run([tmp_path / "probe", "list"], capture_output=True, check=True)
    in_binary = read_applets(listed.stdout.decode().splitlines())
    in_sources = all_applets()
    assert [(one.name, one.summary) for one in in_sources] == [
        (one.name, one.summary) for one in in_binary
    ]
    assert all(one.group and one.title for one in in_sources)
