# SPDX-License-Identifier: Apache-2.0
"""The measure of CONTRIBUTING.md, word by word, as a package outside brings it."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from perfboard.measures.base import Measure
from tests.support.measures import read_example
from tests.unit.measures.test_measures import check_declared

PAGE = (Path(__file__).parents[3] / "CONTRIBUTING.md").read_text()
SECTION = PAGE[PAGE.index("## A measure in one file") :]

# The compiler makes this of the probe's sources: `probe time FILE LABEL COUNT COMMAND ARGUMENT...`.
COMPILER = """
import sys
from pathlib import Path

Path(sys.argv[-1]).write_text(r'''#!/bin/sh
file=$2 label=$3 count=$4
shift 4
while [ $count -gt 0 ]; do
    begin=$(date +%s%N)
    "$@" 2> /dev/null || exit 1
    took=$(($(date +%s%N) - begin))
    printf '{"row":"time","label":"%s","real_ns":%s,"user_us":1,' "$label" $took >> "$file"
    printf '"system_us":1,"resident_kb":1,"status":0}\n' >> "$file"
    count=$((count - 1))
done
''')
"""


def written(pattern: str) -> str:
    match = re.search(pattern, SECTION, re.DOTALL)
    assert match is not None
    return match[1]


@pytest.fixture
def package(homes: Path) -> Path:
    """A folder with the measure and its entry point, as pip installs them."""
    folder = homes / "packages"
    info = folder / "random_rate-1.dist-info"
    info.mkdir(parents=True)
    (folder / "random_rate.py").write_text(written(r"```python\n(.*?)```"))
    (info / "METADATA").write_text("Name: random-rate\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        written(r"\[project\.entry-points\.(\"perfboard\.measures\"\]\n.*?)\n\n")
        .replace(" " * 4, "")
        .replace('"perfboard.measures"', "[perfboard.measures")
        .replace('"', "")
    )
    (folder / "ziglang.py").write_text(COMPILER)
    return folder


def perfboard(package: Path, *words: str) -> str:
    """The output of the command where the package is installed."""
    path = os.pathsep.join([str(package), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "perfboard.cli.main", *words],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_listed_and_described(package: Path) -> None:
    assert "\nrandom.rate          Random numbers of the kernel\n" in perfboard(package, "measures")
    (record,) = json.loads(perfboard(package, "measures", "random.rate", "--json"))
    assert [each["name"] for each in record["metrics"]] == ["random.rate.bandwidth"]


def test_it_measures_this_machine(package: Path, homes: Path) -> None:
    run = json.loads(perfboard(package, "measure", "random.rate", "--json"))
    assert run["status"] == "complete"
    (metric,) = run["metrics"]
    assert (metric["name"], metric["unit"]) == ("random.rate.bandwidth", "B/s")
    assert len(metric["samples"]) == 5 and min(metric["samples"]) > 1e6
    (result,) = run["results"]
    assert result["measurements"][0]["measure"] == "random.rate"
    # A run needs no measure to be shown.
    shown = subprocess.run(
        [sys.executable, "-m", "perfboard.cli.main", "show", "latest"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert "by 64 KiB" in shown.stdout, shown.stderr


def test_its_example_is_read_back(package: Path) -> None:
    spec = importlib.util.spec_from_file_location("random_rate", package / "random_rate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    measure: Measure = module.MEASURE
    assert measure in module.MEASURES
    for example in measure.examples:
        found = read_example(measure, example)
        check_declared(measure, found)
        assert {each.name: each.samples[0] for each in found.metrics} == dict(example.figures)
