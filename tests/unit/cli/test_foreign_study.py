# SPDX-License-Identifier: Apache-2.0
"""A package outside brings a study: no file of Perfboard is edited for it."""

import json
import sys
from pathlib import Path

import pytest

from tests.support.command import call

STUDY = """
from dataclasses import dataclass, field

from perfboard.model.options import option, parse_count
from perfboard.model.run import BoardSummary, Evidence, Metric
from perfboard.store.recording import Found, Subject
from perfboard.studies.base import place_of


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
                lambda: Found(
                    Subject(board, request.target, Evidence.HOST),
                    metrics=(Metric(name="lamp.time", unit="s", samples=tuple(times)),),
                )
            ),
        ):
            for number in range(options.blinks):
                times.append(0.5 + number)
        return record.run


STUDY = Lamp()
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a package of one study, as pip installs it."""
    (tmp_path / "lamp.py").write_text(STUDY)
    info = tmp_path / "lamp-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lamp\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[perfboard.studies]\nlamp = lamp:STUDY\n")
    monkeypatch.syspath_prepend(tmp_path)
    # Each test has a lamp of its own.
    sys.modules.pop("lamp", None)
    return tmp_path


@pytest.mark.usefixtures("package")
def test_it_runs_and_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("study", "lamp", "--blinks", "3", "--json") == 0
    (metric,) = json.loads(capsys.readouterr().out)["metrics"]
    assert (metric["name"], metric["samples"]) == ("lamp.time", [0.5, 1.5, 2.5])
    assert call("show", "latest") == 0
    assert "lamp.time" in capsys.readouterr().out


@pytest.mark.usefixtures("package")
def test_its_options_are_in_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("study", "lamp", "--help") == 0
    shown = capsys.readouterr().out
    assert "How long does the lamp take to shine?" in shown
    assert "--blinks" in shown and "how often it blinks" in shown
    assert "serial targets: the colour of its light" in shown
    assert "--boots" not in shown
    assert call("studies") == 0
    assert "lamp: A lamp" in capsys.readouterr().out


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--blinks", "10"], '--blinks: "10" is not a number of blinks from 1 to 9'),
        (["--colour", "red"], "--colour: only for serial targets, and this one is local"),
        (["--boots", "3"], "study lamp takes no --boots 3; `perfboard study lamp --help`"),
        (["--target", "ssh://board"], "study lamp measures local or serial:///dev/DEVICE"),
    ],
)
def test_what_does_not_fit_it_is_refused(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert call("study", "lamp", *words) == 2
    assert said in capsys.readouterr().err


def test_a_study_that_cannot_be_imported_is_named_with_its_package(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (package / "lamp.py").write_text("import nowhere_at_all\n")
    assert call("study", "lamp") == 2
    assert "study lamp cannot be imported from lamp:STUDY" in capsys.readouterr().err
    # Another study is not imported with it.
    assert call("study", "standard", "--help") == 0


def test_help_imports_no_study(package: Path) -> None:
    (package / "lamp.py").write_text("raise SystemExit(9)\n")
    assert call("--help") == 0
