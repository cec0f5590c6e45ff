# SPDX-License-Identifier: Apache-2.0
"""The list of probes that is read from their sources."""

import re
import subprocess
from pathlib import Path

import pytest

from perfboard.binaries.probes import all_probes
from perfboard.probes.records import read_probes

from ..sanitized import PROBE


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("list") / "probe"
    sources = sorted(str(path) for path in PROBE.rglob("*.c"))
    flags = ("-std=c11", "-D_GNU_SOURCE", "-I.", "-I..", "../rows/row.c")
    subprocess.run(["gcc", *flags, "-o", path, *sources], cwd=PROBE, check=True)
    return path


def test_the_sources_name_what_the_binary_lists(program: Path) -> None:
    listed = subprocess.run([program, "list"], capture_output=True, check=True)
    in_binary = read_probes(listed.stdout.decode().splitlines())
    in_sources = all_probes()
    assert [(one.name, one.summary) for one in in_sources] == [
        (one.name, one.summary) for one in in_binary
    ]
    assert all(one.group and one.title for one in in_sources)


def test_the_usage_names_every_command(program: Path) -> None:
    done = subprocess.run([program], capture_output=True, text=True)
    shown = re.findall(r"perfboard-probe (\S+)", done.stderr)[1:]
    sources = (path.read_text() for path in PROBE.rglob("*.c"))
    named = [name for text in sources for name in re.findall(r'^COMMAND\(\s*"([^"]+)"', text, re.M)]
    assert done.returncode == 2 and sorted(shown) == sorted(named) and len(named) > 15
