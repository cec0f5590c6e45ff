# SPDX-License-Identifier: Apache-2.0
"""`perfboard cache`: shown, checked and emptied."""

import json
from pathlib import Path

import pytest

from perfboard.cli.command import main
from perfboard.host.cache import entries
from perfboard.host.cache.cache import cache_root, cached
from perfboard.host.cache.manifest import NAME
from perfboard.model.progress import SilentProgress


@pytest.fixture
def made() -> list[Path]:
    """Entries that an earlier process has left."""
    folders = [
        cached(kind, {"number": str(number)}, write, SilentProgress())
        for kind in ("image", "root")
        for number in range(2)
    ]
    for mark in (cache_root() / "users").iterdir():
        mark.unlink()
    return folders


def write(folder: Path) -> None:
    (folder / "file").write_bytes(bytes(5000))


def as_json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["cache", *words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def test_an_empty_cache_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache"]) == 0
    assert str(cache_root()) in capsys.readouterr().out
    assert main(["cache", "check"]) == main(["cache", "clear"]) == 0


def test_it_is_shown_by_kind(
    made: list[Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["cache"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[1:4]] == [
        ["image", "2"],
        ["root", "2"],
        ["all", "4"],
    ]
    assert "20 GB" in lines[-1] and all(len(line) <= 80 for line in lines[:4])
    monkeypatch.setenv(entries.VARIABLE, "3 GB")
    shown = as_json(capsys)
    assert shown["limit"] == 3 * 10**9 and shown["in_use"] == 0
    assert shown["folder"] == str(cache_root())


def test_a_check_names_what_is_damaged(
    made: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cache", "check"]) == 0
    assert "4 entries, 0 damaged" in capsys.readouterr().out
    (made[0] / "file").write_bytes(bytes(4999) + b"1")
    (made[3] / NAME).unlink()
    assert main(["cache", "check"]) == 3
    out = capsys.readouterr().out
    assert "4 entries, 2 damaged" in out and "the bytes of file have changed" in out
    assert main(["cache", "check", "--json"]) == 3
    damaged = json.loads(capsys.readouterr().out)["damaged"]
    assert [Path(each["folder"]) for each in damaged] == [made[0], made[3]]


def test_it_is_emptied(made: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert as_json(capsys, "clear") | {"bytes": 0} == {"removed": 4, "bytes": 0, "left": 0}
    assert not any(folder.exists() for folder in made)


def test_a_limit_that_is_no_size_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(entries.VARIABLE, "much")
    assert main(["cache"]) == 2
    assert entries.VARIABLE in capsys.readouterr().err
