# SPDX-License-Identifier: Apache-2.0
"""Earlier runs of a profile: their metrics need not be measured again, and they tell host times."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from perfboard.measures.base import Finding
from perfboard.measures.loop import key_of
from perfboard.model.errors import UsageError
from perfboard.model.results.profile import OptionRow, ProfileResult
from perfboard.model.run import Run
from perfboard.store.index import list_runs
from perfboard.store.reading import load_run
from perfboard.store.recording import Subject

# The runs that are looked through, the newest first.
_MOST = 20


@dataclass(frozen=True)
class Kept:
    """The findings of each item that a run measured, by `Item.key`, and its options."""

    run: str
    found: dict[str, Finding] = field(default_factory=dict)
    host_s: dict[str, float] = field(default_factory=dict)
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
        found, host_s, at, left = {}, {}, 0, list(result.films)
        for task in result.tasks:
            key = key_of(task.workload, task.parameters)
            metrics = run.metrics[at : at + task.metrics]
            # The record does not say which of a measure's items they are of.
            films = tuple(film for film in left if film.workload == task.workload)
            left = [film for film in left if film.workload != task.workload]
            found[key] = Finding(metrics, absent=task.absent, films=films)
            host_s[key] = float(task.host_s)
            at += task.metrics
        return Kept(run.id, found, host_s, options)
    raise UsageError(
        f"--resume: there is no earlier run of {profile} on {subject.board.name}; omit --resume"
    )


def host_times(profile: str, board: str) -> dict[str, float]:
    """The seconds that each item took on this host, by `Item.key`, as the newest runs tell."""
    found: dict[str, float] = {}
    for _, result in islice(_earlier(profile, board), _MOST):
        for task in result.tasks:
            found.setdefault(key_of(task.workload, task.parameters), float(task.host_s))
    return found


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
