# SPDX-License-Identifier: Apache-2.0
"""The needs of a measure, in words for people."""

from collections.abc import Iterator

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import EXACT, Measure, Setting
from perfboard.measures.probe.probes import Probe


def needs_of(measure: Measure) -> list[str]:
    """Each need as a phrase: the measure's own, and those of its job at the defaults."""
    return list(_needs(measure))


def _needs(measure: Measure) -> Iterator[str]:
    if isinstance(measure, Probe):
        yield "the probe's server, on the board's own system"
    if measure.boots:
        yield "a board that can be reset: virtual, or on a serial line or in a labgrid place"
    yield from measure.needs
    try:
        job = measure.job(Setting(measure.defaults(), EXACT))
    except NotMeasurable as error:
        yield f"parameters: {error}"
        return
    if job is not None:
        yield from _needs_of_job(job)


def _needs_of_job(job: Job) -> Iterator[str]:
    if job.programs:
        yield f"on a live target, programs: {', '.join(job.programs)}"
    if job.packages:
        yield f"on a virtual board, Debian's packages: {', '.join(job.packages)}"
    if job.features:
        yield f"on a virtual board, features of its kernel: {', '.join(job.features)}"
    if job.network or job.pages:
        yield "a network"
    if job.display:
        yield "a display of its own, in memory"
    if job.disk:
        yield f"{job.disk / 1e6:.1f} MB of a disk"
    if job.writes:
        yield f"writes {job.writes / 1e6:.0f} MB in all"
