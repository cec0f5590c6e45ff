# SPDX-License-Identifier: Apache-2.0
"""Earlier runs of a profile: their metrics need not be measured again, and they tell host times."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from perfboard.model.errors import UsageError
from perfboard.model.results.profile import Film, OptionRow, ProfileResult
from perfboard.model.run import Metric, Run
from perfboard.store.index import list_runs
from perfboard.store.reading import load_run
from perfboard.store.recording import Subject
from perfboard.studies.profile.tasks import key_of

# The runs that are looked through, the newest first.
_MOST = 20


@dataclass(frozen=True)
class Kept:
    """The metrics of each task that a run measured, by `Task.key`, its films and its options.

    `absent` has the reasons why a task gave none of a metric, by its key and the metric's name.
    """

    run: str
    metrics: dict[str, tuple[Metric, ...]] = field(default_factory=dict)
    host_s: dict[str, float] = field(default_factory=dict)
    films: tuple[Film, ...] = ()
    absent: dict[tuple[str, str], str] = field(default_factory=dict)
    options: dict[str, OptionRow] = field(default_factory=dict)


def keep(profile: str, source: str, subject: Subject) -> Kept:
    """The newest run of the profile on that board, whether or not it came to its end.

    Its options are kept only if the profile's file is still the same, by its hash `source`.
    Raises UsageError if there is none, or if it was of another set-up.
    """
    for run, result in islice(_earlier(profile, subject.board.name), 1):
        _check(run, subject)
        tried = [each for each in result.options if each.outcome != "not measured"]
        options = {each.name: each for each in tried} if result.source == source else {}
        metrics, host_s, at = {}, {}, 0
        absent: dict[tuple[str, str], str] = {}
        for task in result.tasks:
            key = key_of(task.workload, task.parameters)
            metrics[key] = run.metrics[at : at + task.metrics]
            host_s[key] = float(task.host_s)
            absent |= {(key, name): reason for name, reason in task.absent.items()}
            at += task.metrics
        return Kept(run.id, metrics, host_s, result.films, absent, options)
    raise UsageError(
        f"--resume: there is no earlier run of {profile} on {subject.board.name}; omit --resume"
    )


def host_times(profile: str, board: str) -> dict[str, float]:
    """The seconds that each task took on this host, by `Task.key`, as the newest runs tell."""
    found: dict[str, float] = {}
    for _, result in islice(_earlier(profile, board), _MOST):
        for task in result.tasks:
            found.setdefault(key_of(task.workload, task.parameters), float(task.host_s))
    return found


def estimate(keys: Sequence[str], times: dict[str, float]) -> str:
    """How long these tasks take, in words."""
    known = [times[key] for key in keys if key in times]
    if not known:
        return "no earlier run tells how long"
    seconds = sum(known)
    words = f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
    return f"about {words} left" if len(known) == len(keys) else f"more than {words} left"


def _earlier(profile: str, board: str) -> Iterator[tuple[Run, ProfileResult]]:
    for row in list_runs():
        if row.study != "profile" or row.board != board:
            continue
        try:
            run = load_run(row.path)
        except UsageError:
            # A run that was damaged since tells nothing.
            continue
        for result in run.results_of(ProfileResult):
            if result.profile == profile:
                yield run, result


def _check(run: Run, subject: Subject) -> None:
    own = subject.board.timed_as
    its = run.board.timed_as
    pairs = (
        ("target", run.target, subject.target),
        ("evidence", run.evidence.value, subject.evidence.value),
        ("factors", str(run.factors), str(dict(subject.levels))),
        ("timing model", its and its.model, own and own.model),
    )
    for what, before, now in pairs:
        if before != now:
            raise UsageError(
                f"--resume: {run.id} is of other {what}: {before}, and now {now}; omit --resume"
            )
