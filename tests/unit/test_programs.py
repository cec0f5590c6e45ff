# SPDX-License-Identifier: Apache-2.0
"""Whole programs held against published figures, by a runner that stands in for the board."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from perfboard.analysis.programs import program_accuracy, program_figure
from perfboard.analysis.verification import Verification, accuracy, probes_for
from perfboard.boards.loader import list_boards, load_board
from perfboard.cli.main import main
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress, SilentProgress
from perfboard.model.published import Program, Published
from perfboard.report.verification import verification_text
from perfboard.studies import verifying
from perfboard.studies.programs import Ran, measure_programs

# The boards whose programs were split before any of them was run.
SPLIT = ("orangepi-pc", "rpi-zero", "rpi-zero2", "rpi2", "teres")
SEVEN = """\
                       Compressing  |                  Decompressing
Dict     Speed Usage    R/U Rating  |      Speed Usage    R/U Rating

22:        442   100    431    430  |       8657   100    739    739
----------------------------------  | ------------------------------
Avr:       442   100    431    430  |       8657   100    739    739
"""
OPENSSL = "type          16384 bytes\nAES-256-CBC      17451.70k\n"


def published(name: str, value: float = 1.0, **fields: Any) -> Published:
    program = {"command": ["true"], **fields.pop("program", {})}
    return Published.model_validate(
        {
            "metric": f"program.{name}",
            "value": value,
            "unit": "s",
            "use": "held-out",
            "source": "somebody's bench",
            "kind": "measured",
            "program": program,
            **fields,
        }
    )


@pytest.mark.parametrize(
    ("figure", "output", "expected"),
    [
        ({"line": "22:", "word": 2, "scale": 1024}, SEVEN, 442 * 1024),
        ({"line": "22:", "word": 7, "scale": 1024}, SEVEN, 8657 * 1024),
        ({"line": "AES-256-CBC", "word": 2, "scale": 1000}, OPENSSL, 17451700),
        ({"line": "events per second:", "word": 4}, "\n    events per second:    39.52\n", 39.52),
        ({"line": "22:", "word": 2}, "22: 1\nlater\n22: 2\n", 2),
        ({"line": "22:", "word": 99}, SEVEN, None),
        ({"line": "type", "word": 1}, OPENSSL, None),
        ({"line": "23:", "word": 2}, SEVEN, None),
    ],
)
def test_a_figure_is_found_by_its_line_and_word(
    figure: dict[str, Any], output: str, expected: float | None
) -> None:
    row = published("x", program={"figure": figure})
    found = program_figure(row, output, 3.0)
    assert found == (None if expected is None else pytest.approx(expected))


@given(st.text(), st.integers(1, 9))
def test_any_output_is_read_or_has_no_figure(output: str, word: int) -> None:
    row = published("x", program={"figure": {"line": "a", "word": word}})
    found = program_figure(row, output, 3.0)
    assert found is None or found >= 0


def test_without_a_figure_the_time_counts() -> None:
    assert program_figure(published("x"), "", 3.5) == 3.5


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"metric": "cpu.clock"}, "goes with a program"),
        ({"program": None}, "goes with a program"),
        ({"use": "calibration"}, "no parameter may come from a whole program"),
        ({"unit": "B/s"}, "wants s where program has no figure"),
        ({"labels": {"size": "1"}}, "a program has none"),
        ({"program": {"command": []}}, "at least 1 item"),
        ({"program": {"command": ["a\0b"]}}, "match pattern"),
        ({"program": {"command": ["a"], "packages": ["../x"]}}, "match pattern"),
        ({"program": {"command": ["a"], "figure": {"line": "a", "word": 0}}}, "greater than"),
        ({"program": {"command": ["a"], "figure": {"line": "a\nb", "word": 1}}}, "match pattern"),
    ],
)
def test_a_bad_row_is_refused(fields: dict[str, Any], words: str) -> None:
    table = {**published("x").model_dump(mode="json"), **fields}
    with pytest.raises(ValidationError, match=words):
        Published.model_validate(table)


class Board:
    """Stands in for a virtual board: answers by the first word of a command."""

    def __init__(self, answers: dict[str, Ran | str]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, dict[str, str]]] = []

    def __call__(self, program: Program, levels: Mapping[str, str], progress: Progress) -> Ran:
        name = program.command[0]
        self.asked.append((name, dict(levels)))
        answer = self.answers[name]
        if isinstance(answer, str):
            raise EnvironmentLacksError(f"{answer}\nmore")
        return answer


def test_programs_run_once_each_and_say_why_where_they_cannot() -> None:
    seven = {"command": ["7zz"], "figure": {"line": "22:", "word": 2, "scale": 1024}}
    unpacks = {**seven, "figure": {"line": "22:", "word": 7, "scale": 1024}}
    figures = [
        published("7zip.compress", 442 * 1024 / 1.1, unit="B/s", program=seven),
        published("7zip.decompress", 8657 * 1024, unit="B/s", use="development", program=unpacks),
        published(
            "7zip.odd", 1, unit="B/s", program={**seven, "figure": {"line": "no", "word": 1}}
        ),
        published("bc.pi", 2.0, program={"command": ["bc"]}),
        published("lua", 2.0, factors={"flash": "cached"}, program={"command": ["lua"]}),
        published("fails", 2.0, program={"command": ["false"]}),
    ]
    board = Board(
        {
            "7zz": Ran(9.0, SEVEN, 0, "run-1"),
            "bc": Ran(2.6, "3.14", 0, "run-2"),
            "lua": "there is no package lua",
            "false": Ran(1.0, "", 3, "run-3"),
        }
    )
    rows, runs = measure_programs(figures, 0.25, board, SilentProgress())
    assert board.asked == [("7zz", {}), ("bc", {}), ("lua", {"flash": "cached"}), ("false", {})]
    assert runs == ("run-1", "run-2", "run-3")
    assert [rows[n].ratio for n in range(4)] == [pytest.approx(1.1), 1.0, None, 1.3]
    assert [rows[n].within for n in range(4)] == [True, None, None, False]
    assert [rows[n].problem for n in range(2, 6)] == [
        *("it did not print its figure", "", "there is no package lua"),
        "it ended with exit code 3",
    ]
    halves = program_accuracy(rows.values())
    assert halves["development"].mean == 0
    held = halves["held-out"]
    assert (held.rows, held.mean, held.worst) == pytest.approx((2, 0.2, 0.3))


def test_boards_name_programs_that_are_not_run_without_a_runner() -> None:
    timing = load_board("rpi2").board.timing
    assert timing is not None
    programs = [figure for figure in timing.published if figure.program is not None]
    assert "7zz" in {figure.program.command[0] for figure in programs if figure.program}
    assert probes_for(programs) == []


def test_every_second_program_of_all_boards_is_held_out() -> None:
    """The rule of docs/programs.md, so that no row changes sides when its ratio is known."""
    found: list[str] = []
    for name in (name for name in SPLIT if name in list_boards()):
        timing = load_board(name).board.timing
        rows = [f for f in timing.published if f.program] if timing else []
        assert [f.metric for f in rows] == sorted(f.metric for f in rows)
        found += [figure.use for figure in rows]
    assert found
    assert found == ["held-out" if n % 2 == 0 else "development" for n in range(len(found))]


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (Ran(1.1, "", 0, "run-1"), 0, "Whole programs, held-out: over 1 the mean error is 10%"),
        (Ran(1.5, "", 0, "run-1"), 1, "marked with !"),
        ("there is no package x", 5, "program.x could not run: there is no package x"),
    ],
)
def test_the_command_tells_both_halves_and_what_could_not_run(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answer: Ran | str,
    code: int,
    words: str,
) -> None:
    board = Board({"true": answer})
    rows, runs = measure_programs([published("x")], 0.25, board, SilentProgress())
    in_order = tuple(rows.values())
    found = Verification("b", "P", 0.25, "stated", in_order, accuracy(in_order), runs)
    monkeypatch.setattr(verifying, "verify_board", lambda *_: found)
    assert words in verification_text(found)
    assert main(["boards", "verify", "b", "--json"]) == code
    printed = json.loads(capsys.readouterr().out)
    assert bool(printed["programs"]) == (code != 5)
    assert bool(printed["rows"][0]["problem"]) == (code == 5)


def test_a_pushed_file_is_a_path() -> None:
    row = published("x", program={"push": ["data/words.txt"]})
    assert row.program is not None
    assert row.program.push == (Path("data/words.txt"),)
