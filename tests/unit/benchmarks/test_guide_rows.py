# SPDX-License-Identifier: Apache-2.0
"""What the rows of Texas Instruments' performance guides are for is said of each, once."""

import csv
from pathlib import Path

import pytest

from perfboard.boards.loader import list_boards, load_board
from perfboard.model.published import PublishedValue

ROWS = Path(__file__).parents[3] / "benchmarks" / "guide_rows.tsv"
# What a medium or a network card does by itself: no other row sets a parameter.
MEDIA = ("MMC ", "EMMC ", "CPSW2g ")
# How the sources of such rows in board files begin: guide; section; row; column: value.
GUIDE = "Texas Instruments, performance guide of "


def read() -> list[dict[str, str]]:
    with ROWS.open(encoding="utf-8") as lines:
        rows = csv.DictReader((line for line in lines if line[0] != "#"), delimiter="\t")
        return list(rows)


def published() -> list[tuple[str, PublishedValue]]:
    timings = [(name, load_board(name).board.timing) for name in list_boards()]
    return [
        (name, row)
        for name, timing in timings
        if timing
        for row in timing.published
        if row.source.startswith(GUIDE) and "; LMBench Benchmarks; " not in row.source
    ]


def test_each_row_has_one_use_and_its_reason() -> None:
    rows = read()
    assert {row["use"] for row in rows} == {"fit", "check", "not comparable"}
    assert all(row["reason"] and None not in row for row in rows)
    places = [(row["file"], row["section"], row["row"]) for row in rows]
    assert len(places) == len(set(places))


def test_only_rates_of_a_medium_or_a_network_card_set_a_parameter() -> None:
    fitted = [row["section"] for row in read() if row["use"] == "fit"]
    assert all(section.startswith(MEDIA) for section in fitted)


@pytest.mark.parametrize(("board", "row"), published())
def test_a_board_uses_a_row_for_what_was_decided(board: str, row: PublishedValue) -> None:
    guide, section, name, _ = row.source.removeprefix(GUIDE).split("; ", 3)
    use = {(r["file"], r["section"], r["row"]): r["use"] for r in read()}
    assert use[f"ti-{guide.lower()}.tsv", section, name] == "check", board
    assert row.use == "held-out"
