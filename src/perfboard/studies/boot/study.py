# SPDX-License-Identifier: Apache-2.0
"""Study E (2009): where the time goes between reset and a usable system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfboard.analysis.boot.metrics import counted_metrics, metrics_of
from perfboard.analysis.statistics.summary import judge
from perfboard.boards.loader import load_board
from perfboard.factors.choose import factors_of
from perfboard.model.errors import UsageError
from perfboard.model.progress import Progress
from perfboard.model.run import Boot, Metric, Run, Verdict
from perfboard.store.recording import Found, recording
from perfboard.studies.base import Request
from perfboard.studies.boot.serial import serial_subject
from perfboard.studies.boot.subject import BootSubject
from perfboard.studies.boot.virtual import virtual_subject

_SUBJECTS = {"virtual": virtual_subject, "serial": serial_subject}


@dataclass(frozen=True)
class BootStudy:
    """Boots a board several times and cuts each boot into phases."""

    name: str = "boot"
    title: str = "Boot time, phase by phase"
    question: str = "Where does the time go between reset and a usable system?"
    default_target: str = "virtual:verdex"
    default_boots: int = 3

    @property
    def factors(self) -> Mapping[str, tuple[str, ...]]:
        """Those of the board that is booted where none is named; others may have others."""
        board = load_board(self.default_target.partition(":")[2]).board
        return {name: tuple(factor.levels) for name, factor in factors_of(board).items()}

    def run(self, request: Request, progress: Progress) -> Run:
        """See `studies.base.Study`."""
        kind, _, where = request.target.partition(":")
        if kind not in _SUBJECTS or not where:
            raise UsageError(
                f'the target is "{request.target}"; a boot is studied from reset, which is seen '
                "of virtual boards (virtual:BOARD, as in virtual:verdex) and of boards on a serial "
                "line (serial:///dev/DEVICE)"
            )
        subject = _SUBJECTS[kind](request, progress)
        boots: list[Boot] = []
        with (
            recording(self.name, subject.name, request.command) as record,
            record.begin(lambda: _found(subject, boots)),
        ):
            for boot in subject.boots(request.boots, record.folder, progress):
                boots.append(boot)
        return record.run


def _found(subject: BootSubject, boots: Sequence[Boot]) -> Found:
    head = subject.head()
    metrics: tuple[Metric, ...] = ()
    if boots:
        metrics = (*metrics_of(boots), *counted_metrics(boots), *subject.metrics)
    total = next((metric for metric in metrics if metric.name == "boot.total"), None)
    verdicts: tuple[Verdict, ...] = ()
    if total is not None and subject.budget_s is not None:
        verdicts = (judge(total, subject.budget_s, head.evidence, subject.margin),)
    return Found(
        head,
        metrics=metrics,
        boots=tuple(boots),
        notes=subject.notes(),
        verdicts=verdicts,
        step=f"boot {len(boots) + 1}",
    )


STUDY = BootStudy()
