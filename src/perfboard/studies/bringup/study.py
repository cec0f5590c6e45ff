# SPDX-License-Identifier: Apache-2.0
"""The bring-up of a new board (study B): its disk, network and memory in one run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median

from perfboard.bench.base import Bench
from perfboard.bench.lab import Lab
from perfboard.bench.opening import board_name, open_bench
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.measures.base import Figure, Finding
from perfboard.measures.catalogue import get_measure
from perfboard.measures.loop import Findings, Item, measure_items, prepare
from perfboard.model.errors import UsageError
from perfboard.model.options import option
from perfboard.model.profile import Value
from perfboard.model.published import Published
from perfboard.model.results.bringup import BringupFigure, BringupResult, BringupRow
from perfboard.model.run import Metric, Run
from perfboard.model.text import nearest
from perfboard.store.recording import Found

# In the order of a report, by subject; the report answers by the first of each.
_ROWS = (
    "disk.sequential",
    "disk.characters",
    "disk.dd",
    "disk.encryption",
    "disk.files",
    "disk.random",
    "network.tcp",
    "network.http",
    "network.latency",
    "network.ssh",
    "memory.dd",
    "memory.copy",
    "memory.free",
    "boot.distribution",
)


@dataclass(frozen=True)
class BringupOptions:
    """The options of `perfboard study bringup`."""

    only: tuple[str, ...] = option(
        (), "measure this row alone; repeatable", parse=tuple, metavar="ROW", repeated=True
    )
    folder: str = option(
        "",
        "the folder on the target whose disk is measured (default: the first one that is on a "
        "disk, of $TMPDIR, /var/tmp and $HOME there)",
        metavar="FOLDER",
    )
    quick: str = option("", "fewer sizes, and a tenth of the writing: spares flash", switch=True)


@dataclass(frozen=True)
class BringupStudy:
    """Measures every row on one target."""

    name: str = "bringup"
    title: str = "Bring-up of a board"
    question: str = "How fast are its disk, network and memory, and what holds each back?"
    options: type[BringupOptions] = BringupOptions
    targets: tuple[str, ...] = ()
    default_target: str = "local"
    headline: str = ""
    factors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def run(self, request: Request, options: BringupOptions, lab: Lab) -> Run:
        """See `studies.base.Study`."""
        items, findings = _items(options), Findings()
        with lab.record(self.name, board_name(request), request.command, "") as record:
            artifacts = record.folder.artifact_path("console.log").parent
            with (
                open_bench(request, BenchOptions(), lab, artifacts) as bench,
                record.begin(lambda: _found(items, bench, findings)),
            ):
                prepare(bench, items)
                measure_items(items, bench, findings, lab, {})
        return record.run


def _items(options: BringupOptions) -> list[Item]:
    for name in options.only:
        if name not in _ROWS:
            raise UsageError(
                f'--only {name}: there is no row "{name}"{nearest(name, _ROWS)} The rows are: '
                f"{', '.join(_ROWS)}"
            )
    given: dict[str, Value] = {"quick": bool(options.quick), "folder": options.folder}
    items = []
    for name in options.only or _ROWS:
        measure = get_measure(name)
        parameters = measure.defaults()
        parameters |= {key: value for key, value in given.items() if key in parameters}
        items.append(Item(measure, parameters))
    return items


def _found(items: Sequence[Item], bench: Bench, findings: Findings) -> Found:
    pairs = [(item, findings.found.get(item.key)) for item in items]
    done = [found for _, found in pairs if found]
    published = bench.facts.published
    return Found(
        bench.subject(),
        metrics=tuple(metric for found in done for metric in found.metrics),
        results=(BringupResult(rows=tuple(_row(*pair, published) for pair in pairs)),),
        notes=(*bench.notes, *dict.fromkeys(note for found in done for note in found.notes)),
    )


def _row(item: Item, found: Finding | None, published: Sequence[Published]) -> BringupRow:
    name = item.measure.name
    empty = BringupRow(name=name, title=item.measure.title, subject=name.partition(".")[0])
    if found is None or found.reason:
        reason = found.reason if found else "the run ended before it"
        return empty.model_copy(update={"reason": reason})
    figures = tuple(_figure(figure, published) for figure in found.figures)
    words = {"short": found.short, "limit": found.limit, "sentence": found.why}
    return empty.model_copy(update={"figures": figures, **words})


def _figure(figure: Figure, published: Sequence[Published]) -> BringupFigure:
    metric = figure.metric
    known = next((each for each in published if _is_of(each, metric)), None)
    return BringupFigure(
        title=figure.title,
        metric=metric.name,
        labels=metric.labels,
        unit=metric.unit,
        better=metric.better,
        value=median(metric.samples),
        busy=mean(figure.busy.samples) if figure.busy and figure.busy.samples else None,
        published=known.value if known else None,
        source=known.source if known else "",
        differs=known.differs if known else "",
    )


def _is_of(published: Published, metric: Metric) -> bool:
    """Whether the published figure is one of the metric, as it was measured."""
    return (
        (published.metric, published.unit) == (metric.name, metric.unit)
        and published.labels.items() <= metric.labels.items()
        and not published.less
    )


STUDY = BringupStudy()
