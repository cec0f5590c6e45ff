# SPDX-License-Identifier: Apache-2.0
"""Runs found by their board's name."""

from pathlib import Path
from typing import Any

import pytest

from perfboard.model.errors import UsageError
from perfboard.model.run import BoardSummary, Evidence, Status
from perfboard.store.boards import find_named, find_pair
from perfboard.store.making import new_run
from tests.support.runs import make_run


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def stored(second: int, board: str, study: str = "boot", **fields: Any) -> Path:
    folder = new_run(study, board, token=lambda size: f"{second:04d}")
    id = f"20261125-1200{second:02d}-{study}-{board}-0000"
    summary = BoardSummary(name=board, title=board, description="")
    folder.finish(make_run(folder.id, study=study, board=summary, **fields))
    path = folder.path
    # The id's time is the run's.
    new = path.with_name(id)
    path.rename(new)
    (new / "run.json").write_text((new / "run.json").read_text().replace(folder.id, id))
    return new


def test_a_board_means_its_latest_complete_run() -> None:
    old = stored(1, "rpi2")
    stored(2, "rpi2", status=Status.ABORTED)
    stored(3, "rpi-zero2")
    assert find_named("rpi2") == old
    new = stored(4, "rpi2", "try")
    assert find_named("rpi2") == find_named("latest") == new
    # The beginning of an id wins.
    own = stored(5, "2026")
    with pytest.raises(UsageError, match="the beginning of several runs"):
        find_named("2026")
    assert find_named(own.name[:20]) == own
    with pytest.raises(UsageError, match='no run "verdex"'):
        find_named("verdex")


def test_a_pair_is_of_one_study_and_evidence() -> None:
    runs = {
        (board, second): stored(second, board, study, evidence=evidence)
        for second, (board, study, evidence) in enumerate(
            [
                ("rpi2", "boot", Evidence.TIMED),
                ("orangepi-pc", "boot", Evidence.TIMED),
                ("rpi2", "boot", Evidence.TIMED),
                ("rpi2", "boot", Evidence.COUNTED),
                ("orangepi-pc", "try", Evidence.TIMED),
                ("verdex", "boot", Evidence.COUNTED),
            ]
        )
    }
    first, second = find_pair("rpi2", "orangepi-pc")
    assert (first, second) == (runs["rpi2", 2], runs["orangepi-pc", 1])
    assert find_pair("orangepi-pc", "rpi2") == (second, first)
    assert find_pair(runs["rpi2", 0].name, "orangepi-pc") == (runs["rpi2", 0], second)
    assert find_pair("rpi2", "verdex")[0] == runs["rpi2", 3]
    with pytest.raises(
        UsageError, match=r"orangepi-pc has try \(timed\), boot \(timed\); verdex has boot \(coun"
    ):
        find_pair("orangepi-pc", "verdex")
    across = find_pair("orangepi-pc", "verdex", across_evidence=True)
    assert across == (runs["orangepi-pc", 1], runs["verdex", 5])


def test_latest_and_tags_and_how_far_back() -> None:
    one = stored(1, "rpi2", tags={"branch": "main", "commit": "a1"})
    two = stored(2, "verdex", tags={"branch": "main", "commit": "a2"})
    three = stored(3, "rpi2", status=Status.ABORTED, tags={"branch": "main"})
    four = stored(4, "rpi2", tags={"branch": "new"})
    assert [find_named(f"latest~{back}") for back in range(4)] == [four, three, two, one]
    assert find_named("latest:rpi2") == find_named("rpi2") == find_named("rpi2~0") == four
    assert find_named("latest:rpi2~1") == find_named("rpi2~1") == one
    # What did not complete is no run of a branch.
    assert find_named("branch:main") == find_named("commit:a2") == two
    assert find_named("branch:main~1") == find_named("commit:a1") == one
    assert find_pair("branch:main~1", "branch:new") == (one, four)
    # Runs of one board alone have a partner.
    assert find_pair("branch:main", "branch:new") == (two, four)
    for text, words in (
        ("latest~4", "there are 4 of"),
        ("branch:main~2", "there are 2 of"),
        ("branch:old", "no complete run with the tag branch=old"),
        ("latest:beagle", 'no complete run of board "beagle"'),
        ("nosuch~1", "there are 0 of"),
        ("x:/dev/null", "tag x=/dev/null"),
    ):
        with pytest.raises(UsageError, match=words):
            find_named(text)
