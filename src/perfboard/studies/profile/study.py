# SPDX-License-Identifier: Apache-2.0
"""Whether a board is right for a device: a verdict for each key issue of its profile."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import TypeVar

from perfboard.analysis.profile.conclusion import conclude, verdicts_of
from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose
from perfboard.model.errors import UsageError
from perfboard.model.options import option
from perfboard.model.profile import Change, Part, Profile, Value
from perfboard.model.results.profile import Film, OptionRow, ProfileResult
from perfboard.model.run import Metric, Run
from perfboard.model.text import nearest, printable
from perfboard.profiles.loader import is_shipped, load_profile, profile_path
from perfboard.store.recording import Found, Recording
from perfboard.studies.base import Request
from perfboard.studies.lab import Lab
from perfboard.studies.profile.bench import Bench, LiveBench, VirtualBench
from perfboard.studies.profile.workloads.base import NotMeasurable, Workload, all_workloads
from perfboard.studies.profile.workloads.films import pictures_of

# The parameters that a film's title names.
_SHOWN = ("program", "other")
PartType = TypeVar("PartType", bound=Part)


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
        "no",
        "yes: run the commands of a profile that does not come with Perfboard",
        metavar="yes",
    )


@dataclass(frozen=True)
class _Task:
    """One workload with its parameters."""

    workload: Workload
    parameters: Mapping[str, Value]

    @property
    def key(self) -> str:
        """The same for the same work."""
        return _key(self.workload.name, self.parameters)


@dataclass
class _Measured:
    """The metrics of each workload so far, or the reason why there are none; by `_Task.key`."""

    found: dict[str, tuple[Metric, ...] | str] = field(default_factory=dict)
    films: list[Film] = field(default_factory=list)

    def look(self, part: Part) -> tuple[Metric, ...] | str:
        """Those of a profile's part."""
        return self.found.get(_key(part.workload, _parameters(part)), "the run ended before it")


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
        tasks = _tasks(profile, path, options.only)
        _refuse_unseen(tasks, path, options.yes == "yes")
        asked = _Asked(profile, path, options.only, request, lab, _price(request, options.price))
        with (
            lab.record(self.name, request.place, request.command, "") as record,
            _bench(request, tasks, lab, _artifacts(record)) as bench,
        ):
            measured, tried = _Measured(), list[OptionRow]()
            with record.begin(lambda: _found(asked, tasks, measured, bench, tried)):
                _measure(tasks, bench, measured, lab)
                before = _conclude(asked, measured, bench)
                for change in profile.option if before.outcome != "pass" else ():
                    tried.append(_try_option(change, asked, bench, measured, before, record))
        return record.run


@dataclass(frozen=True)
class _Asked:
    """The user's wish."""

    profile: Profile
    path: Path
    only: Sequence[str]
    request: Request
    lab: Lab
    price: float | None


def _price(request: Request, given: Mapping[str, float]) -> float | None:
    """The board's, as it is given, or as its file says."""
    board = request.board
    if request.target.startswith("virtual:"):
        name = request.target.partition(":")[2]
        found = load_board(name).board
        return given.get(name, given.get(found.name, found.price))
    return given.get(request.place, board.price if board else None)


def _artifacts(record: Recording) -> Path:
    return record.folder.artifact_path("console.log").parent


def _part_tasks(part: Part, row: str, path: Path) -> tuple[Workload, dict[str, Value]]:
    known = all_workloads()
    where = f"{path}: {row}"
    if part.workload not in known:
        raise UsageError(
            f'{where}: there is no workload "{part.workload}"{nearest(part.workload, known)} The '
            f"workloads are: {', '.join(known)}"
        )
    workload = known[part.workload]
    if part.metric not in workload.metrics:
        raise UsageError(
            f'{where}: {workload.name} has no metric "{part.metric}"'
            f"{nearest(part.metric, workload.metrics)} It has: {', '.join(workload.metrics)}"
        )
    for name in part.parameters:
        if name not in workload.parameters:
            raise UsageError(
                f'{where}: {workload.name} has no parameter "{name}"'
                f"{nearest(name, workload.parameters)} It has: {', '.join(workload.parameters)}"
            )
    return workload, _parameters(part)


def _parameters(part: Part) -> dict[str, Value]:
    """All parameters of a part whose workload is known."""
    known = all_workloads()[part.workload].parameters
    return {**{name: each.default for name, each in known.items()}, **part.parameters}


def _tasks(profile: Profile, path: Path, only: Sequence[str]) -> list[_Task]:
    """Each workload once for each set of its parameters."""
    rows: dict[str, tuple[Part, ...]] = {issue.name: (issue,) for issue in profile.key_issue}
    rows |= {scenario.name: scenario.parts for scenario in profile.scenario}
    for name in only:
        if name not in rows:
            raise UsageError(f'--only {name}: {path} has no row "{name}"{nearest(name, rows)}')
    tasks: list[_Task] = []
    for row, parts in rows.items():
        for part in parts:
            workload, parameters = _part_tasks(part, row, path)
            if only and row not in only:
                continue
            task = _Task(workload, parameters)
            if task not in tasks:
                tasks.append(task)
    return tasks


def _refuse_unseen(tasks: Sequence[_Task], path: Path, yes: bool) -> None:
    """Raises UsageError with the commands of a stranger's profile, until the user agrees."""
    commands = [
        printable(command) for task in tasks for command in task.workload.commands(task.parameters)
    ]
    if not commands or yes or is_shipped(path):
        return
    listed = "\n  ".join(commands)
    raise UsageError(
        f"{path}: does not come with Perfboard, and runs these commands on the target:\n"
        f"  {listed}\nIf you want that, give --yes yes"
    )


@contextmanager
def _bench(request: Request, tasks: Sequence[_Task], lab: Lab, artifacts: Path) -> Iterator[Bench]:
    if request.target.startswith("virtual:"):
        loaded = load_board(request.target.partition(":")[2])
        works = []
        for task in tasks:
            with suppress(NotMeasurable):
                works.append(task.workload.plan(task.parameters, VirtualBench.repeats))
        features = {feature for work in works for feature in work.features}
        variant = choose(loaded, request.factors)
        yield VirtualBench(variant, lab, artifacts, tuple(sorted(features)))
        return
    with lab.open(request.target, lab.progress, artifacts, request.factors) as target:
        yield LiveBench(target, request.subject_of(target), lab)


def _measure(
    tasks: Sequence[_Task], bench: Bench, measured: _Measured, lab: Lab, folder: str = ""
) -> None:
    tasks = [task for task in tasks if task.key not in measured.found]
    for number, task in enumerate(tasks, 1):
        title = f"measuring {task.workload.name} ({number} of {len(tasks)})"
        with lab.progress.step(title, inf) as step:
            found: tuple[Metric, ...] | str
            try:
                work = task.workload.plan(task.parameters, bench.repeats)
                output = bench.run(f"{folder}{number}-{task.workload.name}", work, step.update)
                measured.films += _films(task, output)
                found = task.workload.read(output, task.parameters, bench.repeats)
            except NotMeasurable as error:
                found = str(error)
            measured.found[task.key] = found


def _films(task: _Task, output: str) -> Iterator[Film]:
    """The films among a workload's output."""
    programs = ", ".join(str(task.parameters[key]) for key in _SHOWN if key in task.parameters)
    for name, pictures in pictures_of(output).items():
        words = f"{name}, {programs}" if programs else name
        yield Film(workload=task.workload.name, task=words, pictures=pictures)


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
        asked = replace(asked, profile=_with_parameters(asked.profile, change))
    tasks = _tasks(asked.profile, asked.path, asked.only)
    found = _Measured()
    with ExitStack() as stack:
        if change.parameters:
            # On the same board, what the change leaves as it was is measured already.
            found.found |= measured.found
        else:
            target = f"virtual:{change.board}" if change.board else request.target
            factors = {} if change.board else {**request.factors, **change.factors}
            request = replace(request, target=target, factors=factors)
            bench = stack.enter_context(_bench(request, tasks, lab, _artifacts(record)))
        _measure(tasks, bench, found, lab, f"{change.name}-")
        after = _conclude(asked, found, bench)
    failed = {row.name for row in before.rows if row.outcome == "fail"}
    turns = [row.name for row in after.rows if row.outcome == "pass" and row.name in failed]
    return empty.model_copy(update={"outcome": after.outcome, "turns": tuple(turns)})


def _with_parameters(profile: Profile, change: Change) -> Profile:
    """The profile whose parts have the change's parameters, where their workloads have them."""

    def changed(part: PartType) -> PartType:
        known = all_workloads()[part.workload].parameters
        own = {k: v for k, v in change.parameters.items() if k in known}
        return part.model_copy(update={"parameters": {**part.parameters, **own}})

    scenarios = (
        each.model_copy(update={"parts": tuple(map(changed, each.parts))})
        for each in profile.scenario
    )
    issues = tuple(map(changed, profile.key_issue))
    return profile.model_copy(update={"key_issue": issues, "scenario": tuple(scenarios)})


def _conclude(asked: _Asked, measured: _Measured, bench: Bench) -> ProfileResult:
    subject = bench.subject()
    timed = subject.board.timed_as
    margin_for = timed.margin_for if timed is not None else lambda metric: 0.0
    return conclude(asked.profile, measured.look, subject.evidence, margin_for, asked.only)


def _found(
    asked: _Asked,
    tasks: Sequence[_Task],
    measured: _Measured,
    bench: Bench,
    tried: Sequence[OptionRow],
) -> Found:
    metrics: list[Metric] = []
    for task in tasks:
        defaults = {name: each.default for name, each in task.workload.parameters.items()}
        own = {k: str(v) for k, v in task.parameters.items() if v != defaults[k]}
        of_it = measured.found.get(task.key, ())
        if not isinstance(of_it, str):
            metrics += [
                metric.model_copy(update={"labels": {**own, **metric.labels}}) for metric in of_it
            ]
    result = _conclude(asked, measured, bench).model_copy(
        update={
            "options": tuple(tried),
            "price": asked.price,
            "films": tuple(measured.films),
        }
    )
    verdicts, missing = verdicts_of(result)
    return Found(
        bench.subject(),
        metrics=tuple(metrics),
        results=(result,),
        notes=bench.notes,
        verdicts=verdicts,
        no_verdicts=missing,
    )


def _key(workload: str, parameters: Mapping[str, Value]) -> str:
    return f"{workload} {sorted(parameters.items())!r}"


STUDY = ProfileStudy()
