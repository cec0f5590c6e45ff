# SPDX-License-Identifier: Apache-2.0
"""The interface for Python programs, and the code on its page."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import perfboard
from perfboard.model.errors import UsageError
from perfboard.model.results.measures import MeasuresResult
from perfboard.store.making import new_run
from tests.support.probe_runs import make_probe_run
from tests.support.runs import make_run, only

_PAGE = Path(__file__).parents[2] / "docs/runs/python.md"
_CODE = re.findall(r"```python\n(.*?)```", _PAGE.read_text(), re.DOTALL)


@pytest.fixture(autouse=True)
def stored() -> list[Path]:
    """The folders of two runs: a boot, then probes."""
    boot, probes = new_run("boot", "verdex"), new_run("standard", "bench")
    boot.finish(make_run(boot.id))
    probes.finish(make_probe_run(probes.id))
    return [boot.path, probes.path]


def test_a_run_is_opened_by_what_names_it(stored: list[Path]) -> None:
    folder = stored[0]
    assert [row.path for row in perfboard.runs()] == sorted(stored, reverse=True)
    for name in (folder, str(folder), folder.name):
        assert perfboard.open_run(name).id == folder.name
    with pytest.raises(UsageError, match="no run"):
        perfboard.open_run("nosuch")


def test_each_sample_is_a_row(stored: list[Path]) -> None:
    for folder in stored:
        run = perfboard.open_run(folder)
        rows = run.rows()
        samples = [value for metric in run.metrics for value in metric.samples]
        assert [row["value"] for row in rows] == samples
    latency = [row for row in rows if row["metric"] == "memory.latency"]
    assert {row["evidence"] for row in latency} == {"host"}
    assert {row["unit"] for row in latency} == {"s"}
    assert {row["process"] for row in latency} <= set(
        range(len(only(run, MeasuresResult).processes))
    )


def test_the_code_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """Without the study, which tests/system/probes/test_standard.py runs."""
    names: dict[str, Any] = {}
    for code in _CODE:
        if "pandas" in code:
            pytest.importorskip("pandas")
        if "run_study" not in code:
            exec(code, names)  # noqa: S102
    assert "memory.latency" in capsys.readouterr().out


def test_what_a_study_cannot_do_is_refused() -> None:
    with pytest.raises(UsageError, match="There is no study"):
        perfboard.run_study("nosuch")
    with pytest.raises(UsageError, match="measures virtual:BOARD"):
        perfboard.run_study("boot", target="local")
    with pytest.raises(TypeError, match="blinks"):
        perfboard.run_study("standard", blinks=3)


def test_importing_the_package_imports_nothing_large() -> None:
    code = "import sys, perfboard; print('pydantic' in sys.modules, 'argparse' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert shown.stdout == "False False\n"
