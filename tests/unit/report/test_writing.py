# SPDX-License-Identifier: Apache-2.0
"""The report's file: whole, readable, and written nowhere but in the run's folder."""

from pathlib import Path

import pytest

from perfboard.model.errors import EnvironmentLacksError
from perfboard.report.writing import write_report
from tests.support.runs import stored


def test_a_link_in_its_place_is_replaced_not_followed(tmp_path: Path) -> None:
    folder = stored()
    outside = tmp_path / "precious"
    outside.write_text("kept")
    (folder / "report.html").symlink_to(outside)
    report = write_report(folder)
    assert outside.read_text() == "kept"
    assert not report.is_symlink()
    assert report.read_text().startswith("<!DOCTYPE html>")
    assert sorted(path.name for path in folder.iterdir()) == [
        ".number",
        "artifacts",
        "report.html",
        "run.json",
    ]


def test_a_disk_that_refuses_it_is_said() -> None:
    folder = stored()
    (folder / "report.html").mkdir()
    with pytest.raises(EnvironmentLacksError, match=r"cannot write .*report.html: Is a directory"):
        write_report(folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        ".number",
        "artifacts",
        "report.html",
        "run.json",
    ]
