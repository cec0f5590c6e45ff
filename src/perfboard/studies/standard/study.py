# SPDX-License-Identifier: Apache-2.0
"""The standard measurements of study A (2002), and study B's of processor and memory."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from perfboard.analysis.statistics.summary import REPEATS
from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.model.errors import (
    INCONCLUSIVE,
    EnvironmentLacksError,
    PerfboardError,
    UsageError,
)
from perfboard.model.progress import Progress, SilentProgress
from perfboard.model.run import BoardSummary, Evidence, Run, RunError, Status
from perfboard.probes.plan import FACTS, Measuring, Plan
from perfboard.probes.records import Applet
from perfboard.probes.session import ProbeSession
from perfboard.store.folder import new_run
from perfboard.studies.base import Request, place_of, provenance
from perfboard.targets.base import Target
from perfboard.targets.opening import open_target

# Of what the probe's system.facts says, what names a board: the first that it gives.
NAMING_FACTS = ("board", "product", "processor")


@dataclass(frozen=True)
class StandardStudy:
    """Runs every probe on a live target."""

    name: str = "standard"
    title: str = "Standard measurements"
    question: str = "What are the memory, the kernel and the processor of this board capable of?"
    default_target: str = "local"
    # A virtual board has factors of its own; the study boot lists them.
    factors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def run(self, request: Request, progress: Progress) -> Run:
        """See `studies.base.Study`."""
        return measure_target(self.name, request, (), progress)


def measure_target(study: str, request: Request, probes: Sequence[str], progress: Progress) -> Run:
    """Runs `probes`, or all where none are named, and stores the run under the name `study`.

    A run that failed or was interrupted is stored too, with what it measured. Raises
    PerfboardError for what is wrong before the first probe runs.
    """
    if probes and request.target != "local":
        _check_here(probes, progress)
    started = datetime.now(UTC)
    folder = new_run(study, place_of(request.target))
    measured: _Measured | None = None
    try:
        artifacts = folder.artifact_path("console.log").parent
        with (
            open_target(request.target, progress, artifacts, request.factors) as target,
            ProbeSession(target, progress) as session,
        ):
            applets = _choose(session.applets(), probes)
            virtual = target.evidence in REPEATS
            measuring = Measuring(session, applets, Plan(request.budget_s, virtual))
            if request.cpu is not None:
                measuring.pin(request.cpu)
            measured = _Measured(target, session.machine, session.arch, measuring)
            described = any(applet.name == FACTS for applet in applets)
            measured.run(request.budget_s, progress, describe=not described)
    except BaseException as error:
        if measured is None:
            folder.discard()
            raise
        measured.end(error)
    run = measured.record(folder.id, study, request, started)
    folder.finish(run)
    return run


class _Measured:
    """What was measured of a target, and how that ended."""

    def __init__(self, target: Target, machine: str, arch: str, measuring: Measuring) -> None:
        self._target = target
        self._machine = machine
        self._arch = arch
        self._measuring = measuring
        self._notes = list(target.notes)
        self._errors: list[RunError] = []
        self._status = Status.COMPLETE

    def run(self, budget_s: float, progress: Progress, describe: bool) -> None:
        """Runs the plan. What ends it early is kept, not raised.

        First the target is to `describe` itself, where no probe that was asked for does that.
        """
        try:
            with progress.step("measuring", budget_s) as step:
                if describe:
                    self._measuring.describe()
                self._notes.append(self._measuring.run(step))
            if not self._measuring.merger.metrics():
                refused = {one.refused: None for one in self._measuring.merger.processes}
                message = f"No probe has measured anything: {' '.join(filter(None, refused))}"
                self._errors.append(RunError(kind=INCONCLUSIVE, message=message))
        except (PerfboardError, OSError, KeyboardInterrupt) as error:
            self.end(error)

    def end(self, error: BaseException) -> None:
        """Takes down what ended the run, if nothing has before. Raises what is a defect."""
        where = self._measuring.place
        if isinstance(error, KeyboardInterrupt):
            status = Status.ABORTED
            failure = RunError(kind="interrupted", message=f"Interrupted in {where}.")
        elif isinstance(error, (PerfboardError, OSError)):
            # Of this machine a disk may be full: that costs nothing that was measured.
            kind = error.kind if isinstance(error, PerfboardError) else EnvironmentLacksError.kind
            status = Status.FAILED
            failure = RunError(kind=kind, message=f"In {where}: {error}")
        else:
            raise error
        if not self._errors:
            self._status, self._errors = status, [failure]

    def record(self, id: str, study: str, request: Request, started: datetime) -> Run:
        """The run. A run's first error is what ended it."""
        target, merger = self._target, self._measuring.merger
        hypervisor = merger.facts.get("hypervisor")
        if hypervisor and target.evidence is Evidence.SILICON:
            self._notes.append(
                f"The target says that it is a virtual machine (hypervisor: {hypervisor}): what is "
                "called a real board's here is what its host gives it."
            )
        return Run(
            id=id,
            study=study,
            board=self._board(merger.facts),
            target=target.name,
            evidence=target.evidence,
            status=self._status,
            started=started,
            finished=datetime.now(UTC),
            factors=dict(target.factors),
            provenance=provenance(
                request.command, target.tools, target.image, target.packages, self._notes
            ),
            metrics=merger.metrics(),
            processes=tuple(merger.processes),
            errors=tuple(self._errors),
        )

    def _board(self, facts: Mapping[str, str]) -> BoardSummary:
        known = self._target.board
        if known is not None:
            return known.model_copy(update={"facts": {**facts, **known.facts}})
        return BoardSummary(
            name=place_of(self._target.name),
            title=next((facts[name] for name in NAMING_FACTS if name in facts), self._machine),
            description=f"A machine that calls itself {self._machine}, measured by the probe "
            f"for {self._arch}.",
            facts=dict(facts),
        )


def own_applets(progress: Progress) -> tuple[Applet, ...]:
    """The probes that this machine's binary has. Raises as `ProbeSession` does."""
    find_binary(architecture_of(platform.machine()), progress)
    # What goes into a folder of this machine for that is copied to no target.
    silent = SilentProgress()
    with open_target("local", silent) as here, ProbeSession(here, silent) as session:
        return session.applets()


def _check_here(probes: Sequence[str], progress: Progress) -> None:
    # A virtual board takes a minute to say that it has no such probe.
    try:
        applets = own_applets(progress)
    except PerfboardError:
        # There need be none for this machine; the target's list is looked at in any case.
        return
    _choose(applets, probes)


def _choose(applets: Sequence[Applet], probes: Sequence[str]) -> list[Applet]:
    known = {applet.name: applet for applet in applets}
    unknown = [probe for probe in probes if probe not in known]
    if unknown:
        raise UsageError(f"there is no probe {', '.join(unknown)}; there are: {', '.join(known)}")
    return [known[probe] for probe in dict.fromkeys(probes)] if probes else list(applets)


STUDY = StandardStudy()
