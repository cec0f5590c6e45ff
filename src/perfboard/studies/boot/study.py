# SPDX-License-Identifier: Apache-2.0
"""Study E (2009): where the time goes between reset and a usable system."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from perfboard.analysis.boot.metrics import counted_metrics, metrics_of
from perfboard.analysis.statistics.summary import judge
from perfboard.boards.loader import load_board
from perfboard.factors.choose import factors_of
from perfboard.model.errors import PerfboardError, UsageError
from perfboard.model.progress import Progress
from perfboard.model.run import Boot, Metric, Run, RunError, Status, Verdict
from perfboard.store.folder import new_run
from perfboard.studies.base import Request, provenance
from perfboard.studies.boot.serial import serial_subject
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
        return factors_of(load_board(self.default_target.partition(":")[2]).board)

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
        started = datetime.now(UTC)
        folder = new_run(self.name, subject.name)
        boots: list[Boot] = []
        errors: list[RunError] = []
        status = Status.COMPLETE
        try:
            for boot in subject.boots(request.boots, folder, progress):
                boots.append(boot)
        except PerfboardError as error:
            status = Status.FAILED
            errors.append(RunError(kind=error.kind, message=str(error)))
        except KeyboardInterrupt:
            status = Status.ABORTED
            errors.append(
                RunError(kind="interrupted", message=f"Interrupted in boot {len(boots) + 1}.")
            )
        metrics: tuple[Metric, ...] = ()
        if boots:
            metrics = (*metrics_of(boots), *counted_metrics(boots), *subject.metrics)
        total = next((metric for metric in metrics if metric.name == "boot.total"), None)
        verdicts: tuple[Verdict, ...] = ()
        if status is Status.COMPLETE and total is not None and subject.budget_s is not None:
            verdicts = (judge(total, subject.budget_s, subject.evidence, subject.margin),)
        run = Run(
            id=folder.id,
            study=self.name,
            board=subject.summary(),
            target=subject.target,
            evidence=subject.evidence,
            status=status,
            started=started,
            finished=datetime.now(UTC),
            factors=dict(subject.levels),
            provenance=provenance(
                request.command, subject.tools, subject.image, subject.packages, subject.notes
            ),
            metrics=metrics,
            boots=tuple(boots),
            verdicts=verdicts,
            errors=tuple(errors),
        )
        folder.finish(run)
        return run


STUDY = BootStudy()
