# SPDX-License-Identifier: Apache-2.0
"""`perfboard gate`: did a run get worse?"""

import argparse
import re
import sys
from dataclasses import asdict, replace

from perfboard.analysis.gate.artifacts import with_functions, with_parts
from perfboard.analysis.gate.change import GateLevel, Rules
from perfboard.analysis.gate.judge import LAST, Judgement, judge
from perfboard.cli.options import options_from
from perfboard.cli.words import print_json
from perfboard.history.baselines import FIRST_RUN, accepted_baseline, find_baseline
from perfboard.model.errors import EXIT_FAILED_VERDICT, EXIT_INCONCLUSIVE, UsageError
from perfboard.model.text import printable
from perfboard.report.gate.formats import GATE_FORMATS
from perfboard.store.accepted import accept
from perfboard.store.boards import find_named
from perfboard.store.folder import check_ours, find_run
from perfboard.store.image import read_functions, read_parts
from perfboard.store.reading import load_run


def gate(options: argparse.Namespace) -> int:
    """Judges a stored run; 1 where it got worse, 5 with --strict where it is inconclusive."""
    _refuse_without_effect(options)
    if options.accept is not None and not options.measure:
        return _accept(options)
    rules = Rules(
        fail_above=parse_share("--fail-above", options.fail_above),
        false_alarms=parse_share("--false-alarms", options.false_alarms),
        patterns=tuple(options.metric),
    )
    if not 0 < rules.false_alarms <= 0.5:
        raise UsageError(f"--false-alarms {options.false_alarms}: give more than 0%, at most 50%")
    if options.measure:
        return _measure(options, rules)
    folder = find_named(options.run or "latest")
    run = load_run(folder)
    if options.baseline is None:
        baseline = accepted_baseline(run)
    else:
        baseline = find_baseline(run, options.baseline)
    found = explained(judge(run, baseline.runs, baseline.words, rules))
    if options.baseline is None and any(each.noise_unknown for each in found.findings):
        last = find_baseline(run, LAST)
        if len(last.runs) > 1:
            found = replace(found, by_last=judge(run, last.runs, last.words, rules))
    if baseline.first:
        check_ours(folder)
        accept(run.id, FIRST_RUN)
        found = replace(found, level=GateLevel.FIRST)
    _print(found, options)
    return _exit_code(found, options.strict)


def _refuse_without_effect(options: argparse.Namespace) -> None:
    """Raises UsageError for options that change nothing of what is asked, a line each."""
    given = set(options.given)
    given |= {f"--{name}" for name in ("metric", "tag") if getattr(options, name)}
    given |= {"--strict"} if options.strict else set()
    given |= {"--probe"} if getattr(options, "--probe") else set()
    given |= {"RUN"} if options.run else set()
    judging = {"--baseline", "--false-alarms", "--fail-above", "--metric", "--format", "--strict"}
    wrong = []
    if "--measure" in given:
        wrong += [
            f"{each}: --measure measures its own baseline, A; omit one of the two"
            for each in ("--accept", "--baseline", "RUN")
            if each in given
        ]
    else:
        wrong += [
            f"{each}: is for --measure A B; omit it, or give that too"
            for each in ("--pairs", "--probe", "--tag")
            if each in given
        ]
    if "--accept" in given and "--measure" not in given:
        wrong += [
            f"{each}: --accept judges nothing; omit one of the two"
            for each in sorted(judging & given)
        ]
    elif options.json and "--format" in given:
        wrong.append("--format: --json prints all; omit one of the two")
    if wrong:
        raise UsageError("\n".join(wrong))


def _measure(options: argparse.Namespace, rules: Rules) -> int:
    """Measures two things in turn, and judges the second."""
    from perfboard.cli.lab import lab_of
    from perfboard.studies.gate.study import GateOptions, gate_in_turn, sides_of

    given = options_from(GateOptions, options)
    sides = sides_of(options.measure, given, ("perfboard", *sys.argv[1:]))
    found = explained(gate_in_turn(sides, rules, given.pairs, lab_of(options)))
    _print(found, options)
    return _exit_code(found, options.strict)


def _accept(options: argparse.Namespace) -> int:
    """Takes a run as the baseline of later ones."""
    if not options.accept.strip():
        raise UsageError("--accept: give the reason, as in --accept 'a new kernel'")
    folder = find_named(options.run or "latest")
    check_ours(folder)
    run = load_run(folder)
    judge(run, (), "", Rules())
    taken = accept(run.id, options.accept)
    if options.json:
        print_json(taken.model_dump(mode="json", by_alias=True))
    else:
        print(printable(f"{run.id} is now the baseline of runs like it: {taken.reason}"))
    return 0


def explained(found: Judgement) -> Judgement:
    """The judgement with what the functions of both runs tell, if they have them."""
    if not found.baseline:
        return found
    sides = [find_run(id) for id in (found.baseline[0], found.run)]
    try:
        found = with_functions(found, *map(read_functions, sides))
        return with_parts(found, *map(read_parts, sides))
    except UsageError as error:
        # The answer does not rest on them.
        print(printable(f"perfboard: {error}"), file=sys.stderr)
        return found


def _print(found: Judgement, options: argparse.Namespace) -> None:
    if options.json:
        print_json(asdict(found))
    else:
        print(GATE_FORMATS[options.format](found), end="")
    if found.level is GateLevel.INCONCLUSIVE:
        print("perfboard: warning: the gate is inconclusive", file=sys.stderr)


def _exit_code(found: Judgement, strict: bool) -> int:
    if found.level is GateLevel.WORSE:
        return EXIT_FAILED_VERDICT
    unsure = found.level not in (GateLevel.SAME, GateLevel.BETTER)
    return EXIT_INCONCLUSIVE if strict and unsure else 0


def parse_share(option: str, text: str) -> float:
    """A share that the user writes in percent."""
    match = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,9})?)%|0", text)
    if match is None:
        raise UsageError(f"{option} {text}: give percent, as in {option} 0.5%")
    return float(match[1] or 0) / 100
