# SPDX-License-Identifier: Apache-2.0
"""Which probe a machine runs, and building it in a checkout, without the compiler."""

import re
from pathlib import Path

import pytest

from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.binaries.probe_build import ARCHITECTURES, command
from perfboard.host.cache.cache import cache_root
from perfboard.host.cache.entries import COMPILER
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import SilentProgress


@pytest.mark.parametrize(
    ("machine", "arch"),
    [
        *((name, name) for name in ("x86_64", "i686", "aarch64", "riscv64", "mipsel")),
        *((name, "i486") for name in ("i486", "i586")),
        *((name, "armv5te") for name in ("armv5tel", "armv5tejl", "armv6l")),
        *((name, "armv7") for name in ("armv7l", "armv8l")),
        *((name, "powerpc") for name in ("ppc", "ppc64")),
    ],
)
def test_machines_have_their_architecture(machine: str, arch: str) -> None:
    assert architecture_of(machine) == arch
    assert arch in ARCHITECTURES


@pytest.mark.parametrize(
    "machine", ["i386", "armv4tl", "armv7b", "armv5tl", "mips", "ppc64le", "sparc", "", "x" * 999]
)
def test_machines_without_a_probe_are_refused(machine: str) -> None:
    with pytest.raises(EnvironmentLacksError, match=re.escape(repr(machine[:40]))):
        architecture_of(machine)


def calls() -> list[str]:
    """What the stand-in for the compiler was asked for; see tests/support/compiler."""
    return (cache_root() / COMPILER / "calls").read_text().splitlines()


def test_a_checkout_builds_into_the_cache_once() -> None:
    built = ["armv7", "armv7", "i486"]
    commands = [find_binary(arch, SilentProgress()).read_text() for arch in built]
    assert commands == [" ".join(command(arch)[1:]) for arch in built]
    assert calls() == commands[1:]


@pytest.fixture
def kept() -> Path:
    """What the compiler keeps after a build."""
    find_binary("i486", SilentProgress())
    folder = cache_root() / COMPILER / "i486"
    assert (folder / "object").exists()
    return folder


def test_what_the_compiler_keeps_is_made_anew_where_it_is_broken(
    kept: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (kept / "object").write_text("other")
    (kept / "left").touch()
    assert find_binary("i486", SilentProgress(), "display").is_file()
    assert len(calls()) == 2
    assert not (kept / "left").exists()
    assert "cannot be used" in caplog.text


def test_another_part_is_not_touched_by_what_is_broken(kept: Path) -> None:
    (kept / "object").write_text("other")
    assert find_binary("mipsel", SilentProgress()).is_file()
    assert (kept / "object").read_text() == "other"


def test_a_fault_of_the_sources_takes_nothing_away(kept: Path) -> None:
    (cache_root() / COMPILER / "fault").write_text("answer.c:3: error: expected ';'")
    for _ in range(2):
        with pytest.raises(EnvironmentLacksError, match="expected ';'"):
            find_binary("i486", SilentProgress(), "display")
    assert (kept / "object").read_text() == "1"
