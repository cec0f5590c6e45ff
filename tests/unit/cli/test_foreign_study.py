# SPDX-License-Identifier: Apache-2.0
"""A package outside brings a study and its section of the report: no file of ours is edited."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.golden import unpack

STUDY = """
from dataclasses import dataclass, field

from perfboard.model.options import option, parse_count
from perfboard.model.run import BoardSummary, Evidence, Metric
from perfboard.store.recording import Content, Subject
from perfboard.model.target import place_of

from lamp.section import LampResult


@dataclass(frozen=True)
class Options:
    blinks: int = option(2, "how often it blinks (default: 2)", parse=parse_count("blinks", 1, 9))
    colour: str = option("", "the colour of its light", only="serial")


@dataclass(frozen=True)
class Lamp:
    name: str = "lamp"
    title: str = "A lamp"
    question: str = "How long does the lamp take to shine?"
    options: type = Options
    targets: tuple = ("local", "serial")
    default_target: str = "local"
    headline: str = "lamp.time"
    factors: dict = field(default_factory=dict)

    def run(self, request, options, lab):
        place = place_of(request.target)
        board = BoardSummary(name=place, title="Lamp", description="A lamp.")
        times = []
        with (
            lab.record(self.name, place, request.command, self.headline) as record,
            record.begin(
                lambda: Content(
                    Subject(board, request.target, Evidence.HOST),
                    metrics=(Metric(name="lamp.time", unit="s", samples=tuple(times)),),
                    results=(LampResult(colour="<red>"),),
                )
            ),
        ):
            for number in range(options.blinks):
                times.append(0.5 + number)
        return record.run


STUDY = Lamp()
"""
SECTION = """
from typing import Literal

from perfboard.model.results.base import Result
from perfboard.report.section import Section


class LampResult(Result):
    kind: Literal["lamp"] = "lamp"
    colour: str

    @property
    def summary(self):
        return "a light"


SECTION = Section(
    result=LampResult,
    order=50,
    text=lambda run, result: ["", f"It shines {result.colour}."],
    page=lambda run, result: ("lamp/lamp.html.j2", {"lamp": result}),
    lead=lambda run, result: f"It shines {result.colour}.",
)
"""
TEMPLATE = """{% from "macros.html.j2" import box %}
<section>
<h2>The lamp</h2>
{% call box("The lamp") %}{{ lamp.colour }}, {{ label }}{% endcall %}
</section>
"""
ENTRIES = """[perfboard.studies]
lamp = lamp.study:STUDY
[perfboard.sections]
lamp = lamp.section:SECTION
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with a package of one study and its section, as pip installs it."""
    for name, text in {"__init__.py": "", "study.py": STUDY, "section.py": SECTION}.items():
        path = tmp_path / "lamp" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (tmp_path / "lamp/lamp.html.j2").write_text(TEMPLATE)
    info = tmp_path / "lamp-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lamp\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    return tmp_path


def perfboard(package: Path, *words: str) -> subprocess.CompletedProcess[str]:
    folders = {f"XDG_{kind}_HOME": str(package / kind) for kind in ("DATA", "CACHE")}
    paths = os.pathsep.join([str(package), *sys.path])
    return subprocess.run(
        [sys.executable, "-m", "perfboard.cli.main", *words],
        capture_output=True,
        text=True,
        env=os.environ | folders | {"PYTHONPATH": paths},
        check=False,
    )


def test_it_runs_and_is_shown(package: Path) -> None:
    made = perfboard(package, "study", "lamp", "--blinks", "3", "--json")
    assert made.returncode == 0, made.stderr
    (metric,) = json.loads(made.stdout)["metrics"]
    assert (metric["name"], metric["samples"]) == ("lamp.time", [0.5, 1.5, 2.5])
    shown = perfboard(package, "show", "latest").stdout
    assert "complete, a light\n" in shown and "\nIt shines <red>.\n" in shown
    listed = perfboard(package, "runs").stdout
    assert "1.500 s" in listed
    page = Path(perfboard(package, "report", "latest").stdout.strip()).read_text()
    assert '<p class="lead">It shines &lt;red&gt;.</p>' in page
    assert "<h2>The lamp</h2>" in page and "&lt;red&gt;, host" in page
    assert "3 samples of 1 metrics" in page


def test_its_runs_are_refused_in_words_without_it(package: Path) -> None:
    assert perfboard(package, "study", "lamp").returncode == 0
    section = package / "lamp/section.py"
    for text, words in (
        ("import nowhere_at_all", "section lamp.section:SECTION cannot be used: ModuleNotFound"),
        (SECTION.replace('"lamp"', '"boot"'), "cannot be used: TypeError"),
    ):
        section.write_text(text)
        refused = perfboard(package, "show", "latest")
        assert refused.returncode == 2
        assert "has a result of kind 'lamp', which nothing installed here knows" in refused.stderr
        assert words in refused.stderr
    # Other runs are read as ever.
    other = unpack("measure-local", package / "DATA/perfboard/runs")
    assert "kernel.syscall" in perfboard(package, "show", other.name).stdout


def test_its_options_are_in_its_help(package: Path) -> None:
    shown = perfboard(package, "study", "lamp", "--help").stdout
    assert "How long does the lamp take to shine?" in shown
    assert "--blinks" in shown and "how often it blinks" in shown
    assert "serial targets: the colour of its light" in shown
    assert "--boots" not in shown
    assert "lamp: A lamp" in perfboard(package, "studies").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--blinks", "10"], '--blinks: "10" is not a number of blinks from 1 to 9'),
        (["--colour", "red"], "--colour: only for serial targets, and this one is local"),
        (["--boots", "3"], "study lamp takes no --boots 3. `perfboard study lamp --help`"),
        (["--target", "ssh://board"], "study lamp measures local or serial:///dev/DEVICE"),
    ],
)
def test_what_does_not_fit_it_is_refused(package: Path, words: list[str], said: str) -> None:
    refused = perfboard(package, "study", "lamp", *words)
    assert refused.returncode == 2
    assert said in refused.stderr


def test_a_study_that_cannot_be_imported_is_named_with_its_package(package: Path) -> None:
    (package / "lamp/study.py").write_text("import nowhere_at_all\n")
    refused = perfboard(package, "study", "lamp")
    assert refused.returncode == 2
    assert "study lamp cannot be imported from lamp.study:STUDY" in refused.stderr
    # Another study is not imported with it.
    assert perfboard(package, "study", "standard", "--help").returncode == 0


def test_help_imports_no_study(package: Path) -> None:
    (package / "lamp/study.py").write_text("raise SystemExit(9)\n")
    assert perfboard(package, "--help").returncode == 0
