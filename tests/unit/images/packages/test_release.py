# SPDX-License-Identifier: Apache-2.0
"""Packages of another release of Debian: where they come from, and which do not."""

from collections.abc import Callable
from pathlib import Path

import pytest

from perfboard.images.packages.apt import AptState
from perfboard.images.packages.release import sources_of
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import SilentProgress

LISTED = """\
http://mirror.test/debian http://mirror.test/debian/ bookworm main
http://mirror.test/debian http://mirror.test/debian/ bookworm contrib
http://mirror.test/debian http://mirror.test/debian/ bookworm-updates main
http://safe.test/debian http://safe.test/debian/ bookworm-security main
"""
Program = Callable[[str, str], None]


@pytest.fixture
def listed(program: Program) -> None:
    program("apt-get", f"cat <<'END'\n{LISTED}END")


@pytest.mark.usefixtures("listed")
def test_another_release_comes_from_the_places_of_the_own_one() -> None:
    assert sources_of("trixie") == "deb http://mirror.test/debian/ trixie main\n"


def test_a_machine_without_sources_is_told(program: Program) -> None:
    program("apt-get", "")
    with pytest.raises(EnvironmentLacksError, match=r"/etc/apt names no source .* trixie"):
        sources_of("trixie")


@pytest.mark.usefixtures("listed")
def test_only_an_architecture_that_the_own_release_lacks_has_sources_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    own = AptState("armhf", SilentProgress()).write_configuration()
    other = AptState("riscv64", SilentProgress()).write_configuration()
    assert "sourcelist" not in own.read_text()
    place = other.with_name("sources.list")
    assert f'Dir::Etc::sourcelist "{place}";' in other.read_text()
    assert 'Dir::Etc::sourceparts "/dev/null";' in other.read_text()
    assert "trixie" in place.read_text()
