# SPDX-License-Identifier: Apache-2.0
"""Each section of the report shows every recorded run that has a result of its kind."""

from pathlib import Path
from typing import Any, get_args

import pytest
from markupsafe import escape

from perfboard.model.results.guide import GuideResult
from perfboard.model.results.kinds import known
from perfboard.report.html import render
from perfboard.report.section import Section
from perfboard.report.sections import all_sections, sections_of
from perfboard.report.terminal import WIDTH
from perfboard.report.terminal import render as as_text
from perfboard.store.reading import load_run
from tests.support.golden import NAMES, unpack
from tests.support.guides import GuidedTarget


def test_each_kind_of_result_has_one() -> None:
    union, _ = get_args(known().any_result)
    assert {section.result for section in all_sections()} == set(get_args(union))
    assert known().problems == ()
    orders = [section.order for section in all_sections()]
    assert len(set(orders)) == len(orders)


@pytest.mark.parametrize("section", all_sections(), ids=lambda each: each.result.__name__)
def test_it_shows_every_recorded_run_of_its_kind(section: Section[Any], tmp_path: Path) -> None:
    shown = 0
    recorded = [load_run(unpack(name, tmp_path)) for name in NAMES]
    # No golden run is a guide.
    for run in (
        recorded if section.result is not GuideResult else [GuidedTarget().measure(tmp_path)]
    ):
        for each, result in sections_of(run):
            if each is not section:
                continue
            shown += 1
            lead = section.lead(run, result)
            assert lead.endswith(".") and "\n" not in lead
            lines = as_text(section.parts(run, result)).splitlines()
            # A name, as 1+1-2.1+2.1+2.2+3.1, is never cut.
            assert lines and max(map(len, lines)) <= WIDTH + 6
            template, _ = section.page(run, result)
            package = section.lead.__module__.rpartition(".")[0]
            assert template in ("blocks.html.j2", f"{package}/{package.rpartition('.')[2]}.html.j2")
            assert str(escape(lead)) in render(run)
    assert shown
