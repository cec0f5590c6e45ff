# SPDX-License-Identifier: Apache-2.0
"""The section of what probes measured: graphs, figures by group, disturbances."""

from collections.abc import Mapping
from typing import Any

from perfboard.model.results.probes import ProbeResult
from perfboard.model.run import Run
from perfboard.report.section import Section
from perfboard.report.sections.measure.page import measurements
from perfboard.report.sections.measure.text import probe_parts
from perfboard.report.words.evidence import evidence_label


def _lead(run: Run, result: ProbeResult) -> str:
    return f"{measurements(run, result).summary} ({evidence_label(run)})."


def _page(run: Run, result: ProbeResult) -> tuple[str, Mapping[str, Any]]:
    return f"{__package__}/measure.html.j2", {"measurements": measurements(run, result)}


SECTION = Section(result=ProbeResult, order=40, text=probe_parts, page=_page, lead=_lead)
