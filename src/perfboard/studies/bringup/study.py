# SPDX-License-Identifier: Apache-2.0
"""The bring-up of a new board (study B): its disk, network and memory in one run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path
from statistics import mean, median
from threading import Event

from perfboard.bench.base import Bench, shown
from perfboard.bench.bed import Bed
from perfboard.bench.boot.virtual import boot_once
from perfboard.bench.job import NotMeasurable, Work
from perfboard.bench.lab import Lab
from perfboard.bench.live import LiveBench
from perfboard.bench.request import Request
from perfboard.bench.talk.far_end import with_own_card
from perfboard.bench.virtual import VirtualBench
from perfboard.boards.loader import LoadedBoard, load_board
from perfboard.factors.choose import choose
from perfboard.measures.rows import Answer, Figure, Row, all_rows, subject_of
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.options import option
from perfboard.model.published import Published
from perfboard.model.results.boot import Boot
from perfboard.model.results.bringup import BringupFigure, BringupResult, BringupRow
from perfboard.model.run import Metric, Run
from perfboard.model.text import nearest
from perfboard.model.units import format_value
from perfboard.store.recording import Found
from perfboard.targets.base import Target

_UNREACHED = "the run ended before it"


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
        rows = _chosen(options.only)
        found = _Measured()
        with lab.record(self.name, request.place, request.command, "") as record:
            artifacts = record.folder.artifact_path("console.log").parent
            with (
                _stand(request, options, rows, lab, artifacts) as stand,
                record.begin(lambda: _found(rows, stand, found)),
            ):
                for number, row in enumerate(rows, 1):
                    _measure(row, f"({number} of {len(rows)})", stand, found, lab)
        return record.run


@dataclass(frozen=True)
class _Stand:
    """The bench, and the facts of the board on it."""

    bench: Bench
    bed: Callable[[Callable[[Work], str]], Bed]
    published: Sequence[Published] = ()


@dataclass
class _Measured:
    """The answer of each row so far, or the reason why it has none."""

    answers: dict[str, Answer | str] = field(default_factory=dict)


def _chosen(only: Sequence[str]) -> list[Row]:
    known = all_rows()
    for name in only:
        if name not in known:
            raise UsageError(
                f'--only {name}: there is no row "{name}"{nearest(name, known)} The rows are: '
                f"{', '.join(known)}"
            )
    return [row for name, row in known.items() if not only or name in only]


@contextmanager
def _stand(
    request: Request, options: BringupOptions, rows: Sequence[Row], lab: Lab, artifacts: Path
) -> Iterator[_Stand]:
    quick, folder = bool(options.quick), options.folder
    if request.target.startswith("virtual:"):
        loaded = load_board(request.target.partition(":")[2])
        networks = loaded.board.network and any(subject_of(row) == "network" for row in rows)
        choice = with_own_card if networks else choose
        variant = choice(loaded, request.factors)
        features = tuple(sorted({feature for row in rows for feature in row.features}))
        virtual = VirtualBench(variant, lab, artifacts, features)
        evidence = virtual.subject().evidence
        board: VirtualBoard = variant.board
        timing = board.timing.published if board.timing else ()
        yield _Stand(
            virtual,
            lambda run: Bed(
                *(run, evidence, board.machine.ram, 1, quick, folder),
                board=board,
                boot=partial(_boot, loaded, request.factors, lab, artifacts),
            ),
            (*board.published, *timing),
        )
        return
    with lab.open(request.target, lab.progress, artifacts, request.factors) as target:
        live = LiveBench(target, request.subject_of(target), lab)
        ram = _ram(target)
        yield _Stand(
            live,
            lambda run: Bed(run, target.evidence, ram, 3, quick, folder, live=target),
        )


def _boot(
    loaded: LoadedBoard,
    factors: Mapping[str, str],
    lab: Lab,
    artifacts: Path,
    levels: Mapping[str, str],
) -> Boot:
    """One boot of the board's own image, with `levels` beside the user's."""
    folder = artifacts / "-".join(["boot", *levels.values()])
    try:
        return boot_once(
            choose(loaded, {**factors, **levels}), lab, folder, lambda name: None, Event()
        )
    except TargetError as error:
        raise NotMeasurable(f"the board failed: {error}") from error


def _ram(target: Target) -> int:
    words = target.shell.run("grep MemTotal: /proc/meminfo").output.split()
    return int(words[1]) * 1024 if len(words) > 1 and words[1].isdigit() else 0


def _measure(row: Row, place: str, stand: _Stand, found: _Measured, lab: Lab) -> None:
    most = row.writes(stand.bed(lambda work: ""))
    writes = f"; writes at most {format_value(most, 'B')}" if most else ""
    count = 0
    with lab.progress.step(f"measuring {row.name} {place}{writes}", inf) as step:

        def run(work: Work) -> str:
            nonlocal count
            count += 1
            return stand.bench.run(f"{row.name}-{count}", work, shown(step))

        try:
            found.answers[row.name] = row.measure(stand.bed(run))
        except NotMeasurable as error:
            found.answers[row.name] = str(error)


def _found(rows: Sequence[Row], stand: _Stand, measured: _Measured) -> Found:
    answers = [found for found in measured.answers.values() if isinstance(found, Answer)]
    shown = [_row(row, measured.answers.get(row.name, _UNREACHED), stand.published) for row in rows]
    return Found(
        stand.bench.subject(),
        metrics=tuple(metric for answer in answers for metric in answer.metrics),
        results=(BringupResult(rows=tuple(shown)),),
        notes=(*stand.bench.notes, *dict.fromkeys(n for answer in answers for n in answer.notes)),
    )


def _row(row: Row, found: Answer | str, published: Sequence[Published]) -> BringupRow:
    empty = BringupRow(name=row.name, title=row.title, subject=subject_of(row))
    if isinstance(found, str):
        return empty.model_copy(update={"reason": found})
    figures = tuple(_figure(figure, published) for figure in found.figures)
    words = {"short": found.short, "limit": found.limit, "sentence": found.sentence}
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
