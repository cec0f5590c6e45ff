# SPDX-License-Identifier: Apache-2.0
"""Which probe a machine runs, and building it in a checkout, without the compiler."""

import re
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from perfboard.binaries import probe as binaries
from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.binaries.probe_build import ARCHITECTURES
from perfboard.host.cache import cache_root
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import SilentProgress

BINARY = b"\x7fELF and so on"


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


def test_a_packaged_binary_is_taken_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("perfboard.binaries.probe._PACKAGED", tmp_path)
    (tmp_path / "perfboard-probe.i486").write_bytes(BINARY)
    assert find_binary("i486", SilentProgress()).read_bytes() == BINARY
    monkeypatch.setattr("perfboard.binaries.probe.source_folder", lambda: tmp_path / "none")
    with pytest.raises(EnvironmentLacksError, match="its wheel"):
        find_binary("i686", SilentProgress())


def test_a_checkout_builds_into_the_cache_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    built: list[str] = []

    def build(arch: str, output: Path, cache: Path) -> None:
        built.append(arch)
        output.write_bytes(BINARY)

    monkeypatch.setattr("perfboard.binaries.probe.build", build)
    monkeypatch.setattr("perfboard.binaries.probe._PACKAGED", tmp_path)
    for arch in ("armv7", "armv7", "i486"):
        assert find_binary(arch, SilentProgress()).read_bytes() == BINARY
    assert built == ["armv7", "i486"]


class Compiler:
    """What it keeps is broken when it has `lost` something; `says` is a fault of the sources."""

    def __init__(self, says: str = "") -> None:
        self._says = says
        self.builds = 0

    def build(self, arch: str, output: Path, kept: Path) -> None:
        self.builds += 1
        # Nobody else compiles meanwhile.
        with pytest.raises(Timeout):
            FileLock(cache_root() / "locks" / f"{binaries.COMPILED}.lock").acquire(blocking=False)
        if self._says:
            raise EnvironmentLacksError(self._says)
        if (kept / "lost").exists():
            raise EnvironmentLacksError(f"cannot open {kept}/o/1/answer.o: No such file")
        output.write_text(arch)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = cache_root() / binaries.COMPILED
    folder.mkdir(parents=True)
    (folder / "lost").touch()
    return folder


def test_what_the_compiler_keeps_is_made_anew_where_it_is_broken(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = Compiler()
    monkeypatch.setattr(binaries, "build", compiler.build)
    assert find_binary("mipsel", SilentProgress()).read_text() == "mipsel"
    assert compiler.builds == 2
    assert not kept.exists()


def test_a_fault_of_the_sources_takes_nothing_away(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = Compiler(says="answer.c:3: error: expected ';'")
    monkeypatch.setattr(binaries, "build", compiler.build)
    with pytest.raises(EnvironmentLacksError, match="expected ';'"):
        find_binary("mipsel", SilentProgress())
    assert compiler.builds == 1
    assert (kept / "lost").exists()
