# SPDX-License-Identifier: Apache-2.0
"""Holds boards against one profile: real ones one after the other, virtual ones at once."""

from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, Future, as_completed
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf

from perfboard.analysis.choice.answer import Candidate, Choice, choice_of, nearest_of
from perfboard.bench.lab import Lab
from perfboard.bench.opening import virtual_board
from perfboard.bench.request import Request
from perfboard.bench.workers.opening import open_workers
from perfboard.bench.workers.progress import WorkStep
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.run import Status
from perfboard.studies.choose.board import BoardStudy, profile_of
from perfboard.studies.choose.options import ChooseOptions
from perfboard.studies.choose.work import BoardEnd, BoardWork, RunKeeper, measured, sent, title_of

# A board's request, and the options for it.
BoardRequest = tuple[Request, ChooseOptions]


@dataclass
class Candidates:
    """The boards that were measured so far; `interrupted`: the user did not wait for all."""

    candidates: dict[str, Candidate] = field(default_factory=dict)
    interrupted: bool = False

    def add(self, target: str, board: str, end: BoardEnd) -> None:
        """Adds what came of a board, or puts it in place of what came of it before."""
        run = end.run
        errors = "; ".join(error.message for error in run.errors) if run else ""
        self.interrupted |= run is not None and run.status is Status.ABORTED
        name = run.board.name if run else board
        self.candidates[target] = Candidate(name, run, end.problem or errors)

    def choice(self, sure: float) -> Choice:
        """The answer by these boards."""
        return choice_of(list(self.candidates.values()), sure)


def choose_boards(
    asked: Sequence[BoardRequest], lab: Lab, tags: Mapping[str, str], *, named: bool
) -> Candidates:
    """Measures the boards of these requests, each with its options.

    Raises UsageError, before anything is measured, for a board that the user `named` and that
    cannot be held against the profile; another one has that as its problem. A board that fails is
    measured no further, unless the options say so. In the end the profile's changes are tried on
    those that fail by least. However it ends, all that was measured is kept. Raises
    EnvironmentLacksError if no board could be measured.
    """
    chosen, several, (first, options) = Candidates(), len(asked) > 1, asked[0]
    _, profile = profile_of(options, first)
    study = BoardStudy(stops=not options.all_rows and several, tries=not several)
    wrong = {request.target: study.check(request, given) for request, given in asked}
    refused = [line for lines in wrong.values() for line in lines]
    if refused and (named or all(wrong.values())):
        raise UsageError("\n".join(dict.fromkeys(refused)))
    for request, _ in asked:
        if problems := wrong[request.target]:
            chosen.add(request.target, title_of(request), BoardEnd(problem="; ".join(problems)))
    works = [BoardWork(study, *each) for each in asked if not wrong[each[0].target]]
    _measure(works, lab, tags, chosen)
    if several and profile.option and not chosen.interrupted:
        near = {each.board for each in nearest_of(chosen.choice(options.sure))}
        again = BoardStudy(stops=False)
        found = chosen.candidates
        more = [each for each in works if found[each.request.target].board in near]
        _measure([replace(each, study=again) for each in more], lab, tags, chosen)
    if problem := _of_this_machine(chosen):
        raise EnvironmentLacksError(problem)
    return chosen


def _of_this_machine(chosen: Candidates) -> str:
    """Why no board at all could be measured, or ""."""
    found = list(chosen.candidates.values())
    if not found or any(each.result for each in found):
        return ""
    return "\n".join(dict.fromkeys(each.problem for each in found))


def _measure(
    works: Sequence[BoardWork], lab: Lab, tags: Mapping[str, str], chosen: Candidates
) -> None:
    """Real boards first: what this machine does meanwhile may disturb them."""
    virtual = [each for each in works if virtual_board(each.request.target) is not None]
    # The progress of a board by itself says more.
    alone = works if len(works) == 1 else [each for each in works if each not in virtual]
    for each in alone:
        if not chosen.interrupted:
            end = measured(each.study, each.request, each.options, lab)
            chosen.add(each.request.target, each.title, end)
    if chosen.interrupted or not virtual or len(works) == 1:
        return
    try:
        _measure_at_once(virtual, lab, tags, chosen)
    except KeyboardInterrupt:
        chosen.interrupted = True


def _measure_at_once(
    works: Sequence[BoardWork], lab: Lab, tags: Mapping[str, str], chosen: Candidates
) -> None:
    options = works[0].options
    path, profile = profile_of(options, works[0].request)
    with lab.progress.step(f"choosing for {profile.profile.name}", inf) as step:
        shown = WorkStep(step, lab.clock)
        shown.tell(_words(chosen, 0, len(works), options.sure), len(works))
        futures: dict[Future[BoardEnd], BoardWork] = {}
        try:
            with open_workers(
                options.scheduler, lab, shown.note, partial(RunKeeper, tags)
            ) as submit:
                for each in works:
                    futures[submit(sent(each, path) if options.scheduler else each)] = each
                for number, future in enumerate(as_completed(futures), 1):
                    _add(futures[future], future, chosen)
                    left = len(works) - number
                    shown.tell(_words(chosen, number, len(works), options.sure), left, done=1)
        finally:
            # Those that were given up have stored what they had.
            for future, work in futures.items():
                if future.done() and work.request.target not in chosen.candidates:
                    _add(work, future, chosen)


def _add(work: BoardWork, future: "Future[BoardEnd]", chosen: Candidates) -> None:
    try:
        chosen.add(work.request.target, work.title, future.result())
    except CancelledError:
        chosen.add(work.request.target, work.title, BoardEnd(problem="it was not reached"))


def _words(chosen: Candidates, done: int, boards: int, sure: float) -> list[str]:
    right = len(chosen.choice(sure).right)
    found = [f"{right} {'is' if right == 1 else 'are'} right"] if right else []
    return [f"{done} of {boards} boards", *found]
