# SPDX-License-Identifier: Apache-2.0
"""What the rows of Texas Instruments' performance guides are for is said of each, once."""

import csv
from pathlib import Path

ROWS = Path(__file__).parents[3] / "benchmarks" / "guide_rows.tsv"
# What a medium or a network card does by itself: no other row sets a parameter.
MEDIA = ("MMC ", "EMMC ", "CPSW2g ")


def test_each_row_has_one_use_and_its_reason() -> None:
    with ROWS.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader((line for line in lines if line[0] != "#"), delimiter="\t"))

    assert {row["use"] for row in rows} == {"fit", "check", "not comparable"}
    assert all(row["reason"] and None not in row for row in rows)
    places = [(row["file"], row["section"], row["row"]) for row in rows]
    assert len(places) == len(set(places))


def test_only_rates_of_a_medium_or_a_network_card_set_a_parameter() -> None:
    with ROWS.open(encoding="utf-8") as lines:
        rows = csv.DictReader((line for line in lines if line[0] != "#"), delimiter="\t")
        fitted = [row["section"] for row in rows if row["use"] == "fit"]

    assert all(section.startswith(MEDIA) for section in fitted)
