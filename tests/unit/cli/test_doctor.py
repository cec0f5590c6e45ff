# SPDX-License-Identifier: Apache-2.0
"""What `perfboard doctor` says of a machine, by job."""

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from perfboard.host.programs.environment import set_up_environment
from perfboard.host.programs.tools import TOOLS, VIRTUAL
from tests.support.command import call

ARM32, ARM64, X86, _ = VIRTUAL


@pytest.fixture
def machine(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with every program; each says that it is version 8.1."""
    programs = homes / "programs"
    programs.mkdir()
    for tool in TOOLS:
        if "/" not in tool.name:
            path = programs / tool.name
            path.write_text(
                f'#!/bin/sh\n[ "$1" = "{tool.asked}" ] && echo "{tool.name} version 8.1.2"\n'
            )
            path.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    return programs


def jobs(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    call("doctor", "--json")
    return {job["job"]: job for job in json.loads(capsys.readouterr().out)["jobs"]}


def test_each_tool_stands_once_with_its_version(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = [row for job in jobs(capsys).values() for row in job["rows"]]
    for tool in TOOLS:
        if "/" not in tool.name:
            (words,) = (about for name, about in said if name == tool.name)
            assert words.split(",")[0] == ("8.1.2" if tool.asked else "there")


def test_a_job_that_can_be_done_is_one_line(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (machine / "qemu-system-aarch64").unlink()
    call("doctor")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "To measure this machine: ready" and lines[-1] == "Next: perfboard measure"
    assert sum(line.startswith("To ") and ": " in line for line in lines) == 8
    assert any("qemu-system-aarch64" in line and "MISSING" in line for line in lines)
    assert not any("openssl" in line or "qemu-system-i386" in line for line in lines)
    # What is to be typed is never broken.
    shown = [line for line in lines if "sudo" not in line]
    assert len(lines) <= 24 and max(map(len, shown)) <= 80, lines


def test_a_job_names_the_packages_that_it_alone_lacks(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = jobs(capsys)
    (machine / "qemu-system-aarch64").unlink()
    (machine / "mksquashfs").unlink()
    after = jobs(capsys)
    lost = {name: set(after[name]["missing"]) - set(before[name]["missing"]) for name in after}
    assert lost[ARM32.words] == lost[X86.words] == {"squashfs-tools"}
    assert lost[ARM64.words] == {"squashfs-tools", "qemu-system-arm"}
    assert not lost["measure this machine"] and not lost["measure a board by SSH"]


def test_all_that_is_missing_comes_in_one_command(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in machine.iterdir():
        path.unlink()
    assert call("doctor") == 0
    lines = capsys.readouterr().out.splitlines()
    (install,) = (line for line in lines if "sudo apt-get install" in line)
    words = install.split()
    for tool in TOOLS:
        assert "/" in tool.name or words.count(tool.package) == 1
    assert "  qemu-system-arm" in (line[:17] for line in lines if "MISSING" in line)
    assert "To measure this machine: ready" in lines
    assert call("doctor", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["missing"]["qemu-system-arm"] == "qemu-system-arm"
    assert call("study", "boot", "--board", "verdex") == 3


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo QEMU emulator version 5.2.0", "5.2.0; virtual boards need 7.2"),
        ("exit 1", "fails"),
    ],
)
def test_an_emulator_that_will_not_do_is_said_at_its_job(
    machine: Path, capsys: pytest.CaptureFixture[str], script: str, said: str
) -> None:
    (machine / "qemu-system-i386").write_text(f"#!/bin/sh\n{script}\n")
    found = jobs(capsys)
    assert said in found[X86.words]["problem"]
    assert not found[ARM32.words]["problem"] and not found[ARM64.words]["problem"]


def test_a_machine_that_there_is_no_probe_for(
    machine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "s390x")
    for path in machine.iterdir():
        path.unlink()
    # Nothing can be done here: without ssh, no line and no emulator.
    assert call("doctor") == 3
    first = capsys.readouterr().out.partition("\n\n")[0]
    assert first.startswith("To measure this machine: ")
    assert "there is no probe for that" in " ".join(first.split())


def test_an_ordinary_users_path_is_enough_for_the_systems_tools() -> None:
    usual = {"PATH": "/usr/bin:/bin", "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-m", "perfboard.cli.main", "doctor", "--json"]
    done = subprocess.run(words, env=os.environ | usual, capture_output=True, check=False)
    whole = "/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin"
    there = {tool.name for tool in TOOLS if shutil.which(tool.name, path=whole)}
    assert there and not there & set(json.loads(done.stdout)["missing"])


@pytest.mark.parametrize("path", ["/own:/usr/sbin", ""])
def test_the_users_folders_come_first_and_none_twice(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", path)
    set_up_environment()
    folders = os.environ["PATH"].split(":")
    assert len(set(folders)) == len(folders) and "" not in folders
    assert path.split(":")[0] in ("", folders[0])
    assert {"/usr/sbin", "/sbin", "/usr/local/sbin"} <= set(folders)
