# SPDX-License-Identifier: Apache-2.0
"""Boards held against one profile: in which order, how far, and what is kept."""

from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from perfboard.analysis.choice.answer import Candidate
from perfboard.bench.request import Request
from perfboard.model.errors import UsageError
from perfboard.model.results.profile import ProfileResult
from perfboard.studies.choose.options import ChooseOptions
from perfboard.studies.choose.study import Candidates, choose_boards
from perfboard.targets.virtual.program import ProgramResults, TrialTarget
from tests.support.lab import RESULTS, FakeLab
from tests.support.profile_runs import PROFILE, SCALED, SLOW

MEMORY = """
[[key_issue]]
name = "memory"
question = "Is there room?"
measure = "memory.free"
metric = "system.ram.available"
labels = { by = "free+cache" }
budget = ">= 20 MB"
"""
TEXT = f"{PROFILE.rpartition('[[key_issue]]')[0]}{MEMORY}"
FREE = """\
{{"metric":"system.ram.available","unit":"B","better":"higher",\
"labels":{{"by":"free+cache"}},"samples":[{}]}}
{{"metric":"system.ram.kernel","unit":"B","better":"lower","samples":[4096]}}
{{"end":{{"elapsed_s":0.1}}}}
"""


class Boards(FakeLab):
    """A lab of boards: some have little memory, some are slow; `measured` says what ran where."""

    def __init__(self, folder: Path, little: tuple[str, ...] = (), slow: tuple[str, ...] = ()):
        super().__init__(folder)
        self.little, self.slow = little, slow
        self.measured: list[tuple[str, str]] = []

    def try_out(
        self,
        target: TrialTarget,
        plugin: Path,
        artifacts: Path,
        told: Any,
        cancelled: Event,
    ) -> ProgramResults:
        board, memory = target.board.name, "memory.free" in artifacts.name
        self.measured.append((board, "memory" if memory else "picture"))
        for name in ("scope.jsonl", "profile.jsonl", "console.log"):
            (artifacts / name).write_text(self.tried if name == "scope.jsonl" else "")
        told(7, 7)
        free = FREE.format(1_000_000 if board in self.little else 30_000_000)
        picture = SLOW if board in self.slow else SCALED
        return replace(RESULTS, stdout=free.encode() if memory else picture)


def choose(
    lab: FakeLab, path: Path, *boards: str, named: bool = True, **options: Any
) -> dict[str, Candidate]:
    """The boards by name, held against the profile."""
    return chosen_of(lab, path, *boards, named=named, **options).candidates_by_name()


class _Candidates(Candidates):
    def candidates_by_name(self) -> dict[str, Candidate]:
        return {each.board: each for each in self.candidates.values()}


def chosen_of(
    lab: FakeLab, path: Path, *boards: str, named: bool = True, **options: Any
) -> _Candidates:
    requests = [Request(f"virtual:{board}", {}, ("perfboard",)) for board in boards]
    given = ChooseOptions(profile=str(path), **options)
    asked = [(replace(each, others=tuple(requests)), given) for each in requests]
    found = choose_boards(asked, lab.lab(), {}, named=named)
    return _Candidates(found.candidates, found.interrupted)


def rows_of(candidate: Candidate) -> dict[str, tuple[str, str]]:
    assert candidate.run
    (result,) = candidate.run.results_of(ProfileResult)
    return {row.name: (row.outcome, row.reason) for row in result.rows}


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    (file := tmp_path / "box.toml").write_text(TEXT)
    return file


def test_a_board_that_fails_a_cheap_row_is_measured_no_further(
    profile: Path, tmp_path: Path
) -> None:
    lab = Boards(tmp_path, little=("orangepi-pc",))
    found = choose(lab, profile, "rpi2", "orangepi-pc")
    assert sorted(lab.measured) == [
        ("orangepi-pc", "memory"),
        ("rpi2", "memory"),
        ("rpi2", "picture"),
    ]
    assert rows_of(found["orangepi-pc"]) == {
        "picture": ("not measured", "not needed, since memory fails; --all-rows measures it"),
        "memory": ("fail", ""),
    }
    assert {outcome for outcome, _ in rows_of(found["rpi2"]).values()} == {"pass"}


def test_all_rows_goes_on_with_what_is_left(profile: Path, tmp_path: Path) -> None:
    choose(Boards(tmp_path, little=("orangepi-pc",)), profile, "rpi2", "orangepi-pc")
    again = Boards(tmp_path, little=("orangepi-pc",))
    found = choose(again, profile, "rpi2", "orangepi-pc", all_rows="all_rows")
    assert again.measured == [("orangepi-pc", "picture")]
    assert rows_of(found["orangepi-pc"])["picture"] == ("pass", "")
    third = Boards(tmp_path)
    choose(third, profile, "rpi2", "orangepi-pc")
    assert not third.measured


def test_a_board_alone_has_all_its_rows(profile: Path, tmp_path: Path) -> None:
    lab = Boards(tmp_path, little=("rpi2",))
    assert len(rows_of(choose(lab, profile, "rpi2")["rpi2"])) == len(lab.measured) == 2


def test_changes_are_tried_on_the_nearest_that_fail(profile: Path, tmp_path: Path) -> None:
    option = '[[option]]\nname = "small"\ntitle = "less"\nparameters = { width = 128 }\n'
    other = '[[option]]\nname = "other"\ntitle = "more"\nboard = "rpi2"\n'
    profile.write_text(f"{TEXT}\n{option}{other}")
    lab = Boards(tmp_path, little=("teres",), slow=("orangepi-pc",))
    found = choose(lab, profile, "rpi2", "orangepi-pc", "teres")
    # Twenty times too little memory is far; the picture is three times too slow.
    tried = {
        name: [(row.name, row.outcome) for row in each.result.options if each.result]
        for name, each in found.items()
        if each.result
    }
    assert tried["rpi2"] == []
    assert tried["orangepi-pc"] == [("small", "fail"), ("other", "not measured")]
    assert tried["teres"][0] == ("small", "fail")


def test_a_board_that_cannot_be_asked_is_refused_if_it_was_named(
    profile: Path, tmp_path: Path
) -> None:
    profile.write_text(TEXT.replace("width = 64", "width = 64, nosuch = 1"))
    with pytest.raises(UsageError, match="nosuch"):
        choose(Boards(tmp_path), profile, "rpi2", "orangepi-pc", named=False)
    profile.write_text(TEXT)
    with pytest.raises(UsageError, match="rpi3000"):
        choose(Boards(tmp_path), profile, "rpi2", "rpi3000")


def test_a_board_without_the_hardware_fails(tmp_path: Path) -> None:
    row = MEMORY.replace("memory.free", "network.tcp").replace("memory", "network")
    row = row.replace("system.ram.available", "network.tcp.bandwidth").replace("20 MB", "1 MB/s")
    row = row.replace('{ by = "free+cache" }', '{ way = "to the board", streams = "1" }')
    (path := tmp_path / "net.toml").write_text(f"{PROFILE.partition('[[key_issue]]')[0]}{row}")
    found = choose(Boards(tmp_path), path, "rpi-zero", "teres", "converter")
    assert rows_of(found["rpi-zero"])["network"] == (
        "fail",
        "board rpi-zero has no Ethernet: its network is Wi-Fi",
    )
    assert found["rpi-zero"].probability == 0
    # Nobody says of this board what network it has.
    assert rows_of(found["converter"])["network"][0] == "not measured"


def test_an_interrupt_keeps_what_was_measured(profile: Path, tmp_path: Path) -> None:
    """As ^C does: the thread that waits gets it, and those that work see that they are to end."""
    lab = Boards(tmp_path)
    first = lab.try_out
    counted: list[str] = []

    def interrupted(*given: Any) -> ProgramResults:
        counted.append("")
        if len(counted) == 3:
            raise KeyboardInterrupt
        return first(*given)

    requests = [Request(f"virtual:{b}", {}, ("perfboard",)) for b in ("rpi2", "orangepi-pc")]
    given = ChooseOptions(profile=str(profile))
    asked = [(replace(each, others=tuple(requests)), given) for each in requests]
    found = choose_boards(asked, lab.lab(try_out=interrupted), {}, named=True)
    assert found.interrupted
    again = Boards(tmp_path)
    choose(again, profile, "rpi2", "orangepi-pc")
    assert len(again.measured) < 4
