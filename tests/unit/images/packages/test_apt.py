# SPDX-License-Identifier: Apache-2.0
"""The private apt state: what it may touch, and that a warm cache asks nobody."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from perfboard.host.cache.cache import cache_root, cached
from perfboard.host.cache.entries import manifest_of
from perfboard.host.cache.manifest import write_manifest, write_sealed
from perfboard.images.packages.apt import AptState, Package
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.progress import SilentProgress
from tests.support.damage import DAMAGES

BUSYBOX = Package("busybox", "1:1.35.0-4", "0" * 64)


def fetched(apt: AptState, note: str) -> None:
    """Gives that state lists without a package, as if apt had fetched them."""
    apt.write_configuration()
    (apt.folder / "lists.txt").write_text(note)
    write_manifest(apt.folder / "state/lists", manifest_of(apt.folder), {})


needs_apt = pytest.mark.skipif(shutil.which("apt-config") is None, reason="has no apt")


def dump(configuration: Path) -> dict[str, str]:
    command = ["apt-config", "-c", str(configuration), "dump"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(re.findall(r'^(\S+) "(.*)";$', shown.stdout, re.MULTILINE))


@needs_apt
def test_all_that_apt_writes_is_in_the_cache() -> None:
    options = dump(AptState("armhf", SilentProgress()).write_configuration())
    written = {
        name: value
        for name, value in options.items()
        if name.startswith(("Dir::State", "Dir::Cache", "Dir::Log")) and value.startswith("/")
    }
    assert {"Dir::State", "Dir::State::lists", "Dir::State::status", "Dir::Cache"} <= set(written)
    assert {"Dir::Cache::archives", "Dir::Cache::pkgcache", "Dir::Log"} <= set(written)
    assert all(Path(value).is_relative_to(cache_root()) for value in written.values())


@needs_apt
def test_the_machines_sources_are_read_and_its_hooks_are_not_run() -> None:
    options = dump(AptState("armhf", SilentProgress()).write_configuration())
    assert options["Dir::Etc"] == "etc/apt"
    assert options["APT::Architectures::"] == "armhf"
    assert not [name for name in options if re.match("APT::Update::(Pre|Post)-Invoke.*::", name)]
    targets = [name for name in options if name.startswith("Acquire::IndexTargets::deb::")]
    assert {name.split("::")[3] for name in targets} == {"Packages"}


def test_what_was_resolved_and_unpacked_is_found_without_apt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    apt = AptState("armhf", SilentProgress())
    apt.folder.mkdir(parents=True)
    write_sealed(apt.folder / "resolved.json", json.dumps([asdict(BUSYBOX)]) + "\n")
    inputs = {**asdict(BUSYBOX), "architecture": "armhf", "form": "--raw-extract"}
    unpacked = cached("package", inputs, lambda folder: None, SilentProgress())
    monkeypatch.setenv("PATH", "")
    assert apt.resolve("busybox") == BUSYBOX
    assert apt.unpack("busybox") == unpacked


def test_the_kernels_source_has_one_version_for_all_architectures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = Package("linux-source-6.1", "6.1.176-1", "1" * 64)
    first, second = (AptState(name, SilentProgress()) for name in ("i386", "armhf"))
    first.folder.mkdir(parents=True)
    write_sealed(first.folder / "resolved.json", json.dumps([asdict(source)]) + "\n")
    inputs = {**asdict(source), "architecture": "i386", "form": "--raw-extract"}
    unpacked = cached("package", inputs, lambda folder: None, SilentProgress())
    monkeypatch.setenv("PATH", "")
    assert second.resolve(source.name) == source
    assert second.unpack(source.name) == unpacked
    # For another package it asks apt, which is not there.
    with pytest.raises(FileNotFoundError):
        second.resolve("busybox")


@needs_apt
def test_an_unknown_package_is_told_with_the_way_out() -> None:
    apt = AptState("armhf", SilentProgress())
    fetched(apt, "")
    with pytest.raises(EnvironmentLacksError) as caught:
        apt.resolve("nonesuch")
    assert 'apt knows no package "nonesuch" for armhf' in str(caught.value)
    assert str(apt.folder) in str(caught.value)
    assert not (apt.folder / "resolved.json").exists()


@needs_apt
def test_lists_that_came_in_part_are_fetched_anew_for_a_missing_package() -> None:
    apt = AptState("armhf", SilentProgress())
    fetched(apt, "Failed to fetch something")
    with pytest.raises(EnvironmentLacksError, match="Failed to fetch something"):
        apt.resolve("nonesuch")
    assert not (apt.folder / "lists.txt").exists()


def test_a_run_has_a_note_of_lists_that_came_in_part_without_the_words_of_apt() -> None:
    apt = AptState("armhf", SilentProgress())
    apt.write_configuration()
    assert not apt.notes
    (apt.folder / "lists.txt").write_text("E: /a has another size. Mirror sync in progress?")
    assert ["may be older" in note and "Mirror" not in note for note in apt.notes] == [True]


def test_a_cache_folder_that_apt_cannot_take_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / 'with"quote'))
    with pytest.raises(EnvironmentLacksError, match="quotation mark"):
        AptState("armhf", SilentProgress()).write_configuration()


@pytest.fixture
def updates(program: Callable[[str, str], None], tmp_path: Path) -> Callable[[], int]:
    """Stands in for apt, whose lists have every package; how often they were fetched."""
    log = tmp_path / "updates"
    program(
        "apt-get",
        f"""case "$*" in *update*) echo 1 >> {log}
        echo "all of the packages" > "$(dirname "$2")/state/lists/deb_Packages";; esac""",
    )
    fields = f"Package: busybox\\nVersion: {BUSYBOX.version}\\nSHA256: {BUSYBOX.sha256}\\n"
    program("apt-cache", f"printf '{fields}'")
    return lambda: len(log.read_text().split())


def test_an_unknown_package_is_refused_by_the_lists_that_are_here(
    program: Callable[[str, str], None],
) -> None:
    apt, other = AptState("armhf", SilentProgress()), AptState("arm64", SilentProgress())
    # Without lists, or with some that are not whole, nobody knows.
    apt.check_known(["busybox", "nonesuch"])
    fetched(other, "")
    fetched(apt, "a list was not fetched")
    program("apt-cache", """echo Package: busybox; case $* in *arm64*) echo Package: wide;; esac""")
    apt.check_known(["busybox", "nonesuch"])
    fetched(apt, "")
    apt.check_known(["busybox"])
    with pytest.raises(UsageError) as caught:
        apt.check_known(["busybox", "nonesuch", "wide"])
    lines = str(caught.value).splitlines()
    assert lines[0].startswith('apt knows no package "nonesuch" for armhf; check its name')
    assert lines[1].startswith('apt knows no package "wide" for armhf, only for arm64; check')


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_note_of_versions_is_looked_up_again(
    damage: str, updates: Callable[[], int]
) -> None:
    apt = AptState("armhf", SilentProgress())
    assert apt.resolve("busybox") == BUSYBOX
    DAMAGES[damage](apt.folder / "resolved.json")
    assert apt.resolve("busybox") == BUSYBOX
    assert updates() == 1


@pytest.mark.parametrize("name", ["state/lists/deb_Packages", "lists.txt", "../armhf.jsonl"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_lists_are_fetched_again(
    name: str, damage: str, updates: Callable[[], int], caplog: pytest.LogCaptureFixture
) -> None:
    apt = AptState("armhf", SilentProgress())
    apt.resolve("busybox")
    (apt.folder / "resolved.json").unlink()
    DAMAGES[damage](apt.folder / name)
    assert apt.resolve("busybox") == BUSYBOX
    assert not apt.notes
    # Of an empty note nothing is left to damage but its name.
    again = name != "lists.txt" or damage == "deleted"
    assert updates() == 1 + again
    assert bool(caplog.text) == (again and name != "lists.txt")
