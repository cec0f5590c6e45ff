# SPDX-License-Identifier: Apache-2.0
"""Run folders: made, finished, read back, and found again; and what goes wrong."""

import hashlib
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.run import Artifact, Run, Status
from perfboard.store.folder import (
    find_run,
    finished_folders,
    prune_unfinished,
    runs_folder,
    unfinished_folders,
)
from perfboard.store.making import RunFolder, new_run
from perfboard.store.reading import load_run
from tests.support.runs import make_run, stored

HERE = Path(__file__).parent


def test_a_run_is_not_there_until_it_is_finished_and_then_is_whole() -> None:
    folder = new_run("boot", "verdex")
    folder.write_artifact("console.log", b"hello")
    folder.artifact_path("boot-1/scope.jsonl").write_text("{}\n")
    assert finished_folders() == []
    assert unfinished_folders() == [folder.path]
    assert folder.path.stat().st_mode & 0o077 == 0
    run = folder.finish(make_run(folder.id))
    path = folder.path
    assert run == load_run(path) and len(run.artifacts) == 2
    assert path == runs_folder() / folder.id == folder.path
    assert sorted(entry.name for entry in path.iterdir()) == [".number", "artifacts", "run.json"]
    assert unfinished_folders() == []
    run = load_run(path)
    assert run.model_copy(update={"artifacts": ()}) == make_run(folder.id)
    assert run.artifacts == (
        Artifact(
            path="artifacts/boot-1/scope.jsonl",
            size=3,
            sha256=hashlib.sha256(b"{}\n").hexdigest(),
        ),
        Artifact(path="artifacts/console.log", size=5, sha256=hashlib.sha256(b"hello").hexdigest()),
    )


def start(second: int, *tokens: str) -> RunFolder:
    """A run that begins in that second, and draws those tokens in turn."""
    drawn = iter(tokens)
    return new_run(
        "boot", "verdex", lambda: datetime(2026, 11, 20, 8, 0, second), lambda size: next(drawn)
    )


def test_ids_never_meet() -> None:
    first, second = start(1, "aaaa"), start(1, "aaaa", "bbbb")
    assert (first.id, second.id) == (
        "20261120-080001-boot-verdex-aaaa",
        "20261120-080001-boot-verdex-bbbb",
    )
    first.finish(make_run(first.id))
    assert start(1, "aaaa", "bbbb", "cccc").id.endswith("cccc")


def test_two_processes_at_once_make_runs_of_their_own() -> None:
    code = (
        "from tests.support.runs import make_run\n"
        "from perfboard.store.making import new_run\n"
        "from perfboard.store.index import list_runs\n"
        "for number in range(8):\n"
        "    folder = new_run('boot', 'verdex')\n"
        "    folder.write_artifact('console.log', b'x' * number)\n"
        "    folder.finish(make_run(folder.id))\n"
        "    assert folder.id in [row.id for row in list_runs() if row.status == 'complete']\n"
    )
    workers = [_python(code) for _ in range(2)]
    for worker in workers:
        _, errors = worker.communicate(timeout=60)
        assert worker.returncode == 0, errors
    assert len(finished_folders()) == 16
    assert len({load_run(path).id for path in finished_folders()}) == 16


def _python(code: str) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(HERE.parents[2]), str(HERE.parents[2] / "src")])
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("name", ["/etc/passwd", "../console.log", "a/../../b", "", "."])
def test_artifacts_stay_inside_the_folder(name: str) -> None:
    with pytest.raises(ValueError, match="not the name of an artifact"):
        new_run("boot", "verdex").write_artifact(name, b"")


def test_a_disk_full_while_writing_an_artifact() -> None:
    earlier = stored()
    folder = new_run("boot", "verdex")
    folder.artifact_path("console.log").symlink_to("/dev/full")
    with pytest.raises(EnvironmentLacksError) as caught:
        folder.write_artifact("console.log", b"x" * 4096)
    words = str(caught.value)
    assert "the disk is full" in words
    assert "needs 4 KiB" in words
    assert "are free" in words
    assert str(folder.path) in words
    assert not folder.artifact_path("console.log").is_symlink()
    assert load_run(earlier).artifacts


def test_a_disk_full_while_finishing() -> None:
    earlier = stored()
    before = (earlier / "run.json").read_bytes()
    folder = new_run("boot", "verdex")
    folder.write_artifact("console.log", b"kept")
    (folder.path / ".run.json").symlink_to("/dev/full")
    with pytest.raises(EnvironmentLacksError, match="disk is full"):
        folder.finish(make_run(folder.id))
    assert sorted(entry.name for entry in folder.path.iterdir()) == [".number", "artifacts"]
    assert (folder.path / "artifacts/console.log").read_bytes() == b"kept"
    assert finished_folders() == [earlier]
    assert (earlier / "run.json").read_bytes() == before


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file in the way")
    with pytest.raises(EnvironmentLacksError, match=r"cannot write .*XDG_DATA_HOME"):
        new_run("boot", "verdex")


def test_a_run_belongs_in_its_own_folder() -> None:
    with pytest.raises(ValueError, match="does not belong"):
        new_run("boot", "verdex").finish(make_run("another"))


def finish(second: int, token: str) -> Path:
    folder = start(second, token)
    folder.finish(make_run(folder.id))
    return folder.path


def test_runs_are_found_by_id_prefix_path_and_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = finish(1, "1111"), finish(2, "2222")
    assert find_run("latest") == new
    assert find_run(old.name) == old
    assert find_run("20261120-080001") == old
    assert find_run(str(old)) == old
    assert find_run(f"{old}/") == old
    assert find_run(str(old / "run.json")) == old
    monkeypatch.chdir(old)
    assert load_run(find_run(".")).id == old.name
    assert load_run(find_run("run.json")).id == old.name
    monkeypatch.chdir(old.parent)
    assert load_run(find_run(f"./{new.name}")).id == new.name


def test_an_id_that_begins_another_is_itself() -> None:
    short, _ = finish(1, "1"), finish(1, "11")
    assert find_run(short.name) == short


def test_an_ambiguous_prefix_lists_the_runs_it_may_mean() -> None:
    old, new = finish(1, "1111"), finish(2, "2222")
    with pytest.raises(UsageError) as caught:
        find_run("20261120-08")
    assert old.name in str(caught.value)
    assert new.name in str(caught.value)


@pytest.mark.parametrize("text", ["", "nothing", "latest", "no/such/path", "x" * 5000, "a\0b"])
def test_a_run_that_is_not_there(text: str) -> None:
    if text != "latest":
        stored()
    with pytest.raises(UsageError) as caught:
        find_run(text)
    assert str(runs_folder()) in str(caught.value) or "no/such/path" in str(caught.value)


def test_an_unfinished_run_is_not_found_but_named() -> None:
    folder = new_run("boot", "verdex")
    with pytest.raises(UsageError, match="is not finished"):
        find_run(folder.id)


def test_pruning_leaves_what_is_finished_or_under_way_or_not_ours(tmp_path: Path) -> None:
    earlier, under_way = stored(), new_run("boot", "verdex")
    (tmp_path / "other").mkdir()
    link = runs_folder() / ".x.unfinished"
    link.symlink_to(tmp_path / "other")
    assert prune_unfinished() == []
    assert unfinished_folders() == [under_way.path, link]
    assert finished_folders() == [earlier] and (tmp_path / "other").is_dir()
    under_way.finish(make_run(under_way.id))


def test_a_record_for_which_there_is_no_room_is_replaced_by_a_shorter_one() -> None:
    folder = new_run("boot", "verdex")
    (folder.path / ".run.json").symlink_to("/dev/full")
    short = make_run(folder.id).model_copy(update={"status": Status.FAILED, "metrics": ()})

    def shorter(error: EnvironmentLacksError) -> Run:
        assert "disk is full" in str(error)
        return short

    assert folder.finish(make_run(folder.id), shorter) == short
    path = folder.path
    assert load_run(path).status == "failed"
    assert sorted(entry.name for entry in path.iterdir()) == [".number", "artifacts", "run.json"]
