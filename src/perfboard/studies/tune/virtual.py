# SPDX-License-Identifier: Apache-2.0
"""A tune's virtual board: its boots repeat, so that one is a measurement."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Event

from perfboard.bench.boot.virtual import marks_to_watch
from perfboard.bench.lab import Lab
from perfboard.bench.request import virtual_target
from perfboard.model.results.boot import Boot
from perfboard.model.run import BoardSummary, RunError
from perfboard.store.folder import RunFolder
from perfboard.studies.tune.bench import Proof
from perfboard.studies.tune.dask import distributed_workers
from perfboard.studies.tune.flash import flash_bandwidths
from perfboard.studies.tune.plan import TunePlan
from perfboard.studies.tune.pool import Make, Note, as_they_end, local_workers
from perfboard.studies.tune.sweep import Sweep
from perfboard.targets.virtual.target import Emulation, VirtualTarget


class VirtualTuneBench:
    """See `bench.Bench`."""

    def __init__(self, plan: TunePlan, scheduler: str, lab: Lab) -> None:
        """`scheduler` is the address of a Dask scheduler whose workers make the tries, or ""."""
        self._plan, self._scheduler, self._lab = plan, scheduler, lab
        self._virtual = Emulation(plan.baseline)
        self._emulator = plan.board.machine.emulator
        self.name = plan.board.name
        self.target = virtual_target(self.name)
        self.evidence = self._virtual.evidence
        self.tools: Mapping[str, str] = {self._emulator: lab.emulator(self._emulator)}

    @contextmanager
    def making(self, note: Note) -> Iterator[Make]:
        with (
            distributed_workers(self._scheduler, self._emulator, note)
            if self._scheduler
            else local_workers(self._lab, note)
        ) as submit:
            yield as_they_end(submit)

    def prove(self, sweep: Sweep, folder: RunFolder) -> Proof:
        """See `bench.Bench`. The image is booted whatever boot of it was kept."""
        boot = _prove(sweep, folder, self._lab)
        metrics, problems = flash_bandwidths(self._plan, self._lab)
        return Proof((boot,), _repeats(sweep, boot), tuple(metrics), tuple(problems))

    def summary(self) -> BoardSummary:
        return self._virtual.summary()

    def notes(self) -> tuple[str, ...]:
        return self._virtual.notes()


def _prove(sweep: Sweep, folder: RunFolder, lab: Lab) -> Boot:
    variant = sweep.plan.variant(sweep.best())
    image = lab.build(variant, lab.progress)
    target = VirtualTarget(variant, image)
    marks = marks_to_watch(target.board, image)
    artifacts = folder.artifact_path("boot-1/console.log").parent
    with lab.progress.step("proving the best", 1) as step:
        scope = target.scope(lab.scope(target.board.network, lab.progress), marks)
        boot, _ = lab.boot(target, [scope], artifacts, lambda name: step.update(0.5, name), Event())
    return boot


def _repeats(sweep: Sweep, proof: Boot) -> tuple[RunError, ...]:
    before = sweep.results[sweep.best()].boot
    if before is None or before.marks == proof.marks:
        return ()
    message = "The best combination, booted again, has other marks: a virtual board is to repeat."
    return (RunError(kind="no-repeat", message=message),)
