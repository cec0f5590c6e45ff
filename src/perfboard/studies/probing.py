# SPDX-License-Identifier: Apache-2.0
"""Runs probes on a live target, and makes a run of them."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from perfboard.analysis.statistics.summary import REPEATS
from perfboard.bench.lab import Lab
from perfboard.bench.request import Request
from perfboard.binaries.applets import all_applets
from perfboard.factors.choose import perturbations
from perfboard.measures.probe.conditions import Conditions, condition_notes, read_conditions
from perfboard.measures.probe.rounds import FACTS, Measuring, Plan
from perfboard.model.errors import INCONCLUSIVE, TargetError, UsageError
from perfboard.model.options import option, parse_cpu, parse_seconds
from perfboard.model.results.probes import ProbeResult
from perfboard.model.run import BoardSummary, Evidence, Run, RunError
from perfboard.model.text import nearest
from perfboard.probes.session import Session
from perfboard.store.recording import Found, Subject
from perfboard.targets.base import Target

# Facts of the probe system.facts that name a board: the first one that is there.
NAMING_FACTS = ("board", "product", "processor")


@dataclass(frozen=True)
class BudgetOptions:
    """The options of all that runs probes."""

    budget: float = option(
        60.0,
        "the time that all probes together may take on the target (default: 60)",
        parse=parse_seconds,
        metavar="SECONDS",
    )


@dataclass(frozen=True)
class StandardOptions(BudgetOptions):
    """The options of `perfboard study standard`, and of `perfboard measure`."""

    cpu: int | None = option(
        None,
        "the CPU of the target that probes run on (default: the last of the fastest)",
        parse=parse_cpu,
        metavar="N",
    )


def measure_target(
    study: str, request: Request, probes: Sequence[str], options: StandardOptions, lab: Lab
) -> Run:
    """Runs `probes`, or all where none are named, and stores the run under the name `study`.

    A run that failed or was interrupted is stored too, with what it measured. Raises
    PerfboardError for what is wrong before the first probe runs.
    """
    _check(probes)
    with lab.record(study, request.place, request.command, "") as record:
        artifacts = record.folder.artifact_path("console.log").parent
        with lab.open(request.target, lab.progress, artifacts, request.factors) as target:
            virtual = target.evidence in REPEATS
            notes = list(target.notes)
            # Nothing holds a virtual board back. A console has one program at a time: the
            # target's conditions are read before the probe is started, and after it has ended.
            before = None if virtual else read_conditions(target.shell)
            complete = False
            with lab.probe(target, lab.progress) as session:
                known = {applet.name: applet for applet in session.applets()}
                applets = [known[name] for name in dict.fromkeys(probes or known)]
                measuring = Measuring(session, applets, Plan(options.budget, virtual), lab.clock)
                if options.cpu is not None:
                    measuring.pin(options.cpu)
                with (
                    record.begin(lambda: _found(request, target, session, measuring, notes)),
                    lab.progress.step("measuring", options.budget) as step,
                ):
                    # A probe that was asked for may do that itself.
                    if all(applet.name != FACTS for applet in applets):
                        measuring.describe()
                    notes.append(measuring.run(step))
                    complete = True
            if before is not None:
                after = _conditions_after(target) if complete else None
                notes += condition_notes(before, after, measuring.merger.processes)
    return record.run


def _conditions_after(target: Target) -> Conditions | None:
    """The target's conditions once all is measured; None if it does not answer any more."""
    with suppress(TargetError):
        return read_conditions(target.shell)
    return None


def _found(
    request: Request, target: Target, session: Session, measuring: Measuring, notes: Sequence[str]
) -> Found:
    merger = measuring.merger
    metrics = merger.metrics()
    errors: tuple[RunError, ...] = ()
    # The facts of a target are no metrics.
    only_facts = all(one.probe == FACTS and not one.refused for one in merger.processes)
    if not metrics and not (only_facts and merger.facts):
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
            _board(request, target, session, merger.facts),
            target.name,
            target.evidence,
            levels=target.factors,
            perturbed=perturbations(target.factors),
            tools=target.tools,
            image=target.image,
            packages=target.packages,
        ),
        metrics=metrics,
        results=(ProbeResult(processes=tuple(merger.processes)),),
        notes=tuple(notes),
        errors=errors,
        step=measuring.place,
    )


def _board(
    request: Request, target: Target, session: Session, facts: Mapping[str, str]
) -> BoardSummary:
    if target.board is not None:
        known = target.board
        return known.model_copy(update={"facts": {**facts, **known.facts}})
    return request.summary(
        title=next((facts[name] for name in NAMING_FACTS if name in facts), session.machine),
        description=f"A machine that calls itself {session.machine}, measured by the probe for "
        f"{session.arch}.",
        facts=facts,
    )


def _check(probes: Sequence[str]) -> None:
    known = [applet.name for applet in all_applets()]
    for probe in probes:
        if probe not in known:
            raise UsageError(
                f'there is no probe "{probe}"{nearest(probe, known)} The probes are: '
                f"{', '.join(known)}"
            )
