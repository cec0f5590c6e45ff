# SPDX-License-Identifier: Apache-2.0
"""Each command that a report prints can be typed, for the board of its run."""

import re
from pathlib import Path
from typing import Any

import pytest

from perfboard.model.results.boot import BootResult
from perfboard.model.results.limits import LimitPart, LimitsResult
from perfboard.model.run import BoardSummary, Evidence, Metric, Run
from perfboard.model.target import command_on, file_target, virtual_target
from perfboard.report.export.choose import export
from perfboard.report.export.formats import FORMATS, OF_GUIDES
from perfboard.report.html import render
from perfboard.report.text import run_text
from perfboard.report.words.commands import command_again, tune_command
from perfboard.store.reading import load_run
from tests.support.golden import NAMES, unpack
from tests.support.printed import commands_in, take
from tests.support.runs import make_boot, make_run

OWN = """
schema = "perfboard.board/1"
name = "gateway"
title = "A gateway"
description = "A gateway."
like = "rpi2"
"""
# Levels of a virtual board whose boot gives each advice.
LEVELS = {"initcall_debug": "off", "compression": "gzip", "flash": "tuned", "console": "full"}


def said(run: Run) -> list[list[str]]:
    """The commands of all that is printed of a run."""
    others = FORMATS.keys() - {"markdown", *OF_GUIDES}
    texts = [run_text(run), render(run), *(export(run, name) for name in others)]
    # Markdown shows a character after a stroke as it is.
    texts.append(re.sub(r"\\(.)", r"\1", export(run, "markdown")))
    return [words for text in texts for words in commands_in(text)]


def booted(target: str, name: str, **fields: Any) -> Run:
    """A run whose boot waits for its flash and is long decompressed."""
    figures = {"boot.total.waits.flash": 0.8, "boot.kernel.load.decompress": 0.6}
    part = LimitPart(
        phase="boot.kernel.load.decompress",
        title="decompression",
        cause="decompression",
        seconds=0.6,
        bound_s=0.1,
        why="by gzip",
    )
    limits = LimitsResult(boot=1, total_s=1.5, bound_s=1.0, parts=(part,))
    boot = make_boot(spans=())
    return make_run(
        board=BoardSummary(name=name, title="A board", description="A board.", console_baud=115200),
        target=target,
        boots=(),
        results=(BootResult(boots=(boot,)), limits),
        metrics=tuple(Metric(name=k, unit="s", samples=(v,)) for k, v in figures.items()),
        **{"evidence": Evidence.TIMED, "factors": LEVELS} | fields,
    )


@pytest.mark.parametrize("name", NAMES)
def test_those_of_recorded_runs_are_taken(name: str, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(OWN)
    for words in said(load_run(unpack(name, tmp_path))):
        # The file of one recorded run is of its machine.
        take([str(own) if word == "/tmp/silent.toml" else word for word in words])


@pytest.mark.parametrize(
    ("board", "of"),
    [("verdex", "verdex"), ("./gateway.toml", "gateway"), ("my b/g.toml", "gateway")],
)
def test_a_virtual_board_is_named_as_the_user_did(
    board: str, of: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if board != of:
        Path(board).parent.mkdir(exist_ok=True)
        Path(board).write_text(OWN)
    found = said(booted(virtual_target(board), of))
    again = {tuple(words[1:]) for words in found}
    assert again - {("study", "boot", "--board", "verdex")} == {
        ("tune", "boot", "--board", board),
        ("study", "boot", "--set", "initcall_debug=on", "--board", board),
    }
    for words in found:
        take(words)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("serial:///dev/null", "dev-null"),
        ("labgrid://desk?coordinator=lab:20408", "shelf"),
        ("ssh://root@board", "board"),
        (file_target("boot.log"), "camera"),
    ],
)
def test_of_no_real_board_it_is_said_that_it_can_be_tuned(target: str, name: str) -> None:
    evidence = Evidence.UNKNOWN if target == file_target("boot.log") else Evidence.SILICON
    run = booted(target, name, evidence=evidence, factors={})
    assert said(run) == [list(run.provenance.command)]
    assert tune_command(run) == "" == tune_command(booted(target, name, evidence=evidence))


@pytest.mark.parametrize(
    ("target", "name", "command"),
    [
        ("ssh://root@board:22", "board", "--target ssh://root@board:22"),
        ("ssh://root@board", "shelf", "--target ssh://root@board --name shelf"),
        ("local", "local", "--target local"),
        (
            "labgrid://desk?coordinator=lab:20408",
            "desk",
            "--target 'labgrid://desk?coordinator=lab:20408'",
        ),
        ("virtual:./my b.toml", "gateway", "--board './my b.toml'"),
    ],
)
def test_the_words_for_a_board_are_those_of_its_target(
    target: str, name: str, command: str
) -> None:
    assert command_on(target, name, "measure") == f"perfboard measure {command}"


def test_a_file_that_was_imported_is_no_board() -> None:
    assert command_on(file_target("boot.log"), "camera", "measure") == ""


@pytest.mark.parametrize(
    ("given", "board"),
    [
        ("study boot --board ./gateway.toml", "./gateway.toml"),
        ("study profile kiosk --board rpi2 --board gateway", "gateway"),
        ("study profile kiosk --board a.toml --board b.toml", ""),
        ("try gateway -- true", "gateway"),
    ],
)
def test_version_0_1_kept_the_name_in_a_boards_file(given: str, board: str) -> None:
    run = booted(virtual_target("gateway"), "gateway")
    command = ("perfboard", *given.split())
    run = run.model_copy(
        update={"provenance": run.provenance.model_copy(update={"command": command})}
    )
    expected = f"perfboard boards verify --board {board}" if board else ""
    assert command_again(run, "boards", "verify") == expected
