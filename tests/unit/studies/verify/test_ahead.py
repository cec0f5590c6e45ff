# SPDX-License-Identifier: Apache-2.0
"""How long the runs of a verification take on this machine, said beforehand and during them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from perfboard.bench.lab import Lab
from perfboard.model.progress import SilentProgress, Step
from perfboard.studies.verify.ahead import runs_ahead
from perfboard.studies.verify.plan import make_plan
from tests.support.board_files import VERDEX

ROWS = """
[[timing.published]]
metric = "program.{name}"
value = 3
unit = "s"
use = "held-out"
{host}
source = "what a test says"
kind = "assumed"
[timing.published.program]
command = ["{command}"]
"""


class Titles:
    """Progress that keeps the titles of its steps."""

    def __init__(self) -> None:
        self.titles: list[str] = []

    @contextmanager
    def step(self, title: str, total: float) -> Iterator[Step]:
        self.titles.append(title)
        with SilentProgress().step(title, total) as step:
            yield step


@pytest.fixture
def board(tmp_path: Path) -> Path:
    (tmp_path / "verdex.config").write_text("")
    return tmp_path / "own.toml"


def text_of(*rows: tuple[str, str, str]) -> str:
    head = VERDEX.partition("[[timing.published]]")[0]
    made = (ROWS.format(name=name, host=host, command=command) for name, host, command in rows)
    return head + "".join(made)


def test_each_program_counts_once_and_one_without_a_record_is_said(board: Path) -> None:
    both = [("a", "host = 400", "first"), ("b", "host = 400", "first"), ("c", "host = 80", "last")]
    board.write_text(text_of(*both))
    ahead = runs_ahead(make_plan(str(board), 60))
    assert len(ahead.keys) == 3
    probes = ahead.times[ahead.keys[0]]
    assert ahead.words == f"about {(probes + 480) / 60:.0f} min on this machine"
    board.write_text(text_of(*both, ("d", "", "unknown")))
    assert runs_ahead(make_plan(str(board), 60)).words.startswith("more than ")


def test_probes_count_by_their_time(board: Path) -> None:
    board.write_text(text_of())
    (short,), (long,) = (runs_ahead(make_plan(str(board), s)).times.values() for s in (6, 60))
    assert 0 < short < long


def test_steps_name_the_run_and_the_time_left(board: Path) -> None:
    board.write_text(text_of(("a", "host = 400", "first"), ("c", "host = 80", "last")))
    ahead, said = runs_ahead(make_plan(str(board), 60)), Titles()
    with ahead.lab_for(ahead.keys[2], Lab(said)).progress.step("trying", 1):
        pass
    assert said.titles == ["trying (run 3 of 3, about 80 s left)"]
