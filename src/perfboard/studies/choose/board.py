# SPDX-License-Identifier: Apache-2.0
"""Whether one board is right for a device: a verdict for each key issue of its profile."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from perfboard.analysis.profile.conclusion import verdicts_of
from perfboard.bench.base import Bench
from perfboard.bench.lab import Lab
from perfboard.bench.opening import open_record, virtual_board
from perfboard.bench.request import Request
from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose
from perfboard.host.cache.cache import hash_file
from perfboard.measures.checks import check_items
from perfboard.measures.content import content_of
from perfboard.measures.loop import Findings, Item, measure_items, prepare
from perfboard.model.errors import UsageError, refusals
from perfboard.model.options import check_target
from perfboard.model.profile import Profile
from perfboard.model.results.profile import OptionRow, ProfileResult, ProfileRow
from perfboard.model.run import Run
from perfboard.model.target import command_on
from perfboard.profiles.loader import load_profile, profile_path
from perfboard.store.recording import Content
from perfboard.studies.choose.changes import try_option
from perfboard.studies.choose.items import (
    check_change,
    items_of,
    items_of_options,
    refuse_unseen,
)
from perfboard.studies.choose.kept import EarlierRuns, earlier_runs, host_times, keep
from perfboard.studies.choose.options import ChooseOptions
from perfboard.studies.choose.prices import check_prices, price_of
from perfboard.studies.choose.verdicts import BoardQuestion, conclude_on

# The measures that cost the least of the host's time: what fails by them needs no other.
_CHEAP = ("memory.free", "kernel.image", "boot")


@dataclass(frozen=True)
class BoardStudy:
    """Measures a profile's rows on one target, and holds them against its budgets.

    If it `stops`, no more is measured of a board that fails a row which must pass. If it `tries`,
    the profile's options are measured of a board that falls short.
    """

    stops: bool = False
    tries: bool = True

    def check(self, request: Request, options: ChooseOptions) -> list[str]:
        """All that is wrong with the request and the options, a line each; nothing is opened."""
        items: list[Item] = []

        def check_profile() -> None:
            path, profile = profile_of(options, request)
            own = items_of(profile, path, options.only)
            _check_options(profile, path, request)
            items.extend((*own, *items_of_options(profile, path, options.only)))
            refuse_unseen(items, path, bool(options.yes))

        wrong = refusals(
            lambda: check_target(options, request.target),
            check_profile,
            lambda: check_prices(request, options.price),
        )
        return [*wrong, *check_items(items, request, options)]

    def run(self, request: Request, options: ChooseOptions, lab: Lab) -> Run:
        """Measures the board, and stores the run; what earlier runs measured is taken over.

        Raises PerfboardError for what is wrong before the measuring starts.
        """
        if wrong := self.check(request, options):
            raise UsageError("\n".join(wrong))
        path, profile = profile_of(options, request)
        items = items_of(profile, path, options.only)
        order = sorted(items, key=lambda item: item.measure.name not in _CHEAP)
        changed = items_of_options(profile, path, options.only)
        price, source = price_of(request, options.price), hash_file(path)
        with open_record("profile", "", request, options, lab) as (record, bench):
            # One kernel serves the items that options change as well: another one would be taken
            # for what the option does.
            prepare(bench, (*items, *changed))
            earlier = earlier_runs(profile.profile.name, bench.subject().board.name)
            times = host_times(earlier)
            asked = BoardQuestion(profile, path, options, request, lab, times)
            tried: list[OptionRow] = []
            kept = keep(earlier, source, bench.subject(), exact=bench.facts.exact)
            findings = Findings({**kept.found}, {**kept.host_s})

            def enough() -> bool:
                return self.stops and conclude_on(asked, findings, bench).outcome == "fail"

            def found() -> Content:
                result = conclude_on(asked, findings, bench, stops=self.stops)
                own: dict[str, object] = {"options": tuple(tried), "source": source}
                if price is not None:
                    own |= {"price": price.amount, "price_currency": price.currency}
                return _content(result.model_copy(update=own), items, findings, bench, kept)

            with record.begin(found):
                measure_items(order, bench, findings, lab, times, enough=enough)
                if not kept.fits(bench.subject().image):
                    # Only now its kernel is known: what was taken over is of another one.
                    for key in kept.found:
                        findings.found.pop(key, None)
                    kept = EarlierRuns()
                    measure_items(order, bench, findings, lab, times, enough=enough)
                before = conclude_on(asked, findings, bench)
                short = any(row.asked and _falls_short(row) for row in before.rows)
                for change in profile.option if short and self.tries else ():
                    done = kept.options.get(change.name)
                    tried.append(
                        done
                        or try_option(
                            change, asked, bench, findings, before, record.folder.artifacts
                        )
                    )
        return record.run


def _falls_short(row: ProfileRow) -> bool:
    return row.weight == "must" and row.outcome != "pass"


def profile_of(options: ChooseOptions, request: Request) -> tuple[Path, Profile]:
    """The profile and its file. Raises UsageError."""
    if not options.profile:
        raise UsageError("choose: name the profile; `perfboard profiles` lists them")
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


def _content(
    result: ProfileResult,
    items: Sequence[Item],
    findings: Findings,
    bench: Bench,
    kept: EarlierRuns,
) -> Content:
    content = content_of(items, findings, bench)
    verdicts, missing = verdicts_of(result)
    taken: dict[str, list[str]] = {}
    for item in items:
        if item.key in kept.runs:
            taken.setdefault(kept.runs[item.key], []).append(item.measure.name)
    notes = [f"Taken over from {run}: {', '.join(names)}." for run, names in taken.items()]
    return replace(
        content,
        results=(result, *content.results),
        notes=(*content.notes, *notes),
        verdicts=verdicts,
        no_verdicts=missing,
    )
