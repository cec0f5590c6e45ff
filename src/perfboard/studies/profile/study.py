# SPDX-License-Identifier: Apache-2.0
"""Whether a board is right for a device: a verdict for each key issue of its profile."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path

from perfboard.analysis.profile.conclusion import NoFigure, conclude, verdicts_of
from perfboard.bench.base import Bench, shown
from perfboard.bench.job import NotMeasurable, Work, WorkFailed
from perfboard.bench.lab import Lab
from perfboard.bench.live import LiveBench
from perfboard.bench.request import Request
from perfboard.bench.talk.far_end import with_own_card
from perfboard.bench.virtual import VirtualBench
from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose
from perfboard.host.cache import hash_file
from perfboard.measures.display.films import pictures_of
from perfboard.measures.display.session import picture_hash
from perfboard.measures.reading import absences
from perfboard.model.errors import UsageError
from perfboard.model.options import option
from perfboard.model.profile import Change, Part, Profile
from perfboard.model.results.profile import DoneTask, Film, OptionRow, ProfileResult
from perfboard.model.run import Metric, Run
from perfboard.profiles.loader import load_profile, profile_path
from perfboard.store.recording import Found, Recording
from perfboard.studies.profile.kept import Kept, estimate, host_times, keep
from perfboard.studies.profile.tasks import (
    Task,
    check_parameters,
    key_of,
    parameters_of,
    refuse_unseen,
    tasks_of,
    tasks_of_options,
    with_parameters,
)

# The parameters that a film's title names.
_SHOWN = ("program", "other")


def parse_prices(texts: Sequence[str]) -> dict[str, float]:
    """Prices by board. Raises ValueError for a text that is not BOARD=PRICE."""
    prices = {}
    for text in texts:
        board, _, price = text.partition("=")
        if not board or not re.fullmatch(r"\d{1,9}(\.\d{1,4})?", price):
            raise ValueError(f'"{text}" is not BOARD=PRICE, as in rpi2=35')
        prices[board] = float(price)
    return prices


@dataclass(frozen=True)
class ProfileOptions:
    """The options of `perfboard study profile`."""

    profile: str = option(
        "",
        "the profile: a name that `perfboard profiles` lists, or a file",
        metavar="PROFILE",
        positional=True,
    )
    only: tuple[str, ...] = option(
        (), "measure this row alone; repeatable", parse=tuple, metavar="ROW", repeated=True
    )
    price: Mapping[str, float] = option(
        {},
        "what a board costs, in the profile's currency (default: `price` in its file); repeatable",
        parse=parse_prices,
        metavar="BOARD=PRICE",
        repeated=True,
    )
    yes: str = option(
        "", "run the commands of a profile that does not come with Perfboard", switch=True
    )
    resume: str = option(
        "", "take over what the newest run of this profile on this board measured", switch=True
    )


@dataclass
class _Measured:
    """The metrics of each workload so far, or the reason why there are none; by `Task.key`."""

    found: dict[str, tuple[Metric, ...] | NoFigure] = field(default_factory=dict)
    host_s: dict[str, float] = field(default_factory=dict)
    films: list[Film] = field(default_factory=list)
    # Why the target gives none of a task's metrics.
    absent: dict[tuple[str, str], str] = field(default_factory=dict)

    def look(self, part: Part) -> tuple[Metric, ...] | NoFigure:
        """Those of a profile's part."""
        key = key_of(part.workload, parameters_of(part))
        if reason := self.absent.get((key, part.metric)):
            return NoFigure(reason)
        return self.found.get(key, NoFigure("the run ended before it"))


@dataclass(frozen=True)
class ProfileStudy:
    """Runs a profile's workloads on one target, and holds them against its budgets."""

    name: str = "profile"
    title: str = "Device profile"
    question: str = "Is this board right for my device?"
    options: type[ProfileOptions] = ProfileOptions
    targets: tuple[str, ...] = ()
    default_target: str = "local"
    headline: str = ""
    factors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def run(self, request: Request, options: ProfileOptions, lab: Lab) -> Run:
        """See `studies.base.Study`."""
        if not options.profile:
            raise UsageError("study profile: name the profile; `perfboard profiles` lists them")
        path = profile_path(options.profile)
        profile = load_profile(path)
        tasks = tasks_of(profile, path, options.only)
        _check_options(profile, path, request)
        changed = tasks_of_options(profile, path, options.only)
        refuse_unseen((*tasks, *changed), path, bool(options.yes))
        price, source = _price(request, options.price), hash_file(path)
        with (
            lab.record(self.name, request.place, request.command, "") as record,
            _bench(request, tasks, changed, lab, _artifacts(record)) as bench,
        ):
            times = host_times(profile.profile.name, bench.subject().board.name)
            asked = _Asked(profile, path, source, options.only, request, lab, price, times)
            measured, tried, kept = _Measured(), list[OptionRow](), None
            if options.resume:
                kept = keep(profile.profile.name, asked.source, bench.subject())
                measured = _Measured({**kept.metrics}, kept.host_s, [*kept.films], kept.absent)
            with record.begin(lambda: _found(asked, tasks, measured, bench, tried, kept)):
                _measure(tasks, bench, measured, asked)
                before = _conclude(asked, measured, bench)
                for change in profile.option if before.outcome != "pass" else ():
                    done = kept.options.get(change.name) if kept else None
                    tried.append(
                        done or _try_option(change, asked, bench, measured, before, record)
                    )
        return record.run


@dataclass(frozen=True)
class _Asked:
    """The user's wish."""

    profile: Profile
    path: Path
    # The SHA-256 sum of the profile's file.
    source: str
    only: Sequence[str]
    request: Request
    lab: Lab
    price: float | None
    # The host's time for each task, by the newest runs on that board.
    times: dict[str, float]


def _price(request: Request, given: Mapping[str, float]) -> float | None:
    """The board's, as it is given, or as its file says."""
    board = request.board
    if request.target.startswith("virtual:"):
        name = request.target.partition(":")[2]
        found = load_board(name).board
        return given.get(name, given.get(found.name, found.price))
    return given.get(request.place, board.price if board else None)


def _check_options(profile: Profile, path: Path, request: Request) -> None:
    """Raises UsageError for an option that could not be tried, before anything is measured."""
    for change in profile.option:
        if change.parameters:
            check_parameters(profile, change, path)
        elif request.target.startswith("virtual:"):
            loaded = load_board(change.board or request.target.partition(":")[2])
            choose(loaded, {} if change.board else {**request.factors, **change.factors})


def _artifacts(record: Recording) -> Path:
    return record.folder.artifact_path("console.log").parent


@contextmanager
def _bench(
    request: Request,
    tasks: Sequence[Task],
    changed: Sequence[Task],
    lab: Lab,
    artifacts: Path,
) -> Iterator[Bench]:
    """The target's. A virtual board's kernel serves the tasks that options change as well.

    Otherwise another kernel would be taken for what the option does.
    """
    if request.target.startswith("virtual:"):
        loaded = load_board(request.target.partition(":")[2])
        works = _works(tasks, VirtualBench.repeats)
        served = (*works, *_works(changed, VirtualBench.repeats))
        features = {feature for work in served for feature in work.features}
        # Without a card of ours, the workloads that want pages are refused.
        has_card = loaded.board.network and request.factors.get("network") != "instant"
        wants_card = has_card and any(work.pages for work in works)
        variant = (with_own_card if wants_card else choose)(loaded, request.factors)
        yield VirtualBench(variant, lab, artifacts, tuple(sorted(features)))
        return
    with lab.open(request.target, lab.progress, artifacts, request.factors) as target:
        bench = LiveBench(target, request.subject_of(target), lab)
        bench.check_room(_works(tasks, bench.repeats))
        yield bench


def _works(tasks: Sequence[Task], repeats: int) -> list[Work]:
    works = []
    for task in tasks:
        with suppress(NotMeasurable):
            works.append(task.plan(repeats))
    return works


def _measure(
    tasks: Sequence[Task], bench: Bench, measured: _Measured, asked: _Asked, folder: str = ""
) -> None:
    lab = asked.lab
    tasks = [task for task in tasks if task.key not in measured.found]
    for number, task in enumerate(tasks, 1):
        left = estimate([each.key for each in tasks[number - 1 :]], asked.times)
        title = f"measuring {task.workload.name} ({number} of {len(tasks)}, {left})"
        began = lab.clock()
        with lab.progress.step(title, inf) as step:
            found: tuple[Metric, ...] | NoFigure
            try:
                name = f"{folder}{number}-{task.workload.name}"
                output = bench.run(name, task.plan(bench.repeats), shown(step))
                measured.films += _films(task, output)
                for name, reason in absences(output, task.workload.metrics).items():
                    measured.absent[task.key, name] = reason
                found = _labelled(task, task.workload.read(output, task.parameters, bench.repeats))
            except NotMeasurable as error:
                found = NoFigure(str(error), failed=isinstance(error, WorkFailed))
            measured.found[task.key] = found
        measured.host_s[task.key] = lab.clock() - began


def _labelled(task: Task, metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    """The metrics with those parameters of the task that are not the defaults."""
    defaults = {name: each.default for name, each in task.workload.parameters.items()}
    own = {k: str(v) for k, v in task.parameters.items() if v != defaults[k]}
    return tuple(
        metric.model_copy(update={"labels": {**own, **metric.labels}}) for metric in metrics
    )


def _films(task: Task, output: str) -> Iterator[Film]:
    """The films among a workload's output."""
    programs = ", ".join(str(task.parameters[key]) for key in _SHOWN if key in task.parameters)
    for name, pictures in pictures_of(output).items():
        words = f"{name}, {programs}" if programs else name
        ended = picture_hash(output, name)
        yield Film(workload=task.workload.name, task=words, pictures=pictures, hash=ended)


def _try_option(
    change: Change,
    asked: _Asked,
    bench: Bench,
    measured: _Measured,
    before: ProfileResult,
    record: Recording,
) -> OptionRow:
    """The profile with that change, measured on the board as it is then."""
    request, lab = asked.request, asked.lab
    empty = OptionRow(
        name=change.name, title=change.title, cost=change.cost, outcome="not measured"
    )
    if not change.parameters and not request.target.startswith("virtual:"):
        reason = "this target is as it is; a virtual board can be changed"
        return empty.model_copy(update={"reason": reason})
    if change.parameters:
        asked = replace(asked, profile=with_parameters(asked.profile, change))
    tasks = tasks_of(asked.profile, asked.path, asked.only)
    found = _Measured()
    with ExitStack() as stack:
        if change.parameters:
            # On the same board, what the change leaves as it was is measured already.
            found.found |= measured.found
            found.absent |= measured.absent
        else:
            target = f"virtual:{change.board}" if change.board else request.target
            factors = {} if change.board else {**request.factors, **change.factors}
            request = replace(request, target=target, factors=factors)
            changed = tasks_of_options(asked.profile, asked.path, asked.only)
            bench = stack.enter_context(_bench(request, tasks, changed, lab, _artifacts(record)))
            if change.board:
                board = bench.subject().board.name
                asked = replace(asked, times=host_times(asked.profile.profile.name, board))
        _measure(tasks, bench, found, asked, f"{change.name}-")
        after = _conclude(asked, found, bench)
    failed = {row.name for row in before.rows if row.outcome == "fail"}
    turns = [row.name for row in after.rows if row.outcome == "pass" and row.name in failed]
    values = {row.name: row.value for row in before.rows}
    rows = tuple(row for row in after.rows if row.value != values[row.name])
    update = {"outcome": after.outcome, "turns": tuple(turns), "rows": rows}
    return empty.model_copy(update=update)


def _conclude(asked: _Asked, measured: _Measured, bench: Bench) -> ProfileResult:
    subject = bench.subject()
    timed = subject.board.timed_as
    margin_for = timed.margin_for if timed is not None else lambda metric: 0.0
    return conclude(asked.profile, measured.look, subject.evidence, margin_for, asked.only)


def _found(
    asked: _Asked,
    tasks: Sequence[Task],
    measured: _Measured,
    bench: Bench,
    tried: Sequence[OptionRow],
    kept: Kept | None,
) -> Found:
    done = [
        (task, metrics)
        for task in tasks
        if isinstance(metrics := measured.found.get(task.key), tuple)
    ]
    result = _conclude(asked, measured, bench).model_copy(
        update={
            "options": tuple(tried),
            "price": asked.price,
            "films": tuple(measured.films),
            "source": asked.source,
            "tasks": tuple(
                DoneTask(
                    workload=task.workload.name,
                    parameters=dict(task.parameters),
                    metrics=len(metrics),
                    host_s=measured.host_s[task.key],
                    absent={n: why for (key, n), why in measured.absent.items() if key == task.key},
                )
                for task, metrics in done
            ),
        }
    )
    verdicts, missing = verdicts_of(result)
    taken = [task.workload.name for task, _ in done if kept and task.key in kept.metrics]
    notes = [f"Taken over from {kept.run}: {', '.join(taken)}."] if kept and taken else []
    missing_here = {(name, reason) for (_, name), reason in measured.absent.items()}
    notes += [f"Not measured: {name}: {reason}." for name, reason in sorted(missing_here)]
    return Found(
        bench.subject(),
        metrics=tuple(metric for _, metrics in done for metric in metrics),
        results=(result,),
        notes=(*bench.notes, *notes),
        verdicts=verdicts,
        no_verdicts=missing,
    )


STUDY = ProfileStudy()
