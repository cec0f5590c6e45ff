# SPDX-License-Identifier: Apache-2.0
"""The user's own files: which of them a board is given, and which are refused."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from perfboard.bench.job import NotMeasurable
from perfboard.measures.base import EXACT, Setting
from perfboard.measures.catalogue import get_measure
from perfboard.measures.own_files import NoFileHere, own_files
from perfboard.model.profile import Value
from tests.support.elfs import NEON, elf_of

ARMHF = replace(EXACT, architecture="armhf", lacks=frozenset({"neon"}))


def asked(files: str, folder: Path | None, facts: object = ARMHF, **others: Value) -> Setting:
    given = {**get_measure("program").defaults(), "command": "./app", "files": files, **others}
    return Setting(given, facts, folder)  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "app").write_bytes(elf_of("armhf", attributes=NEON))
    (tmp_path / "app64").write_bytes(elf_of("arm64"))
    (tmp_path / "data").write_text("1 2 3\n")
    return tmp_path


def test_a_board_is_given_the_files_of_its_architecture(folder: Path) -> None:
    files = "armhf=bin/app arm64=app64 data"
    own = own_files(asked(files, folder))
    assert set(own.files) == {"app", "data"} and own.programs == ("app",)
    said = " ".join(own.notes)
    assert "for armhf, static" in said and "built to have NEON, which the part lacks" in said
    other = own_files(asked(files, folder, replace(EXACT, architecture="arm64")))
    assert set(other.files) == {"app64", "data"}
    with pytest.raises(NoFileHere, match="none is for i386, the board's architecture"):
        own_files(asked("armhf=bin/app", folder, replace(EXACT, architecture="i386")))


def test_a_job_has_them_in_its_folder_and_says_what_they_are(folder: Path) -> None:
    for name in ("program", "app.start", "app.switch"):
        measure = get_measure(name)
        given = {**measure.defaults(), "command": "./app", "files": "bin/app data"}
        job = measure.job(Setting(given, ARMHF, folder))
        assert job is not None
        assert job.files["data"] == b"1 2 3\n" and job.own == ("app",)
        assert any("SHA-256" in note for note in job.notes)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ("app64", "is for arm64, and the board runs armhf; compile one for that"),
        ("armhf=app64", "is for arm64, and the board runs armhf"),
        ("nothing", "nothing: No such file"),
        ("bin", "bin is a folder; pack it"),
        ("../other", "does not lie below the profile's folder"),
        ("/etc/passwd", "does not lie below the profile's folder"),
        ("link", "does not lie below the profile's folder"),
        ("bin/app copy/app", "two are called app"),
        ("wide=bin/app", "wide=bin/app is for no architecture that is known; they are armel"),
        ("'bin/app", "No closing quotation"),
        ("'a b'", "a name there has letters, digits"),
        ("work.sh", "is the name of a file of Perfboard's"),
        ("large", "64 MiB at most"),
        ("damaged", "damaged: is a damaged ELF file"),
        ("musl", "asks for the interpreter /lib/ld-musl-armhf.so.1, which the board lacks"),
        ("pipe", "pipe: is a pipe"),
        (" ".join(f"data{number}" for number in range(21)), "there are 21"),
    ],
)
def test_what_cannot_be_had_or_run_is_refused(folder: Path, files: str, said: str) -> None:
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "copy").mkdir()
    (folder / "copy" / "app").write_bytes(b"")
    (folder / "work.sh").write_text("")
    (folder / "musl").write_bytes(elf_of("armhf", "/lib/ld-musl-armhf.so.1"))
    (folder / "damaged").write_bytes(elf_of("armhf")[:40])
    with (folder / "large").open("wb") as file:
        file.truncate((64 << 20) + 1)
    os.mkfifo(folder / "pipe")
    with pytest.raises(NotMeasurable) as refused:
        get_measure("program").job(asked(files, folder))
    assert said in str(refused.value)


def test_packages_may_have_the_interpreter(folder: Path) -> None:
    (folder / "musl").write_bytes(elf_of("armhf", "/lib/ld-musl-armhf.so.1"))
    assert own_files(asked("musl", folder, packages="musl")).programs == ("musl",)


def test_a_users_own_files_may_lie_anywhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder / "bin")
    assert set(own_files(asked(f"../data {folder}/bin/app", None)).files) == {"data", "app"}
