# SPDX-License-Identifier: Apache-2.0
"""The baselines of a run, found among the stored ones."""

from pathlib import Path
from typing import Any

import pytest

from perfboard.history.baselines import accepted_baseline, find_baseline
from perfboard.model.errors import UsageError
from perfboard.model.run import BoardSummary, Evidence, Run
from perfboard.store.accepted import accept, accepted_folder
from perfboard.store.reading import load_run
from tests.unit.store.test_boards import stored


def ran(second: int, board: str = "verdex", **fields: Any) -> Run:
    return load_run(stored(second, board, **fields))


def ids(runs: tuple[Run, ...]) -> list[str]:
    return [run.id for run in runs]


def test_the_last_accepted_run_like_it_is_the_baseline() -> None:
    first, quiet, new = ran(1), ran(2, factors={"quiet": "off"}), ran(3)
    assert accepted_baseline(new).runs == ()
    accept(first.id, "the first")
    accept(quiet.id, "another level")
    assert ids(accepted_baseline(new).runs) == [first.id]
    assert accepted_baseline(new).words == "accepted: the first"
    assert accepted_baseline(ran(4, evidence=Evidence.TIMED)).runs == ()
    accept(new.id, "slower, and worth it")
    assert ids(accepted_baseline(ran(5)).runs) == [new.id]
    # No run is held against itself.
    assert accepted_baseline(new).runs == ()
    # One that is deleted is as if it had not been accepted.
    (accepted_folder() / f"{new.id}.json").unlink()
    assert ids(accepted_baseline(new).runs) == [first.id]


def test_a_damaged_level_is_named() -> None:
    run = ran(1)
    accept(run.id, "the first")
    path = accepted_folder() / f"{run.id}.json"
    path.write_text(path.read_text()[:20])
    with pytest.raises(UsageError, match=f"{run.id}.json is no accepted level"):
        accepted_baseline(run)


def test_the_last_runs_like_it() -> None:
    runs = [ran(second) for second in range(1, 5)]
    ran(5, "rpi2")
    ran(6, factors={"quiet": "off"})
    found = find_baseline(runs[3], "last 2")
    assert ids(found.runs) == [runs[2].id, runs[1].id]
    assert ids(find_baseline(runs[1], "last 9").runs) == [runs[0].id]
    assert find_baseline(runs[0], "last 9").runs == ()


def test_a_branch_gives_its_newest_comparable_run() -> None:
    main: dict[str, Any] = {"tags": {"branch": "main"}}
    ran(1, **main)
    best = ran(2, **main)
    ran(3, "rpi2", **main)
    ran(4, evidence=Evidence.TIMED, **main)
    new = ran(5, tags={"branch": "new"})
    for name in ("main", "branch:main"):
        assert ids(find_baseline(new, name).runs) == [best.id]
    # A branch has no baseline before its first run, nor a board.
    for name in ("later", "branch:later"):
        assert find_baseline(new, name).runs == ()
    assert find_baseline(ran(6, "rpi-zero"), "main").runs == ()
    # The run itself is no baseline of itself.
    assert find_baseline(new, "new").runs == ()
    assert find_baseline(new, "new").words == "new has no other boot of verdex yet"


def test_what_is_no_baseline_is_refused() -> None:
    timed, new = ran(1, evidence=Evidence.TIMED, tags={"branch": "main"}), ran(2)
    for name in (timed.id, "main"):
        with pytest.raises(UsageError, match=r"its evidence is timed, and that of .* is counted"):
            find_baseline(new, name)
    with pytest.raises(UsageError, match="is not a run folder"):
        find_baseline(new, "no such/run")


def test_a_word_is_no_branch_where_no_run_has_one() -> None:
    new = ran(1)
    with pytest.raises(UsageError, match='no run "mian"'):
        find_baseline(new, "mian")


def test_a_path_may_lie_elsewhere(tmp_path: Path) -> None:
    old = stored(1, "verdex")
    elsewhere = old.rename(tmp_path / "elsewhere")
    new = ran(2)
    assert find_baseline(new, str(elsewhere)).runs[0].board == BoardSummary(
        name="verdex", title="verdex", description=""
    )
