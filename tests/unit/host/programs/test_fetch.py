# SPDX-License-Identifier: Apache-2.0
"""Files of npm's packages, by a stand-in for npm."""

import hashlib
import io
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from perfboard.host.programs.fetch import npm_file
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import SilentProgress
from perfboard.model.published import NpmFile

CONTENT = b"\x7fELF of a program"
WANTED = {
    "package": "tools",
    "version": "1.2.3",
    "file": "linux/arm/tool",
    "sha256": hashlib.sha256(CONTENT).hexdigest(),
}


@pytest.fixture
def npm(tmp_path: Path, program: Callable[[str, str], None]) -> Path:
    """The folder of which the stand-in copies all that ends in .tgz to where it is run."""
    folder = tmp_path / "registry"
    folder.mkdir()
    program("npm", f'echo "$@" >> {folder}/asked\ncp {folder}/*.tgz . || exit 7')
    return folder


def publish(folder: Path, name: str, content: bytes) -> None:
    with tarfile.open(folder / "tools-1.2.3.tgz", "w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))


def fetch() -> Path:
    return npm_file(NpmFile.model_validate(WANTED), SilentProgress())


def test_a_file_is_fetched_once_and_can_be_run(npm: Path) -> None:
    publish(npm, "package/linux/arm/tool", CONTENT)
    path = fetch()
    assert path.name == "tool" and path.read_bytes() == CONTENT
    assert path.stat().st_mode & stat.S_IXUSR
    assert fetch() == path
    (asked,) = (npm / "asked").read_text().splitlines()
    assert asked.startswith("pack tools@1.2.3 --silent --ignore-scripts")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("package/linux/arm/tool", b"other", "is not what it was"),
        ("package/linux/tool", CONTENT, "has no linux/arm/tool"),
    ],
)
def test_another_file_is_not_taken(npm: Path, name: str, content: bytes, words: str) -> None:
    publish(npm, name, content)
    with pytest.raises(EnvironmentLacksError, match=words):
        fetch()


def test_what_is_no_archive_is_told(npm: Path) -> None:
    (npm / "tools-1.2.3.tgz").write_bytes(b"no archive")
    with pytest.raises(EnvironmentLacksError, match=r"has no linux/arm/tool"):
        fetch()


def test_where_npm_fails_its_words_are_told(npm: Path) -> None:
    with pytest.raises(EnvironmentLacksError, match=r"npm failed(.|\n)*cannot stat"):
        fetch()


def test_without_npm_the_package_that_has_it_is_named(
    npm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(EnvironmentLacksError, match="apt-get install npm"):
        fetch()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("package", "../x"), ("package", "-x"), ("version", "latest"), ("sha256", "0")),
        *(("file", "../../etc/passwd"), ("file", "/etc/passwd"), ("file", "..")),
    ],
)
def test_what_names_no_file_of_a_package_is_refused(key: str, value: str) -> None:
    with pytest.raises(ValidationError, match=key):
        NpmFile.model_validate({**WANTED, key: value})
