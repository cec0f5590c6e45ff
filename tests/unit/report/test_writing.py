# SPDX-License-Identifier: Apache-2.0
"""The report's file: whole, readable, and written nowhere but in the run's folder."""

from pathlib import Path

import pytest

from perfboard.model.errors import EnvironmentLacksError
from perfboard.report.writing import write_report
from tests.support.runs import make_run


def stored(folder: Path) -> Path:
    folder.mkdir()
    (folder / "run.json").write_text(make_run("one", artifacts=()).to_json())
    return folder


def test_a_link_in_its_place_is_replaced_not_followed(tmp_path: Path) -> None:
    folder = stored(tmp_path / "one")
    outside = tmp_path / "precious"
    outside.write_text("kept")
    (folder / "report.html").symlink_to(outside)
    report = write_report(folder)
    assert outside.read_text() == "kept"
    assert not report.is_symlink()
    assert report.read_text().startswith("<!DOCTYPE html>")
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", "run.json"]


def test_a_disk_that_refuses_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = stored(tmp_path / "one")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(EnvironmentLacksError, match="disk is full"):
        write_report(folder)
    assert [path.name for path in folder.iterdir()] == ["run.json"]
