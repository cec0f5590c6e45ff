# SPDX-License-Identifier: Apache-2.0
"""Whether a board is right for a device: a verdict for each key issue of its profile."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from perfboard.analysis.profile.chances import Prior
from perfboard.analysis.profile.conclusion import NoFigure, conclude, verdicts_of
from perfboard.bench.base import Bench
from perfboard.bench.lab import Lab
from perfboard.bench.opening import open_bench, open_record, virtual_board
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose
from perfboard.host.cache.cache import hash_file
from perfboard.measures.checks import check_items
from perfboard.measures.content import content_of
from perfboard.measures.loop import Findings, Item, measure_items, prepare
from perfboard.model.errors import UsageError, refusals
from perfboard.model.options import option
from perfboard.model.profile import DeviceChange, Part, Profile
from perfboard.model.results.profile import OptionRow, ProfileResult, ProfileRow
from perfboard.model.run import Metric, Run
from perfboard.model.target import command_on, virtual_target
from perfboard.model.timed_as import StatedMargin
from perfboard.profiles.loader import load_profile, profile_path
from perfboard.store.recording import Content, Recording
from perfboard.studies.profile.items import (
    check_change,
    item_of,
    items_of,
    items_of_options,
    refuse_unseen,
    with_parameters,
)
from perfboard.studies.profile.kept import EarlierRun, host_times, keep
from perfboard.studies.profile.prices import check_prices, parse_prices, price_of


@dataclass(frozen=True)
class ProfileOptions(BenchOptions):
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


@dataclass(frozen=True)
class ProfileStudy:
    """Measures a profile's rows on one target, and holds them against its budgets."""

    name: str = "profile"
    title: str = "Device profile"
    question: str = "Is this board right for my device?"
    options: type[ProfileOptions] = ProfileOptions
    targets: tuple[str, ...] = ()
    default_target: str = "local"
    headline: str = ""
    factors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def check(self, request: Request, options: ProfileOptions) -> list[str]:
        items: list[Item] = []

        def check_profile() -> None:
            path, profile = _profile(options, request)
            own = items_of(profile, path, options.only)
            _check_options(profile, path, request)
            items.extend((*own, *items_of_options(profile, path, options.only)))
            refuse_unseen(items, path, bool(options.yes))

        wrong = refusals(check_profile, lambda: check_prices(request, options.price))
        return [*wrong, *check_items(items, request, options)]

    def run(self, request: Request, options: ProfileOptions, lab: Lab) -> Run:
        path, profile = _profile(options, request)
        items = items_of(profile, path, options.only)
        changed = items_of_options(profile, path, options.only)
        price, source = price_of(request, options.price), hash_file(path)
        with open_record(self.name, self.headline, request, options, lab) as (record, bench):
            # One kernel serves the items that options change as well: another one would be taken
            # for what the option does.
            prepare(bench, (*items, *changed))
            times = host_times(profile.profile.name, bench.subject().board.name)
            asked = _ProfileRequest(profile, path, source, options, request, lab, price, times)
            findings, tried, kept = Findings(), list[OptionRow](), None
            if options.resume:
                kept = keep(profile.profile.name, asked.source, bench.subject())
                findings = Findings({**kept.found}, {**kept.host_s})
            with record.begin(lambda: _found(asked, items, findings, bench, tried, kept)):
                measure_items(items, bench, findings, lab, times)
                if kept and not kept.fits(bench.subject().image):
                    # Only now its kernel is known: what was taken over is of another one.
                    for key in kept.found:
                        findings.found.pop(key, None)
                    kept = None
                    measure_items(items, bench, findings, lab, times)
                before = _conclude(asked, findings, bench)
                short = any(row.asked and _falls_short(row) for row in before.rows)
                for change in profile.option if short else ():
                    done = kept.options.get(change.name) if kept else None
                    tried.append(
                        done or _try_option(change, asked, bench, findings, before, record)
                    )
        return record.run


@dataclass(frozen=True)
class _ProfileRequest:
    """The user's wish."""

    profile: Profile
    path: Path
    # The SHA-256 sum of the profile's file.
    source: str
    options: ProfileOptions
    request: Request
    lab: Lab
    price: float | None
    # The host's time for each task, by the newest runs on that board.
    times: dict[str, float]


def _falls_short(row: ProfileRow) -> bool:
    return row.weight == "must" and row.outcome != "pass"


def _profile(options: ProfileOptions, request: Request) -> tuple[Path, Profile]:
    """The profile and its file. Raises UsageError."""
    if not options.profile:
        raise UsageError("study profile: name the profile; `perfboard profiles` lists them")
    path = profile_path(options.profile)
    profile = load_profile(path)
    if not profile.judges:
        raise UsageError(
            f"{path}: has no budgets to judge a board by; "
            f"`{command_on(request.target, request.place, 'measure', options.profile)}` measures it"
        )
    return path, profile


def _check_options(profile: Profile, path: Path, request: Request) -> None:
    """Raises UsageError for an option that could not be tried, before anything is measured."""
    for change in profile.option:
        if change.parameters:
            check_change(profile, change, path)
        elif (loaded := virtual_board(request.target)) is not None:
            loaded = load_board(change.board) if change.board else loaded
            choose(loaded, {} if change.board else {**request.factors, **change.factors})


def _try_option(
    change: DeviceChange,
    asked: _ProfileRequest,
    bench: Bench,
    findings: Findings,
    before: ProfileResult,
    record: Recording,
) -> OptionRow:
    """The profile with that change, measured on the board as it is then."""
    request, lab = asked.request, asked.lab
    empty = OptionRow(
        name=change.name, title=change.title, cost=change.cost, outcome="not measured"
    )
    if not change.parameters and virtual_board(request.target) is None:
        reason = "this target is as it is; a virtual board can be changed"
        return empty.model_copy(update={"reason": reason})
    if change.parameters:
        asked = replace(asked, profile=with_parameters(asked.profile, change))
    items = items_of(asked.profile, asked.path, asked.options.only)
    found = Findings()
    with ExitStack() as stack:
        if change.parameters:
            # On the same board, what the change leaves as it was is measured already.
            found.found |= findings.found
        else:
            target = virtual_target(change.board) if change.board else request.target
            factors = {} if change.board else {**request.factors, **change.factors}
            request = replace(request, target=target, factors=factors)
            bench = stack.enter_context(
                open_bench(request, asked.options, lab, record.folder.artifacts)
            )
            changed = items_of_options(asked.profile, asked.path, asked.options.only)
            prepare(bench, (*items, *changed))
            if change.board:
                board = bench.subject().board.name
                asked = replace(asked, times=host_times(asked.profile.profile.name, board))
        measure_items(items, bench, found, lab, asked.times, f"{change.name}-")
        after = _conclude(asked, found, bench)
    failed = {row.name for row in before.rows if row.outcome == "fail"}
    turns = [row.name for row in after.rows if row.outcome == "pass" and row.name in failed]
    values = {row.name: row.value for row in before.rows}
    rows = tuple(row for row in after.rows if row.value != values[row.name])
    update = {"outcome": after.outcome, "turns": tuple(turns), "rows": rows}
    return empty.model_copy(update=update)


def _conclude(asked: _ProfileRequest, findings: Findings, bench: Bench) -> ProfileResult:
    subject = bench.subject()
    timed = subject.board.timed_as
    exact = StatedMargin(share=0.0)
    stated = timed.stated if timed is not None else lambda metric: exact
    look = partial(_look, findings)
    prior = Prior(subject.board.name, timed.margins if timed is not None else {})
    return conclude(asked.profile, look, subject.evidence, stated, asked.options.only, prior)


def _look(findings: Findings, part: Part) -> tuple[Metric, ...] | NoFigure:
    """The metrics of a profile's part, or why there are none."""
    found = findings.found.get(item_of(part).key)
    if found is None:
        return NoFigure("the run ended before it")
    if reason := found.absent.get(part.metric):
        return NoFigure(reason)
    return NoFigure(found.reason, failed=found.failed) if found.reason else found.metrics


def _found(
    asked: _ProfileRequest,
    items: Sequence[Item],
    findings: Findings,
    bench: Bench,
    tried: Sequence[OptionRow],
    kept: EarlierRun | None,
) -> Content:
    content = content_of(items, findings, bench)
    result = _conclude(asked, findings, bench).model_copy(
        update={"options": tuple(tried), "price": asked.price, "source": asked.source}
    )
    verdicts, missing = verdicts_of(result)
    taken = [item.measure.name for item in items if kept and item.key in kept.found]
    notes = [f"Taken over from {kept.run}: {', '.join(taken)}."] if kept and taken else []
    return replace(
        content,
        results=(result, *content.results),
        notes=(*content.notes, *notes),
        verdicts=verdicts,
        no_verdicts=missing,
    )


STUDY = ProfileStudy()
