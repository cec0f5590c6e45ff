# SPDX-License-Identifier: Apache-2.0
"""A judgement explained by the artifacts of both runs: functions, and the parts of the image."""

import math
from dataclasses import replace

from perfboard.analysis.gate.causes import function_causes, program_instructions
from perfboard.analysis.gate.change import GateLevel, MetricChange
from perfboard.analysis.gate.judge import Judgement, overall
from perfboard.analysis.gate.parts import part_changes
from perfboard.analysis.statistics.summary import Interval
from perfboard.model.functions import BootFunctions
from perfboard.model.parts import ImageParts


def with_functions(
    judgement: Judgement, before: BootFunctions | None, after: BootFunctions | None
) -> Judgement:
    """The judgement with the functions that did it, if both boots have theirs.

    If the rules allow no loss, it judges the instructions of programs as well. A new layout of the
    image moves a boot's time by more than a short loop takes. It hardly moves that number.
    """
    if before is None or after is None:
        return judgement
    findings = judgement.findings
    if judgement.exact and not judgement.rules.fail_above and not judgement.rules.patterns:
        findings = (*findings, _of_programs(before, after))
    level = overall(findings, judgement.vanished)
    causes = judgement.causes
    if level is GateLevel.WORSE:
        worse = (each for each in findings if each.level is GateLevel.WORSE)
        seconds = max((each.difference for each in worse if each.unit == "s"), default=math.inf)
        causes = (*causes, *function_causes(before, after, seconds))
    return replace(judgement, level=level, findings=findings, causes=causes)


def with_parts(
    judgement: Judgement, before: ImageParts | None, after: ImageParts | None
) -> Judgement:
    """The judgement with the parts of the image that changed, if it got worse."""
    if judgement.level is not GateLevel.WORSE or before is None or after is None:
        return judgement
    return replace(judgement, changes=(*judgement.changes, *part_changes(before, after)))


def _of_programs(before: BootFunctions, after: BootFunctions) -> MetricChange:
    old, new = program_instructions(before), program_instructions(after)
    return MetricChange(
        metric="boot.programs.instructions",
        unit="1",
        better="lower",
        before=old,
        after=new,
        interval=Interval(new - old, new - old),
        level=GateLevel.WORSE if new > old else GateLevel.BETTER if new < old else GateLevel.SAME,
    )
