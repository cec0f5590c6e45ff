# SPDX-License-Identifier: Apache-2.0
"""A store that several machines or processes share."""

import os
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from perfboard.report.writing import write_report
from perfboard.store.accepted import accept, accepted_runs
from perfboard.store.folder import prune_unfinished, remove_run, runs_folder
from perfboard.store.index import list_runs
from perfboard.store.making import new_run
from perfboard.store.reading import load_run
from tests.support.runs import make_run, stored
from tests.support.users import AS_ROOT, NOBODY, by_another, common_folder


def test_writers_at_the_same_time_lose_nothing() -> None:
    def write(number: int) -> str:
        # Few names, so that writers meet.
        folder = new_run("boot", "verdex", token=lambda size: f"{number % 7:x}{len(ids()) % 16:x}")
        folder.finish(make_run(folder.id))
        return folder.id

    def ids() -> list[str]:
        return [path.name for path in runs_folder().glob("2*")]

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(write, range(60)))
    assert len(set(made)) == 60
    rows = list_runs()
    assert sorted(row.id for row in rows) == sorted(made)
    assert {row.status for row in rows} == {"complete"}


def test_runs_that_are_copied_into_a_store_are_listed_beside_its_own(tmp_path: Path) -> None:
    own = stored()
    other = stored(study="latency")
    elsewhere = tmp_path / "elsewhere" / other.name
    shutil.copytree(other, elsewhere)
    shutil.rmtree(other)
    assert [row.id for row in list_runs()] == [own.name]
    shutil.copytree(elsewhere, other)
    assert {row.id for row in list_runs()} == {own.name, other.name}


@pytest.fixture
def common(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with common_folder() as folder:
        monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        for name in ("data", "cache"):
            (folder / name).mkdir()
            (folder / name).chmod(0o1777)
        yield folder


def listed() -> str:
    """The states and numbers of all runs, the newest first, the second time by the index."""
    list_runs()
    return " ".join(f"{row.id}={row.status}:{row.number}" for row in list_runs())


@AS_ROOT
def test_two_users_of_a_store_read_all_runs_and_change_their_own(common: Path) -> None:
    ours = stored()
    theirs = Path(by_another(stored))
    assert theirs.stat().st_uid == NOBODY
    assert listed() == by_another(listed)
    assert listed() == f"{theirs.name}=complete:2 {ours.name}=complete:1"
    assert by_another(lambda: load_run(ours).id) == ours.name
    artifact = "artifacts/console.log"
    assert by_another((ours / artifact).read_bytes) == str((ours / artifact).read_bytes())
    changes = {
        "remove": lambda: remove_run(ours),
        "rename": lambda: ours.rename(ours.with_name("gone")),
        "write": lambda: (ours / "run.json").write_text("{}"),
        "add": lambda: (ours / "artifacts" / "new").touch(),
    }
    for name, change in changes.items():
        assert re.search("PermissionError|it is root's run", by_another(change)), name
    assert load_run(ours).id == ours.name
    assert stored().name in by_another(listed)


@AS_ROOT
def test_a_report_of_another_users_run_is_made_in_the_own_cache(common: Path) -> None:
    ours = stored()
    report = write_report(ours)
    page = report.read_bytes()
    theirs = Path(by_another(lambda: write_report(ours)))
    assert theirs.is_relative_to(common / "cache") and theirs.stat().st_uid == NOBODY
    assert theirs.read_bytes() == page == report.read_bytes()


@AS_ROOT
def test_a_run_of_another_user_is_seen_to_be_under_way_and_pruned_by_that_user(
    common: Path,
) -> None:
    def begin() -> str:
        new_run("boot", "verdex")
        return listed()

    under_way = new_run("boot", "verdex")
    assert by_another(listed) == f"{under_way.id}=running:1"
    # That process ends, and its run is unfinished.
    ended, *_ = by_another(begin).split("=")
    assert f"{ended}=unfinished:2" in listed() and f"{ended}=unfinished:2" in by_another(listed)
    under_way.discard()
    mine = new_run("boot", "verdex")
    os.close(mine._lock)
    assert (
        by_another(lambda: [path.name for path in prune_unfinished()]) == f"['.{ended}.unfinished']"
    )
    assert listed() == by_another(listed) == f"{mine.id}=unfinished:3"


@AS_ROOT
def test_the_users_accept_levels_in_one_store(common: Path) -> None:
    ours, theirs = stored(), Path(by_another(stored))
    accept(ours.name, "first")
    assert "accepted=" in by_another(lambda: accept(theirs.name, "second"))
    assert [level.run for level in accepted_runs()] == [theirs.name, ours.name]
    assert by_another(lambda: len(accepted_runs())) == "2"
    # A level is its owner's.
    assert "EnvironmentLacksError" in by_another(lambda: accept(ours.name, "third"))
