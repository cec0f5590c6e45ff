# SPDX-License-Identifier: Apache-2.0
"""The section of a tune: what to change, each level by itself, charts of all tries."""

from collections.abc import Mapping
from typing import Any

from perfboard.model.results.tune import TuneResult
from perfboard.model.run import Run
from perfboard.report.section import Section
from perfboard.report.sections.tune.page import tuning_view
from perfboard.report.sections.tune.rows import head_sentence
from perfboard.report.sections.tune.text import tuning_parts
from perfboard.report.words.evidence import evidence_label


def _lead(run: Run, result: TuneResult) -> str:
    return f"{head_sentence(run, result)} ({evidence_label(run, 'boot.total')})."


def _page(run: Run, result: TuneResult) -> tuple[str, Mapping[str, Any]]:
    return f"{__package__}/tune.html.j2", {"tuning": tuning_view(run, result)}


# Before the boots of the best that it found.
SECTION = Section(result=TuneResult, order=5, text=tuning_parts, page=_page, lead=_lead)
