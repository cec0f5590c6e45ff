# SPDX-License-Identifier: Apache-2.0
"""`perfboard tune boot`: tries what makes a board boot faster, ranks it, and proves the best."""

from collections.abc import Iterator
from datetime import UTC, datetime
from math import inf
from threading import Event

from perfboard.analysis.tuning import (
    BASELINE,
    Combination,
    allowed,
    best_of,
    changed,
    narrowed,
)
from perfboard.analysis.tuning_search import search
from perfboard.images.factors import recipe_of
from perfboard.images.image import build_image
from perfboard.instruments.scope import build_plugin
from perfboard.model.errors import PerfboardError, UsageError
from perfboard.model.progress import Progress
from perfboard.model.run import Boot, Metric, Run, RunError, Status
from perfboard.model.units import format_size
from perfboard.store.folder import RunFolder, disk_errors, new_run
from perfboard.studies.base import provenance
from perfboard.studies.boot_virtual import marks_to_watch
from perfboard.studies.booting import boot_once
from perfboard.studies.tuning_dask import distributed_workers
from perfboard.studies.tuning_flash import flash_bandwidths
from perfboard.studies.tuning_plan import Plan, TuneRequest, check_smallest, check_tools, make_plan
from perfboard.studies.tuning_pool import Submit, local_workers
from perfboard.studies.tuning_progress import TuneStep
from perfboard.studies.tuning_record import record, steps_to
from perfboard.studies.tuning_sweep import Sweep
from perfboard.targets.emulator import emulator_version
from perfboard.targets.virtual import VirtualBoard, VirtualTarget

NAME = "tune-boot"
# Less to read pays where reading is slow, and code that stays in flash where it is cached. A
# larger block is compressed better, and more of it is read that nobody asked for.
_MEET = (("compression", "flash"), ("kernel", "flash"), ("root", "flash"), ("root", "block"))


def tune_boot(request: TuneRequest, progress: Progress) -> Run:
    """Tries the levels of the board's factors, and stores and returns the run.

    Raises PerfboardError for what is wrong before anything is built. A sweep that is interrupted,
    or for which this machine fails, is stored with what it has; made again, it takes the boots
    that there are from the cache.
    """
    plan = make_plan(request)
    program = plan.loaded.board.machine.emulator
    emulator = emulator_version(program)
    if request.scheduler is None:
        check_tools(plan)
    virtual = VirtualBoard(plan.loaded.board, plan.baseline)
    sweep = Sweep(plan)
    started = datetime.now(UTC)
    folder = new_run(NAME, plan.loaded.board.name)
    errors: list[RunError] = []
    status = Status.COMPLETE
    proof: tuple[Boot, ...] = ()
    flash: list[Metric] = []
    problems: list[str] = []
    try:
        with progress.step(f"tuning {plan.loaded.board.name}", inf) as step:
            told = TuneStep(step)
            makers = (
                local_workers(told.note)
                if request.scheduler is None
                else distributed_workers(request.scheduler, program, told.note)
            )
            with makers as submit:
                _try_all(sweep, submit, told)
        proof = (_prove(sweep, folder, progress),)
        errors += _repeats(sweep, proof[0])
        flash, problems = flash_bandwidths(plan, progress)
    except PerfboardError as error:
        status = Status.FAILED
        errors.append(RunError(kind=error.kind, message=str(error)))
    except KeyboardInterrupt:
        status = Status.ABORTED
        message = (
            f"Interrupted after {len(sweep.known)} tries, which are kept: run it again to go on."
        )
        errors.append(RunError(kind="interrupted", message=message))
    run = record(
        request,
        sweep,
        Run(
            id=folder.id,
            study=NAME,
            board=virtual.summary(),
            target=f"virtual:{plan.loaded.board.name}",
            evidence=virtual.evidence,
            status=status,
            started=started,
            finished=datetime.now(UTC),
            factors=plan.baseline,
            provenance=provenance(
                request.command, {program: emulator}, notes=(*virtual.notes(), *problems)
            ),
            boots=proof,
            metrics=tuple(flash),
            errors=tuple(errors),
        ),
    )
    _, _, places = sweep.recorded()
    for combination, place in places.items():
        made = sweep.attempts[combination]
        if made.console:
            folder.write_artifact(f"try-{place + 1}/console.log", made.console)
    folder.finish(run)
    return run


def _try_all(sweep: Sweep, submit: Submit, step: TuneStep) -> None:
    """The baseline, each level alone, then combinations, then the steps to the best."""
    alone, space = sweep.plan.alone, sweep.space
    meeting, steps = dict.fromkeys(_interactions(sweep.plan)), len(space.levels)
    later = min(space.most, space.count) + steps
    sweep.make([BASELINE], "alone", submit, step, later + len(meeting) + len(alone))
    _check_baseline(sweep)
    if space.max_flash is not None:
        sizes = sweep.sizes(alone, submit, step, later + len(meeting) + len(alone))
        check_smallest(sweep.plan, sizes)
    sweep.make(alone, "alone", submit, step, later + len(meeting))
    sweep.make(meeting, "together", submit, step, later)
    sweep.space = space = narrowed(space, sweep.known)
    most = min(space.most, space.count)
    for batch in search(space, sweep.known):
        most = max(0, most - len(batch))
        sweep.make(batch, "together", submit, step, most + steps)
    best = best_of(space, sweep.known)
    if best is None:
        raise UsageError(_nothing_fits(sweep))
    possible = [each for each in steps_to(sweep.known, best) if space.possible(each)]
    sweep.make(possible, "order", submit, step)


def _check_baseline(sweep: Sweep) -> None:
    """Raises why the baseline does not boot, or why a limit cannot be told."""
    base = sweep.known[BASELINE]
    if base is None:
        made = sweep.attempts[BASELINE]
        does = "build" if made.outcome == "not-built" else "boot"
        raise made.error(f"The baseline does not {does}")
    if sweep.space.max_ram is not None and base.ram is None:
        raise UsageError(
            "--max-ram: how much memory the baseline uses is not known, since that can be told of "
            "32-bit kernels with a System.map alone; give image.kernel.system_map, or leave it out"
        )


def _interactions(plan: Plan) -> Iterator[Combination]:
    """Levels of two factors of which it is known that they change what the other does.

    Also such as may not be in the best, which are tried alone.
    """
    tried = [item for each in plan.alone for item in each]
    found = {
        factor: [*levels, *(level for name, level in tried if name == factor)]
        for factor, levels in plan.space.levels.items()
    }
    for one, other in _MEET:
        for first in found.get(one, ()):
            for second in found.get(other, ()):
                both = changed(changed(BASELINE, one, first), other, second)
                if plan.space.possible(both):
                    yield both


def _nothing_fits(sweep: Sweep) -> str:
    space = sweep.space
    limits = [
        f"--max-{name} {format_size(limit)}"
        for name, limit in (("flash", space.max_flash), ("ram", space.max_ram))
        if limit is not None
    ]
    fit = [m for c, m in sweep.known.items() if m is not None and allowed(space, c)]
    least = [f"{format_size(min(m.flash for m in fit))} of flash"] if fit else []
    rams = [m.ram for m in fit if m.ram is not None]
    least += [f"{format_size(min(rams))} of memory"] if rams else []
    return (
        f"No combination that was tried holds {' and '.join(limits) or 'the levels kept'}; the "
        f"least that they take is {' and '.join(least) or 'not known'}. Allow more."
    )


def _prove(sweep: Sweep, folder: RunFolder, progress: Progress) -> Boot:
    """The best combination, booted once more and from nothing that was kept."""
    plan = sweep.plan
    best = best_of(sweep.space, sweep.known)
    assert best is not None  # noqa: S101 - else the search has raised
    levels = plan.levels(best)
    image = build_image(plan.loaded, levels, progress)
    target = VirtualTarget(recipe_of(plan.loaded.board, levels).board, image, levels)
    marks = marks_to_watch(target.board, image)
    artifacts = folder.artifact_path("boot-1/console.log").parent
    with progress.step("proving the best", 1) as step, disk_errors(artifacts):
        plugin = build_plugin(progress)
        boot, _ = boot_once(
            target, image, plugin, marks, artifacts, lambda name: step.update(0.5, name), Event()
        )
    return boot


def _repeats(sweep: Sweep, proof: Boot) -> list[RunError]:
    best = best_of(sweep.space, sweep.known)
    before = sweep.attempts[best].boot if best is not None else None
    if before is None or before.marks == proof.marks:
        return []
    message = "The best combination, booted again, has other marks: a virtual board is to repeat."
    return [RunError(kind="no-repeat", message=message)]
