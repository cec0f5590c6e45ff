# SPDX-License-Identifier: Apache-2.0
"""Building the probe in a checkout, without the compiler: what it keeps, and what breaks that."""

from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from perfboard.images.cache import cache_root
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import SilentProgress
from perfboard.probes import binaries


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
    assert binaries.find_binary("mipsel", SilentProgress()).read_text() == "mipsel"
    assert compiler.builds == 2
    assert not kept.exists()


def test_a_fault_of_the_sources_takes_nothing_away(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = Compiler(says="answer.c:3: error: expected ';'")
    monkeypatch.setattr(binaries, "build", compiler.build)
    with pytest.raises(EnvironmentLacksError, match="expected ';'"):
        binaries.find_binary("mipsel", SilentProgress())
    assert compiler.builds == 1
    assert (kept / "lost").exists()
