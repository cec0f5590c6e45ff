# SPDX-License-Identifier: Apache-2.0
"""Records of schema perfboard.run/1: read whole, refused where damaged, and left as they are."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from perfboard.model.errors import UsageError
from perfboard.model.results.boot import BootResult
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.results.program import ProgramResult
from perfboard.model.results.tune import TuneResult
from perfboard.model.run import Evidence
from perfboard.store.folder import runs_folder
from perfboard.store.index import list_runs
from perfboard.store.reading import load_run
from perfboard.store.upgrade.chain import upgraded
from tests.support.golden import NAMES, golden, is_first, unpack

# One of each kind of result, and one without.
DAMAGED = (
    "measure-local",
    "boot-verdex-initcalls",
    "try-rpi2",
    "tune-boot-verdex",
    "boot-verdex-failed",
)


def _without(record: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}


def _boots(boots: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Boots without the parts that a record of perfboard.run/1 has not."""
    new = ("unfinished", "notes", "counted", "printed", "unpacked_bytes", "console_baud", "waits")
    spans = [[_without(span, "driver") for span in boot["spans"]] for boot in boots]
    return [
        {**_without(boot, *new), "spans": of_boot}
        for boot, of_boot in zip(boots, spans, strict=True)
    ]


@pytest.mark.parametrize("name", [name for name in NAMES if is_first(name)])
def test_all_of_it_is_read_and_its_file_left(name: str, tmp_path: Path) -> None:
    folder = unpack(name, tmp_path)
    old = json.loads((folder / "run.json").read_text())
    run = load_run(folder)
    assert (folder / "run.json").read_text() == golden(f"{name}.json")
    new = json.loads(run.to_json())
    parts = ("boots", "processes", "trial", "tuning", "tried")
    added = ("headline", "no_verdicts", "perturbed", "results", "tags")
    if new["board"]["name"] == "rpi2":
        # Of before a board's cores were a factor.
        assert new["factors"].pop("cores") == "1"
        # And what it boots from; a program that is tried does not have that.
        assert new["factors"].pop("medium", "flash") == "flash"
    timed_as = new["board"]["timed_as"]
    new["board"] = _without(new["board"], "console_baud")
    if timed_as:
        # What was one share is one of each class.
        (share,) = {stated["share"] for stated in timed_as["margins"].values()}
        timed_as["margin"] = share
    new["board"]["timed_as"] = timed_as and _without(timed_as, "model", "left_out", "margins")
    if run.evidence is Evidence.COUNTED:
        # No seconds are held against a budget of counted instructions any more.
        assert [each.budget for each in run.no_verdicts] == [v["budget"] for v in old["verdicts"]]
        old["verdicts"] = []
    assert _without(new, "schema", "metrics", *added) == _without(old, "schema", "metrics", *parts)
    # The start of a tune was called its baseline.
    for metric in old["metrics"]:
        if metric["labels"].get("levels") == "baseline":
            metric["labels"]["levels"] = "start"
    metrics = [
        _without(metric, "title", "group", "evidence", "measurement") for metric in new["metrics"]
    ]
    assert metrics == old["metrics"]
    found = {result["kind"]: _without(result, "kind") for result in new["results"]}
    assert _boots(found.get("boot", {"boots": []})["boots"]) == old["boots"]
    assert found.get("measures", {"processes": []})["processes"] == old["processes"]
    program = found.get("program")
    assert (program and _without(program, "interrupted", "lacked")) == old["trial"]
    tune = found.get("tune")
    for one in old["tuning"]["tries"] if old["tuning"] else ():
        one["excluded_because"] = one.pop("barred")
        if one["stage"] == "baseline":
            one["stage"] = "start"
    if old["tuning"]:
        old["tuning"]["start"] = old["tuning"].pop("baseline")
    assert (tune and _without(tune, "tried")) == old["tuning"]
    assert _boots(tune["tried"] if tune else []) == old["tried"]


@pytest.mark.parametrize(
    ("name", "headline", "kinds"),
    [
        ("boot-verdex-counted", "boot.total", [BootResult]),
        ("boot-verdex-failed", "boot.total", []),
        ("measure-local", None, [MeasuresResult]),
        ("try-rpi2", "try.time.real", [ProgramResult]),
        ("tune-boot-verdex", "boot.total", [BootResult, TuneResult]),
    ],
)
def test_what_it_is_upgraded_to(
    name: str, headline: str | None, kinds: list[type], tmp_path: Path
) -> None:
    run = load_run(unpack(name, tmp_path))
    assert run.headline == headline
    assert [type(result) for result in run.results] == kinds


def test_the_list_shows_the_headlines_of_old_runs() -> None:
    names = {unpack(name, runs_folder()): name for name in NAMES}
    rows = {names[row.path]: row for row in list_runs()}
    assert rows.keys() == {*NAMES}
    assert all(row.status != "broken" for row in rows.values())
    found = {name: row.headline for name, row in rows.items() if row.headline}
    assert found.pop("try-rpi2") == "try.time.real"
    assert found.pop("bringup-local") == "memory.copy.bandwidth"
    measures = [name for name in found if name.startswith(("measure-", "standard-"))]
    assert len(measures) == 5 and all("." in found.pop(name) for name in measures)
    assert {*found.values()} == {"boot.total"} and len(found) == 7
    assert rows["boot-verdex-counted"].median == pytest.approx(1.901604880)


# Tables whose keys are free: one key tells of all.
_FREE = ("factors", "facts", "host", "image", "packages", "titles", "baseline", "keep", "checked")


def _short(value: Any, name: str = "") -> Any:
    """A record with the first items alone of its lists and free tables."""
    if isinstance(value, list):
        is_pair = len(value) == 2 and all(isinstance(each, int) for each in value)
        return value if is_pair else [_short(each) for each in value[:1]]
    if isinstance(value, dict):
        items = list(value.items())[: 1 if name in _FREE else None]
        return {key: 0 if key == "best" else _short(each, key) for key, each in items}
    return value


def _damages(record: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Copies of the record, each with one field replaced or left out, and what was done to it."""

    def fields(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in items:
            yield (*path, key)
            if isinstance(each, (dict, list)):
                yield from fields(each, (*path, key))

    for path in fields(record):
        for value in ({"odd": [1]}, [["odd"]], "odd", 1e300, None, "gone"):
            copy = json.loads(json.dumps(record))
            at = copy
            for key in path[:-1]:
                at = at[key]
            if value == "gone":
                del at[path[-1]]
            else:
                at[path[-1]] = value
            yield f"{'.'.join(map(str, path))} = {value}", copy


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_refused_in_words_where_the_old_version_refused_it(
    name: str, tmp_path: Path
) -> None:
    folder = unpack(name, tmp_path)
    record = _short(json.loads((folder / "run.json").read_text()))
    accepted = set()
    for damage, damaged in _damages(record):
        (folder / "run.json").write_text(json.dumps(damaged))
        with suppress(UsageError):
            load_run(folder)
            accepted.add(damage)
    expected = {*json.loads(golden("damaged.json"))[name]}
    # Since then a mark may be any instrument's, a model without a margin is one of which nothing is
    # known, and tries without their tune are refused.
    since = ("marks.0.source = odd", "timed_as.margin = gone")
    accepted = {damage for damage in accepted if not damage.endswith(since)}
    if name == "tune-boot-verdex":
        expected -= {"tuning = None", "tuning = gone"}
    assert accepted == expected


def test_a_record_of_both_schemas_is_refused(tmp_path: Path) -> None:
    folder = unpack("measure-local", tmp_path)
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(record | {"results": []}))
    with pytest.raises(UsageError, match=r"'schema' is 'perfboard\.run/1'"):
        load_run(folder)


def test_a_record_is_not_changed_by_its_upgrade() -> None:
    record = json.loads(golden("tune-boot-verdex.json"))
    upgraded(record)
    assert record == json.loads(golden("tune-boot-verdex.json"))
