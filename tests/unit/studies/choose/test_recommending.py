# SPDX-License-Identifier: Apache-2.0
"""A board is right for a device only if each row that must pass was measured, and does."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfboard.analysis.choice.answer import Candidate, choice_of
from perfboard.analysis.profile.conclusion import NoFigure, conclude, verdicts_of
from perfboard.cli.finish import exit_code
from perfboard.model.profile import Part, Profile
from perfboard.model.run import Evidence, Metric, Run
from perfboard.model.timed_as import StatedMargin
from perfboard.report.choice.page import render_choice
from perfboard.report.choice.text import choice_text
from perfboard.report.export.choose import export
from perfboard.report.html import render
from perfboard.report.text import run_text
from tests.support.runs import make_run

# A row: its weight, what came of it, and whether it was asked for.
Row = tuple[str, str, bool]
SAMPLES = {"pass": 1.0, "inconclusive": 1.99, "fail": 9.0}
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["must", "should"]),
        st.sampled_from([*SAMPLES, "not measured", "broke"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


def profile_run(rows: list[Row]) -> Run:
    """A run of a profile with these rows, on a virtual board, without --only if all are asked."""
    issues: list[dict[str, Any]] = [
        {
            "name": f"row-{place}",
            "question": "Is it fast?",
            "measure": "work",
            "metric": "work.time",
            "labels": {"row": str(place)},
            "budget": "<= 2 s",
            "weight": weight,
        }
        for place, (weight, _, _) in enumerate(rows)
    ]
    head = {"name": "box", "device": "A box", "for": "us"}
    table = {"schema": "perfboard.profile/2", "profile": head, "key_issue": issues}
    asked = [place for place, row in enumerate(rows) if row[2]]
    metrics = {
        place: Metric(
            name="work.time", unit="s", labels={"row": str(place)}, samples=(SAMPLES[came],)
        )
        for place, (_, came, _) in enumerate(rows)
        if came in SAMPLES and place in asked
    }

    def look(part: Part) -> tuple[Metric, ...] | NoFigure:
        place = int(part.labels["row"])
        if place in metrics:
            return (metrics[place],)
        return NoFigure("its memory ended", failed=rows[place][1] == "broke")

    only = () if len(asked) == len(rows) else tuple(f"row-{place}" for place in asked)
    result = conclude(
        Profile.model_validate(table),
        look,
        Evidence.TIMED,
        lambda metric: StatedMargin(share=0.01),
        only,
    )
    verdicts, missing = verdicts_of(result)
    return make_run(
        study="profile",
        evidence=Evidence.TIMED,
        headline=None,
        metrics=tuple(metrics.values()),
        results=(result,),
        verdicts=verdicts,
        no_verdicts=missing,
    )


@settings(max_examples=40)
@given(ROWS.filter(lambda rows: any(asked for _, _, asked in rows)))
def test_no_board_with_an_unmeasured_or_failed_must_is_recommended(rows: list[Row]) -> None:
    """In text, page, JSON and exports, and by the exit code."""
    run = profile_run(rows)
    musts = [came if asked else "not measured" for weight, came, asked in rows if weight == "must"]
    right = bool(musts) and {*musts} == {"pass"}
    failed = not {"fail", "broke"}.isdisjoint(musts)
    assert exit_code(run) == (0 if right else 1 if failed else 5)
    text, record = run_text(run), json.loads(run.to_json())
    assert (record["results"][0]["outcome"] == "pass") == right
    assert ("PASS" in text) == right
    for said in (text, render(run), export(run, "markdown")):
        words = " ".join(said.split()).replace("Whether verdex is right", "")
        assert ("verdex is right for" in words) == right
    # No published figure tells how likely it is.
    choice = choice_of([Candidate("verdex", run)])
    assert not choice.right and bool(choice.unsure) == right
    for said in (choice_text(choice), render_choice(choice)):
        assert "No board is known to be right" in " ".join(said.split())
    assert ("RESULT=pass" in export(run, "lava").splitlines()[0]) == right
    for place, (weight, came, asked) in enumerate(rows):
        own = came if asked else "not measured"
        if weight == "must" and own != "pass":
            assert f"row-{place} RESULT=pass" not in export(run, "lava")
            for form in ("lava", "kcidb", "openmetrics", "markdown"):
                assert f"row-{place}" in export(run, form)
            statuses = {
                test["path"]: test["status"] for test in json.loads(export(run, "kcidb"))["tests"]
            }
            assert statuses[f"perfboard.profile.verdict.row-{place}"] != "PASS"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("must", "pass", False), ("should", "fail", True)], "because row-0 is not measured"),
        ([("must", "pass", True), ("must", "pass", False)], "; 1 of 2 rows is measured."),
        ([("should", "fail", True)], "because no row of weight must decides that"),
        (
            [("must", "pass", False)] * 4 + [("must", "pass", True)],
            "because 4 rows of weight must are not measured; 1 of 5 rows is measured.",
        ),
    ],
)
def test_the_answer_says_what_was_measured(rows: list[Row], said: str) -> None:
    run = profile_run(rows)
    text = " ".join(run_text(run).split())
    assert text.startswith("NO VERDICT: Whether verdex is right for this device is not known")
    assert said in text and said in " ".join(render(run).split())


def test_rows_that_were_not_asked_for_stand_in_one_sentence() -> None:
    text = run_text(profile_run([("must", "pass", True), ("must", "pass", False)]))
    assert "Not asked for: row-1." in text and "row-1: Is it fast?" not in text
