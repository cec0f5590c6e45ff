# SPDX-License-Identifier: Apache-2.0
"""What `perfboard boards verify` prints, and its exit code."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from perfboard.analysis.verify.parameters import PartParameter
from perfboard.analysis.verify.rows import Verification, accuracy, row_of
from perfboard.cli.command import main
from perfboard.cli.commands.verify import print_verification
from perfboard.model.errors import EXIT_INTERRUPTED
from perfboard.report.verification.words import answer, name_of
from tests.support.runs import published, stored
from tests.support.verifications import verification


@pytest.mark.parametrize(("seen", "code"), [(1.02, 0), (0.96, 1), (None, 5)])
def test_the_command_fails_where_a_probe_sees_another_part(
    capsys: pytest.CaptureFixture[str], seen: float | None, code: int
) -> None:
    of_part = (PartParameter("clock", "1/s", 1.0, seen),)
    found = Verification("b", "P", {}, {}, "rows", (), None, ("run-1",), of_part)
    assert print_verification(found, as_json=True) == code
    (row,) = json.loads(capsys.readouterr().out)["parameters"]
    assert row == {
        **{"name": "clock", "unit": "1/s", "value": 1.0, "seen": seen},
        "within": None if seen is None else not code,
    }
    assert print_verification(found, as_json=False) == code
    assert ("marked with !" in capsys.readouterr().out) == (code == 1)


def test_a_row_says_what_it_does_to_the_model_and_which_kernel_it_is_of(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = tuple(
        row_of(published("a", use=use, kernel=kernel), 1.1, 0.25)
        for use, kernel in (("calibration", None), ("held-out", "2.4.20"))
    )
    lacking = replace(row_of(published("b"), 9.0, 0.25), within=None, modelled=False)
    rows = (*rows, lacking)
    found = Verification(
        *("b", "P", {}, {}, "rows", rows, accuracy(rows), ("run-1",)), kernel="linux-source-6.1"
    )
    assert print_verification(found, as_json=False) == 0
    text = capsys.readouterr().out
    lines = text.splitlines()
    heading = next(n for n, line in enumerate(lines) if line.startswith("metric "))
    sets, checks, beyond = lines[heading + 3 : heading + 6]
    assert sets.startswith("a ") and "sets it" in sets
    assert checks.startswith("a, by Linux 2.4.20 ") and "checks it" in checks
    assert beyond.startswith("b ") and "not modelled" in beyond
    assert "6.1 runs here" in text and lines[0].startswith("1 of 1 held-out row lies inside")
    assert max(map(len, text.splitlines())) <= 80


def test_the_page_is_in_the_first_run_and_its_path_the_last_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = stored()
    found = replace(verification("rpi2"), runs=(folder.name,))
    assert print_verification(found, as_json=False, as_page=True) == 0
    shown = Path(capsys.readouterr().out.splitlines()[-1]).resolve()
    assert shown == folder / "verification.html" and shown.is_file()
    assert print_verification(found, as_json=True, as_page=True) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["runs"] == [folder.name]
    assert printed.err.endswith("verification.html\n")


def test_json_has_the_figures_of_the_answer_and_the_classes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = replace(verification("teres", {2: 1.5}), interrupted=True)
    assert print_verification(found, as_json=True) == EXIT_INTERRUPTED
    printed = json.loads(capsys.readouterr().out)
    assert printed["interrupted"] and printed["answer"] == answer(found)
    held = printed["held_out"]
    assert (held["inside"], held["bounded"]) == (held["rows"] - 1, held["rows"])
    assert (held["worst"], held["worst_row"]) == (pytest.approx(0.5), name_of(found.rows[2]))
    memory = next(each for each in printed["classes"] if each["work"] == "memory")
    assert memory["inside"] == memory["measured"] - 1 == memory["inside_stated"] - 1
    row = printed["rows"][2]
    assert (row["class"], row["stated_ratio"], row["ratio"]) == ("memory", 1.068, 1.5)


def test_help_says_what_it_does_and_with_what(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["boards", "verify", "--help"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    for each in ("--report", "--time", "^C ends it", "how long that takes on this machine"):
        assert each in words


@pytest.mark.parametrize(("virtual", "code"), [(1.1, 0), (1.5, 1), (None, 5)])
def test_the_command_fails_beyond_the_margin(
    capsys: pytest.CaptureFixture[str], virtual: float | None, code: int
) -> None:
    rows = (row_of(published("a"), virtual, 0.25),)
    found = Verification("b", "P", {}, {}, "rows", rows, accuracy(rows), ("run-1",))
    assert print_verification(found, as_json=True) == code
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["virtual"], row["within"]) == (virtual, None if virtual is None else code == 0)
    assert print_verification(found, as_json=False) == code
    assert ("marked with !" in capsys.readouterr().out) == (code == 1)


@pytest.mark.parametrize(
    ("virtual", "problem", "code", "words"),
    [
        (1.1, "", 0, "Whole programs, held-out: over 1 the mean error is 10%"),
        (1.5, "", 1, "marked with !"),
        (None, "there is no package x", 5, "program.x could not run: there is no package x"),
    ],
)
def test_the_command_tells_both_halves_and_what_could_not_run(
    capsys: pytest.CaptureFixture[str], virtual: float | None, problem: str, code: int, words: str
) -> None:
    figure = published("program.x", program={"command": ["true"]})
    rows = (row_of(figure, virtual, 0.25, problem),)
    found = Verification("b", "P", {}, {}, "rows", rows, accuracy(rows), ())
    assert print_verification(found, as_json=False) == code
    assert words in capsys.readouterr().out
    assert print_verification(found, as_json=True) == code
    printed = json.loads(capsys.readouterr().out)
    assert bool(printed["programs"]) == (code != 5)
    assert bool(printed["rows"][0]["problem"]) == (code == 5)
