# SPDX-License-Identifier: Apache-2.0
"""Measures two things in turn until it is known whether the second is worse."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from perfboard.analysis.gate.change import Rules
from perfboard.analysis.gate.judge import Judgement
from perfboard.analysis.gate.turns import Turn, judge_exact, judge_turns
from perfboard.analysis.statistics.summary import REPEATS
from perfboard.bench.lab import Lab
from perfboard.bench.opening import target_forms
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.boards.loader import LoadedReal, read_board
from perfboard.factors.choose import check_known, factors_of, trial_factors
from perfboard.model.errors import UsageError, error_of, refusals
from perfboard.model.options import option, parse_count, parse_one_level_each
from perfboard.model.progress import SilentProgress
from perfboard.model.run import Run, Status
from perfboard.model.target import virtual_name, virtual_target
from perfboard.studies.base import check_study, get_study, run_study
from perfboard.studies.plan import check_plan
from perfboard.studies.probing import ProbeOptions, measure_target, plan_of

# The time for one probe in one turn, and for all of them, in s.
_PROBE_S, _ALL_S = 2.0, 60.0
Measure = Callable[[Lab], Run]


@dataclass(frozen=True)
class GateOptions:
    """The options of `perfboard gate --measure`."""

    probe: tuple[str, ...] = option(
        (),
        "with --measure: run this probe (default: boot what is a board, and run all probes on a "
        "local or ssh target); repeatable",
        parse=tuple,
        metavar="PROBE",
        repeated=True,
    )
    pairs: int = option(
        40,
        "with --measure: the most pairs that search for a change; as many again may confirm one "
        "(default: 40)",
        parse=parse_count("pairs", 6, 1000),
        metavar="N",
    )


@dataclass(frozen=True)
class GateSide:
    """A or B: `measure` does so once, and stores the run.

    Sides of the same `kind`, in words, can be compared.
    """

    kind: str
    measure: Measure


def sides_of(texts: Sequence[str], options: GateOptions, command: tuple[str, ...]) -> list[Measure]:
    """Both sides of a gate. Raises UsageError with all that is wrong, before any is measured."""
    sides: list[GateSide] = []

    def add(text: str) -> None:
        sides.append(side_of(text, options, command))

    wrong = refusals(*(partial(add, text) for text in texts))
    if not wrong and sides[0].kind != sides[1].kind:
        each = "; ".join(f"{text} is {side.kind}" for text, side in zip(texts, sides, strict=True))
        wrong = [f"--measure {' '.join(texts)}: {each}; give two of one kind"]
    if wrong:
        raise UsageError("\n".join(wrong))
    return [side.measure for side in sides]


def side_of(text: str, options: GateOptions, command: tuple[str, ...]) -> GateSide:
    """The side that the user's text names.

    It is a board's name or file, a virtual board's with levels after commas
    ("verdex,console=quiet"), or a target. Raises UsageError for a text that is none of these, and
    for all that is wrong with it, before it is measured.
    """
    name, *levels = text.split(",")
    try:
        factors = parse_one_level_each(levels)
    except ValueError as error:
        raise UsageError(f"--measure {text}: {error}") from error
    booting = get_study("boot")
    boot = booting.options(boots=1)
    if name.partition(":")[0] in target_forms():
        request = Request(name, factors, command)
    elif isinstance(loaded := read_board(name), LoadedReal):
        real = loaded.board
        if not real.target:
            raise UsageError(
                f"{loaded.path}: target: is missing; write the line of the board there"
            )
        request = Request(real.target, factors, command, board=real)
        given = {key: getattr(real, key) for key in ("usable", "reset", "silence", "timeout")}
        boot = replace(boot, **{key: value for key, value in given.items() if value})
    else:
        # The user learns of a wrong level of B before A is measured.
        known = trial_factors(loaded.board) if options.probe else factors_of(loaded.board)
        check_known(f"board {loaded.board.name}", known, factors.items(), f"--measure {text}: ")
        request = Request(virtual_target(name), factors, command)
        boot = replace(boot, functions=True)
    what = "a board or machine" if virtual_name(request.target) is None else "a virtual board"
    if options.probe or request.target.partition(":")[0] not in booting.targets:
        time = max(_PROBE_S * len(options.probe), _PROBE_S) if options.probe else _ALL_S
        probing = ProbeOptions(time=time)
        if wrong := check_plan(plan_of("measure", options.probe, probing), request, BenchOptions()):
            raise UsageError("\n".join(wrong))
        return GateSide(
            f"{what} that probes run on",
            lambda lab: measure_target("measure", request, options.probe, probing, lab),
        )
    check_study(booting, request, boot)
    return GateSide(f"{what} that is booted", lambda lab: run_study(booting, request, boot, lab))


def gate_in_turn(sides: Sequence[Measure], rules: Rules, pairs: int, lab: Lab) -> Judgement:
    """Whether the second of two sides is worse than the first; `pairs` are the most that search.

    They are measured in the order A B B A, so that a drift of the machine cancels. Virtual boards
    repeat: one run of each decides. Raises PerfboardError for a run that failed, and
    KeyboardInterrupt for one that the user ended.
    """
    first = _once(sides[0], lab), _once(sides[1], lab)
    if first[0].evidence in REPEATS:
        return judge_exact(*first, rules)
    turns: list[Turn] = [first]
    silent = replace(lab, progress=SilentProgress())
    found, needs = judge_turns(turns, rules, pairs)
    began = lab.clock()
    with lab.progress.step("measuring in turn", 2 * pairs) as step:
        while found is None:
            # Every other pair has B first.
            backwards = len(turns) % 2
            one = _once(sides[backwards], silent)
            two = _once(sides[1 - backwards], silent)
            turns.append((two, one) if backwards else (one, two))
            left = (lab.clock() - began) / (len(turns) - 1) * (needs - len(turns))
            step.update(len(turns), f"pair {len(turns)}, next look at {needs} in {left:.0f} s")
            if len(turns) == needs:
                found, needs = judge_turns(turns, rules, pairs)
    return found


def _once(side: Measure, lab: Lab) -> Run:
    run = side(lab)
    if run.status is Status.ABORTED:
        raise KeyboardInterrupt
    if run.errors:
        raise error_of(run.errors[0].kind, f"{run.errors[0].message}\nThe run is {run.id}.")
    return run
