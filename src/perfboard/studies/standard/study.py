# SPDX-License-Identifier: Apache-2.0
"""The standard measurements of study A (2002), and study B's of processor and memory."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from perfboard.analysis.statistics.summary import REPEATS
from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.model.errors import INCONCLUSIVE, PerfboardError, UsageError
from perfboard.model.progress import Progress, SilentProgress
from perfboard.model.run import BoardSummary, Evidence, Run, RunError
from perfboard.probes.plan import FACTS, Measuring, Plan
from perfboard.probes.records import Applet
from perfboard.probes.session import ProbeSession
from perfboard.store.recording import Found, Subject, recording
from perfboard.studies.base import Request, place_of
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
    with recording(study, place_of(request.target), request.command) as record:
        artifacts = record.folder.artifact_path("console.log").parent
        with (
            open_target(request.target, progress, artifacts, request.factors) as target,
            ProbeSession(target, progress) as session,
        ):
            applets = _choose(session.applets(), probes)
            virtual = target.evidence in REPEATS
            measuring = Measuring(session, applets, Plan(request.budget_s, virtual))
            if request.cpu is not None:
                measuring.pin(request.cpu)
            notes = list(target.notes)
            with (
                record.begin(lambda: _found(target, session, measuring, notes)),
                progress.step("measuring", request.budget_s) as step,
            ):
                # A probe that was asked for may do that itself.
                if all(applet.name != FACTS for applet in applets):
                    measuring.describe()
                notes.append(measuring.run(step))
    return record.run


def _found(
    target: Target, session: ProbeSession, measuring: Measuring, notes: Sequence[str]
) -> Found:
    merger = measuring.merger
    metrics = merger.metrics()
    errors: tuple[RunError, ...] = ()
    if not metrics:
        refused = {one.refused: None for one in merger.processes}
        message = f"No probe has measured anything: {' '.join(filter(None, refused))}"
        errors = (RunError(kind=INCONCLUSIVE, message=message),)
    hypervisor = merger.facts.get("hypervisor")
    if hypervisor and target.evidence is Evidence.SILICON:
        notes = (
            *notes,
            f"The target says that it is a virtual machine (hypervisor: {hypervisor}): what is "
            "called a real board's here is what its host gives it.",
        )
    return Found(
        Subject(
            _board(target, session, merger.facts),
            target.name,
            target.evidence,
            levels=target.factors,
            tools=target.tools,
            image=target.image,
            packages=target.packages,
        ),
        metrics=metrics,
        processes=tuple(merger.processes),
        notes=tuple(notes),
        errors=errors,
        step=measuring.place,
    )


def _board(target: Target, session: ProbeSession, facts: Mapping[str, str]) -> BoardSummary:
    if target.board is not None:
        known = target.board
        return known.model_copy(update={"facts": {**facts, **known.facts}})
    return BoardSummary(
        name=place_of(target.name),
        title=next((facts[name] for name in NAMING_FACTS if name in facts), session.machine),
        description=f"A machine that calls itself {session.machine}, measured by the probe for "
        f"{session.arch}.",
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
