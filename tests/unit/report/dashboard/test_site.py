# SPDX-License-Identifier: Apache-2.0
"""The dashboard, from stored runs to its pages."""

import re
from pathlib import Path

import pytest

from perfboard.history.series import load_runs, series_of
from perfboard.model.run import Evidence
from perfboard.report.dashboard.line import line_of
from perfboard.store.index import list_runs
from tests.support.command import call
from tests.support.html import Reader
from tests.support.runs import make_boot, make_metric
from tests.unit.store.test_boards import stored


def boots(count: int, board: str = "verdex", first: int = 0) -> None:
    for number in range(count):
        late = 100_000_000 if number >= count // 2 else 0
        tags = {"commit": f"a{number}", "branch": "main"}
        stored(first + number, board, boots=(make_boot({"init.exec": late}),), tags=tags)


def test_each_board_and_step_is_there_and_leads_to_its_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    boots(4)
    boots(2, "rpi2", first=10)
    metrics = tuple(make_metric("memory.latency", 1e-9, size=str(size)) for size in range(70))
    stored(20, "cam", study="measure", boots=(), metrics=metrics, headline=None)
    site = tmp_path / "site"
    assert call("dashboard", str(site)) == 0
    assert capsys.readouterr().out == f"{site}/index.html\n"
    index = (site / "index.html").read_text()
    assert [index.index(f"<h2>{board}</h2>") for board in ("cam", "rpi2", "verdex")]
    assert "+6.5%, worse with commit a2," in index
    pages = {path.name: path.read_text() for path in site.iterdir()}
    links = set(re.findall(r'href="([^"]+)"', index))
    assert links == pages.keys() - {"index.html"} and len(links) == 3
    verdex = next(text for text in pages.values() if "<h1>boot of verdex" in text)
    assert verdex.index("<h2>boot.total</h2>") < verdex.index("<h2>boot.bootloader</h2>")
    assert "worse: rose from 1.543 s to 1.643 s (+6.5%), after commit a1" in verdex
    assert all(f"20261125-12000{second}-boot-verdex-0000" in verdex for second in range(4))
    assert "10 more metrics are not shown" in next(t for t in pages.values() if "<h1>measure" in t)
    for text in pages.values():
        Reader(text)
        # Nothing comes from elsewhere.
        assert "http" not in text.replace("http-equiv", "") and "<script" not in text


def test_a_site_replaces_an_earlier_one_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    boots(2)
    boots(2, "rpi2", first=10)
    site = tmp_path / "site"
    assert call("dashboard", str(site)) == 0
    assert call("dashboard", str(site), "--tag", "commit=a1") == 0
    assert len(list(site.iterdir())) == 3
    assert call("dashboard", str(site), "--tag", "commit=nosuch") == 2
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "index.html").write_text("my own")
    assert call("dashboard", str(mine)) == 2
    assert "has other files in it" in capsys.readouterr().err
    assert (mine / "index.html").read_text() == "my own"
    assert call("dashboard", str(mine / "index.html")) == 2


def test_what_a_stranger_wrote_is_escaped(tmp_path: Path) -> None:
    metric = make_metric("cpu.a", 1.0, level="<script>alert(1)</script>\x1b\u202e")
    stored(1, "cam", boots=(), metrics=(metric,), headline=None, tags={"commit": "<b>&"})
    assert call("dashboard", str(tmp_path / "site")) == 0
    for path in (tmp_path / "site").iterdir():
        text = path.read_text()
        assert "<script>" not in text and "<b>&" not in text
        assert not {"\x1b", "\u202e"} & set(text)


def test_a_line_stays_in_its_box() -> None:
    for second, value in enumerate((3.0, 1.0, 2.0)):
        stored(
            second,
            "cam",
            boots=(),
            metrics=(make_metric("boot.total", value),),
            evidence=Evidence.SILICON,
        )
    (series,) = series_of(load_runs(list_runs()))
    points = [tuple(map(float, p.split(","))) for p in line_of(series, 100, 20).points.split()]
    assert points == [(2.0, 2.0), (50.0, 18.0), (98.0, 10.0)]
