# SPDX-License-Identifier: Apache-2.0
"""Earlier runs of a profile: their metrics need not be measured again, and they tell host times."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from perfboard.measures.base import Finding
from perfboard.measures.loop import key_of
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.results.profile import OptionRow, ProfileResult
from perfboard.model.run import Run, Status
from perfboard.store.recording import Subject
from perfboard.studies.earlier import images_agree, is_of_setup, runs_on

# The runs that are looked through, the newest first.
_MOST = 20
# A run of a profile, and the verdicts of that profile.
Earlier = tuple[Run, ProfileResult]


@dataclass(frozen=True)
class EarlierRuns:
    """The findings of each item that runs measured, by `Item.key`, and the options that they tried.

    `runs` has the id of the run that an item was measured in. All of them had one `image`, by what
    they know of its hashes.
    """

    runs: dict[str, str] = field(default_factory=dict)
    found: dict[str, Finding] = field(default_factory=dict)
    host_s: dict[str, float] = field(default_factory=dict)
    options: dict[str, OptionRow] = field(default_factory=dict)
    image: dict[str, str] = field(default_factory=dict)

    def fits(self, image: Mapping[str, str]) -> bool:
        """Whether what is known of both images, by their hashes, is the same."""
        return images_agree(self.image, image)


def keep(earlier: Sequence[Earlier], source: str, subject: Subject, *, exact: bool) -> EarlierRuns:
    """All that the `earlier` runs of the profile measured on that board, in the same set-up.

    If the board repeats `exact`ly, all figures stay true. Any other one may have changed since:
    only its newest run is taken up, if that did not come to its end. Options are
    kept only if the profile's file is still the same, by its hash `source`.
    """
    kept = EarlierRuns()
    for run, result in earlier if exact else earlier[:1]:
        if not (exact or run.status is Status.ABORTED) or not _same(run, subject):
            continue
        if not kept.fits(run.provenance.image):
            # Its kernel is another one than that of a newer run.
            continue
        kept.image.update(run.provenance.image)
        parameters = (
            each.parameters for one in run.results_of(MeasuresResult) for each in one.measurements
        )
        if result.source == source and not any(each.get("files") for each in parameters):
            for tried in result.options:
                if tried.outcome != "not measured":
                    kept.options.setdefault(tried.name, tried)
        for measures in run.results_of(MeasuresResult):
            for place, each in enumerate(measures.measurements):
                key = key_of(each.measure, each.parameters)
                # A board that breaks down under the work does so again, if it repeats.
                # A file of the user's may be another one by now. A measure that was interrupted
                # has what it found until then, and no time.
                anew = each.parameters.get("files") or (each.reason and not (exact and each.failed))
                if key in kept.found or anew or not each.host_s:
                    continue
                own = (metric for metric in run.metrics if metric.measurement == place)
                # The processes are those of the other run.
                metrics = tuple(m.model_copy(update={"processes": ()}) for m in own)
                # Its metrics have the labels of its parameters already.
                kept.found[key] = Finding(
                    metrics,
                    absent=each.absent,
                    blocks=each.blocks,
                    reason=each.reason,
                    failed=each.failed,
                )
                kept.host_s[key] = float(each.host_s)
                kept.runs[key] = run.id
    return kept


def host_times(earlier: Sequence[Earlier]) -> dict[str, float]:
    """The seconds that each item took on this host, by `Item.key`, as those runs tell."""
    found: dict[str, float] = {}
    for run, _ in earlier:
        for measures in run.results_of(MeasuresResult):
            for each in measures.measurements:
                if not each.reason:
                    found.setdefault(key_of(each.measure, each.parameters), float(each.host_s))
    return found


def earlier_runs(profile: str, board: str) -> list[Earlier]:
    """The newest runs of the profile on that board, the newest first, with its verdicts there."""
    return list(islice(_earlier(profile, board), _MOST))


def _earlier(profile: str, board: str) -> Iterator[Earlier]:
    for run in runs_on("profile", board):
        for result in run.results_of(ProfileResult):
            if result.profile == profile:
                yield run, result


def _same(run: Run, subject: Subject) -> bool:
    """Whether the run is of the same machine in the same set-up, as far as both are known."""
    facts = subject.board.facts
    return (
        is_of_setup(run, subject)
        and run.board.title == subject.board.title
        and all(run.board.facts.get(name, "unknown") == value for name, value in facts.items())
    )
