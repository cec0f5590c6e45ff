# SPDX-License-Identifier: Apache-2.0
"""The rows of a guide that was interrupted: the same command goes on with those that are left."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from perfboard.measures.base import Finding, ShownMetric
from perfboard.measures.loop import key_of
from perfboard.model.results.measures import Figure, MeasuresResult
from perfboard.model.run import Metric, Run, Status
from perfboard.store.recording import Subject
from perfboard.studies.earlier import images_agree, is_of_setup, runs_on

# The runs that tell host times.
_MOST = 3
# Facts that are others each time.
_CHANGING = ("temperature",)


@dataclass(frozen=True)
class KeptRows:
    """The findings of an interrupted run by `Item.key`, and its id; "" where none is taken up."""

    run: str = ""
    found: Mapping[str, Finding] = field(default_factory=dict)
    host_s: Mapping[str, float] = field(default_factory=dict)
    image: Mapping[str, str] = field(default_factory=dict)

    def fits(self, image: Mapping[str, str]) -> bool:
        """Whether what is known of both images, by their hashes, is the same."""
        return images_agree(self.image, image)


def keep_rows(earlier: Sequence[Run], subject: Subject, command: Sequence[str]) -> KeptRows:
    """Those of the newest run, if the same command was interrupted on the same board."""
    if not earlier or not _same(earlier[0], subject, command):
        return KeptRows()
    run = earlier[0]
    found, host_s = {}, {}
    for result in run.results_of(MeasuresResult):
        for place, each in enumerate(result.measurements):
            # It may be there now. A measure that was interrupted has no time.
            if each.reason or not each.host_s:
                continue
            key = key_of(each.measure, each.parameters)
            own = [metric for metric in run.metrics if metric.measurement == place]
            # Those of its processes are counted from its own first one.
            places = sorted({at for metric in own for at in metric.processes})
            numbers = {at: number for number, at in enumerate(places)}
            metrics = tuple(
                metric.model_copy(
                    update={"processes": tuple(numbers[at] for at in metric.processes)}
                )
                for metric in own
            )
            host_s[key] = float(each.host_s)
            found[key] = Finding(
                metrics,
                tuple(_shown(each.figures, metrics)),
                short=each.short,
                limit=each.limit,
                why=each.why,
                absent=each.absent,
                blocks=each.blocks,
                processes=tuple(result.processes[at] for at in places),
            )
    return KeptRows(run.id, found, host_s, run.provenance.image)


def earlier_guides(guide: str, board: str) -> list[Run]:
    """The newest runs of the guide on that board, the newest first."""
    return list(islice(runs_on(guide, board), _MOST))


def host_times(earlier: Sequence[Run]) -> dict[str, float]:
    """The seconds that each item took on this host, by `Item.key`, as those runs tell."""
    found: dict[str, float] = {}
    for run in earlier:
        for result in run.results_of(MeasuresResult):
            for each in result.measurements:
                if each.host_s:
                    found.setdefault(key_of(each.measure, each.parameters), float(each.host_s))
    return found


def _same(run: Run, subject: Subject, command: Sequence[str]) -> bool:
    facts = {k: v for k, v in subject.board.facts.items() if k not in _CHANGING}
    return (
        run.status is not Status.COMPLETE
        and run.provenance.command == tuple(command)
        and is_of_setup(run, subject)
        and all(run.board.facts.get(name) == value for name, value in facts.items())
    )


def _shown(figures: Sequence[Figure], metrics: Sequence[Metric]) -> Iterator[ShownMetric]:
    for figure in figures:
        same = (m for m in metrics if (m.name, m.labels) == (figure.metric, figure.labels))
        if (metric := next(same, None)) is not None:
            share = () if figure.busy is None else (figure.busy,)
            busy = Metric(name="busy", unit="1", samples=share)
            yield ShownMetric(figure.title, metric, busy if share else None)
