# SPDX-License-Identifier: Apache-2.0
"""Earlier runs of a profile: their metrics need not be measured again, and they tell host times."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import islice

from perfboard.measures.base import Finding
from perfboard.measures.loop import key_of
from perfboard.model.errors import UsageError
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.results.profile import OptionRow, ProfileResult
from perfboard.model.run import Run
from perfboard.store.index import list_runs
from perfboard.store.reading import load_run
from perfboard.store.recording import Subject

# The runs that are looked through, the newest first.
_MOST = 20


@dataclass(frozen=True)
class EarlierRun:
    """The findings of each item that a run measured, by `Item.key`, and its options."""

    run: str
    found: dict[str, Finding] = field(default_factory=dict)
    host_s: dict[str, float] = field(default_factory=dict)
    options: dict[str, OptionRow] = field(default_factory=dict)
    image: dict[str, str] = field(default_factory=dict)

    def fits(self, image: Mapping[str, str]) -> bool:
        """Whether what both runs know of their images, by their hashes, is the same."""
        return all(image.get(name, known) == known for name, known in self.image.items())


def keep(profile: str, source: str, subject: Subject) -> EarlierRun:
    """The newest run of the profile on that board, whether or not it came to its end.

    Its options are kept only if the profile's file is still the same, by its hash `source`.
    Raises UsageError if there is none, or if it was of another set-up.
    """
    for run, result in islice(_earlier(profile, subject.board.name), 1):
        _check(run, subject)
        tried = [each for each in result.options if each.outcome != "not measured"]
        options = {each.name: each for each in tried} if result.source == source else {}
        found, host_s = {}, {}
        for measures in run.results_of(MeasuresResult):
            for place, each in enumerate(measures.measurements):
                if each.reason:
                    continue
                own = (metric for metric in run.metrics if metric.measurement == place)
                # The processes are those of the other run.
                metrics = tuple(m.model_copy(update={"processes": ()}) for m in own)
                key = key_of(each.measure, each.parameters)
                # Its metrics have the labels of its parameters already.
                found[key] = Finding(metrics, absent=each.absent, blocks=each.blocks)
                host_s[key] = float(each.host_s)
        return EarlierRun(run.id, found, host_s, options, run.provenance.image)
    raise UsageError(
        f"--resume: there is no earlier run of {profile} on {subject.board.name}; omit --resume"
    )


def host_times(profile: str, board: str) -> dict[str, float]:
    """The seconds that each item took on this host, by `Item.key`, as the newest runs tell."""
    found: dict[str, float] = {}
    for run, _ in islice(_earlier(profile, board), _MOST):
        for measures in run.results_of(MeasuresResult):
            for each in measures.measurements:
                if not each.reason:
                    found.setdefault(key_of(each.measure, each.parameters), float(each.host_s))
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
    """Raises UsageError for a run that is not of the same machine, as far as both are known."""
    facts = subject.board.facts
    own = subject.board.timed_as
    its = run.board.timed_as
    pairs = (
        ("target", run.target, subject.target),
        ("evidence", run.evidence.value, subject.evidence.value),
        ("factors", str(run.factors), str(dict(subject.levels))),
        ("timing model", its and its.model, own and own.model),
        ("version of Perfboard", run.provenance.perfboard, version("perfboard")),
        ("machine", run.board.title, subject.board.title),
        *((name, run.board.facts.get(name, "unknown"), value) for name, value in facts.items()),
    )
    for what, before, now in pairs:
        if before != now:
            raise UsageError(
                f"--resume: {run.id} is of other {what}: {before}, and now {now}; omit --resume"
            )
