# SPDX-License-Identifier: Apache-2.0
"""Files and folders that a trial is given: what comes along, and what is never read."""

import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.boards.loader import load_board
from perfboard.images.program.base import ProgramJob, check_job, write_job
from perfboard.images.program.pushed import copy, entries, hash_of, regular_files, size_of
from perfboard.model.errors import UsageError
from tests.support.squashfs import unsquash


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A folder as a build leaves it."""
    folder = tmp_path / "app"
    for name in ("bin", "empty", "data/deep"):
        (folder / name).mkdir(parents=True)
    (folder / "bin/run").write_text("#!/bin/sh\n")
    (folder / "bin/run").chmod(0o755)
    (folder / "data/deep/x").write_bytes(b"x\0")
    (folder / "bin/again").symlink_to("run")
    (folder / "data/all").symlink_to("deep")
    (folder / "data/passwd").symlink_to("/etc/passwd")
    (folder / "data/up").symlink_to("../..")
    return folder


PLACES = [
    *("app", "app/bin", "app/bin/again", "app/bin/run", "app/data", "app/data/all"),
    *("app/data/deep", "app/data/deep/x", "app/data/passwd", "app/data/up", "app/empty"),
]


def test_a_folder_comes_with_all_in_it_and_its_links_are_not_followed(app: Path) -> None:
    assert [place for place, _ in entries([app])] == PLACES
    assert set(regular_files([app])) == {"app/bin/run", "app/data/deep/x"}


def test_a_board_gets_a_folder_as_it_is(app: Path, tmp_path: Path) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    job = ProgramJob(("app/bin/run",), files=copy([app], copies))
    board = load_board("rpi2").board
    check_job(job, board)
    write_job(job, board, tmp_path / "job.squashfs")
    tree = unsquash(tmp_path / "job.squashfs", tmp_path / "tree") / "files"
    assert [place for place, _ in entries([tree / "app"])] == PLACES
    assert (tree / "app/bin/run").stat().st_mode & 0o777 == 0o755
    assert (tree / "app/data/deep/x").read_bytes() == b"x\0"
    # On the board it is the board's own.
    assert (tree / "app/data/passwd").readlink() == Path("/etc/passwd")


def test_a_link_that_the_user_names_is_what_it_leads_to(app: Path, tmp_path: Path) -> None:
    (tmp_path / "current").symlink_to("app")
    (tmp_path / "tool").symlink_to("app/bin/run")
    given = [tmp_path / "current", tmp_path / "tool"]
    places = [place for place, _ in entries(given)]
    assert places == [*(place.replace("app", "current", 1) for place in PLACES), "tool"]
    (tmp_path / "copies").mkdir()
    current, tool = copy(given, tmp_path / "copies")
    assert current.is_dir() and not current.is_symlink()
    assert tool.read_text() == "#!/bin/sh\n" and not tool.is_symlink()


@pytest.mark.parametrize("name", [".", "data/.."])
def test_a_folder_without_a_name_of_its_own_has_the_one_it_lies_under(
    app: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(app)
    assert next(entries([Path(name)]))[0] == "app"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("/", "has no name"),
        ("absent", "absent: there is no such file"),
        ("lost", "lost: there is no such file"),
        ("circle", "circle: Too many levels of symbolic links"),
        ("odd", "odd/pipe: is neither a file nor a folder"),
        ("odd/socket", "odd/socket: is neither a file nor a folder"),
        ("/dev/null", "is neither a file nor a folder"),
    ],
)
def test_what_cannot_be_given_is_refused_with_its_path(
    tmp_path: Path, name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd").mkdir()
    os.mkfifo(tmp_path / "odd/pipe")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("odd/socket")
    (tmp_path / "lost").symlink_to("nowhere")
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(UsageError, match=said):
        size_of([Path(name)], 1 << 30)


def test_a_folder_that_is_too_large_is_refused_before_it_is_copied(tmp_path: Path) -> None:
    folder = tmp_path / "large"
    folder.mkdir()
    for number in range(3):
        with (folder / f"{number}").open("wb") as file:
            file.truncate(200 << 20)
    with pytest.raises(UsageError, match="leave something out"):
        check_job(ProgramJob(("true",), files=(folder,)), load_board("rpi2").board)


def test_the_counting_stops_where_there_is_too_much(app: Path) -> None:
    os.mkfifo(app / "zz")
    # It never gets there.
    assert 1000 < size_of([app], 1000) < 1600


def test_many_small_files_take_room_too(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"{number}").touch()
    assert size_of([tmp_path], 1 << 30) > 100 * 200


def test_a_folder_that_has_no_end_is_refused(tmp_path: Path) -> None:
    deep = tmp_path / "deep"
    for _ in range(210):
        deep.mkdir()
        deep = deep / "d"
    with pytest.raises(UsageError, match="more than 200 folders deep"):
        size_of([tmp_path], 1 << 30)


def test_the_hash_of_a_folder_is_of_all_that_a_program_may_see(app: Path) -> None:
    seen = {hash_of(app)}
    (app / "data/deep/x").write_bytes(b"y\0")
    seen.add(hash_of(app))
    (app / "bin/run").chmod(0o700)
    seen.add(hash_of(app))
    (app / "empty").rmdir()
    seen.add(hash_of(app))
    (app / "bin/again").unlink()
    (app / "bin/again").symlink_to("nowhere")
    seen.add(hash_of(app))
    assert len(seen) == 5


names = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=20)


@given(st.dictionaries(names.filter(lambda n: n not in (".", "..")), st.binary(max_size=9)))
def test_names_of_any_kind_are_copied(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    root = tmp_path_factory.mktemp("names")
    (root / "f").mkdir()
    (root / "to").mkdir()
    for name, content in files.items():
        (root / "f" / name).write_bytes(content)
    (copied,) = copy([root / "f"], root / "to")
    assert {path.name: path.read_bytes() for path in copied.iterdir()} == files
    assert hash_of(copied) == hash_of(root / "f")
