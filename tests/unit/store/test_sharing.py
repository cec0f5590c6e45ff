# SPDX-License-Identifier: Apache-2.0
"""A store that several machines or processes share."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from perfboard.store.folder import runs_folder
from perfboard.store.index import list_runs
from perfboard.store.making import new_run
from tests.support.runs import make_run, stored


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
