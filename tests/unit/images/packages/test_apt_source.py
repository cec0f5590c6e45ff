# SPDX-License-Identifier: Apache-2.0
"""Source packages: where apt is to look for them, and what it may touch meanwhile."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from perfboard.host.cache.cache import cache_root
from perfboard.host.cache.entries import manifest_of
from perfboard.host.cache.manifest import write_manifest
from perfboard.images.packages.apt_source import SourceState, ask_for_sources
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import SilentProgress

PARAGRAPHS = """\
Types: deb
# A comment
URIs: mirror://debian/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

types: deb deb-src
URIs: mirror://debian/debian-security
Suites: bookworm-security
Components: main
"""
LINES = """\
# deb mirror://debian/debian sid main
deb [signed-by=/a.gpg] mirror://debian/debian bookworm main
deb-src mirror://debian/debian bookworm main
  deb   mirror://debian/other bookworm main
deb mirror://debian/other bookworm main
deb
"""


def test_paragraphs_that_name_binary_packages_name_sources() -> None:
    asked = ask_for_sources(PARAGRAPHS, ".sources")
    assert asked.count("Types: deb-src\n") == 2 and "deb deb-src" not in asked
    others = [line for line in PARAGRAPHS.splitlines() if not line.lower().startswith("types")]
    assert [line for line in asked.splitlines() if not line.startswith("Types")] == others


def test_lines_that_name_binary_packages_name_sources_once() -> None:
    assert ask_for_sources(LINES, ".list").splitlines() == [
        "deb-src [signed-by=/a.gpg] mirror://debian/debian bookworm main",
        "deb-src mirror://debian/other bookworm main",
    ]


@pytest.mark.skipif(shutil.which("apt-config") is None, reason="has no apt")
def test_it_has_sources_of_its_own_and_writes_to_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = tmp_path / "given.list"
    given.write_text(LINES)
    own = f'Dir::Etc::sourcelist "{given}"; Dir::Etc::sourceparts "/dev/null";'
    (tmp_path / "apt.conf").write_text(own)
    monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))
    sources = SourceState(SilentProgress())
    configuration = sources.write_configuration()
    command = ["apt-config", "-c", str(configuration), "dump"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    options = dict(re.findall(r'^(\S+) "(.*)";$', shown, re.MULTILINE))
    assert options["Dir::Etc::sourcelist"] == "/dev/null"
    parts = Path(options["Dir::Etc::sourceparts"])
    assert parts.is_relative_to(cache_root()) and options["Dir::State"].startswith(
        str(cache_root())
    )
    assert [file.read_text() for file in parts.iterdir()] == [ask_for_sources(LINES, ".list")]
    targets = {name.split("::")[3] for name in options if "IndexTargets::deb-src::" in name}
    assert targets == {"Sources"}
    (sources.folder / "lists.txt").write_text("")
    write_manifest(sources.folder / "state/lists", manifest_of(sources.folder), {})
    with pytest.raises(EnvironmentLacksError, match='knows no source package "nonesuch"'):
        sources.resolve("nonesuch")
    assert (sources.folder / "lists.txt").exists()
    # Lists that came in part may be whole at the next attempt.
    (sources.folder / "lists.txt").write_text("Failed to fetch something")
    with pytest.raises(EnvironmentLacksError, match="Failed to fetch something"):
        sources.resolve("nonesuch")
    assert not (sources.folder / "lists.txt").exists()
