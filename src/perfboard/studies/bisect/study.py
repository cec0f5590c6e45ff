# SPDX-License-Identifier: Apache-2.0
"""Finds the commit that made a board slower: git chooses the commits, boots decide."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

from perfboard.analysis.gate.change import GateLevel, Rules
from perfboard.analysis.gate.culprit import CommitRun, Culprit
from perfboard.analysis.gate.turns import judge_exact
from perfboard.analysis.statistics.summary import REPEATS
from perfboard.host.programs.command import follow
from perfboard.host.programs.git import GitStep, WorkTree, commit_of, work_tree
from perfboard.model.errors import BuildError, TargetError, UsageError
from perfboard.model.progress import Progress
from perfboard.model.run import Run


def bisect(
    repository: Path,
    ends: tuple[str, str],
    build: Sequence[str],
    measure: Callable[[Mapping[str, str]], Run],
    rules: Rules,
    progress: Progress,
) -> Culprit:
    """The first commit between the good and the bad one of `ends` that is nearer to the bad one.

    The command `build` runs in a work tree of its own, without a shell; `measure` is called
    with the tags of its run, and that folder as the current one. A commit that does not build or
    boot is skipped. Raises UsageError if the bad one is not worse by `rules`, and BuildError if one
    of the two cannot be built.
    """
    good, bad = (commit_of(repository, end) for end in ends)
    tried: dict[str, CommitRun] = {}
    runs: dict[str, Run] = {}
    with work_tree(repository, good) as tree:

        def make(commit: str) -> Run:
            with progress.step(f"building {commit[:10]}", float("inf")) as step:

                def show(line: str) -> bool:
                    step.update(0, line.strip())
                    return False

                outcome = follow(build, show, folder=tree.path)
            if outcome.code:
                raise BuildError(
                    f"--build {' '.join(build)}: ended with {outcome.code} at commit "
                    f"{commit[:10]}; its last lines:\n{outcome.last_lines}"
                )
            with chdir(tree.path):
                return measure({"commit": commit[:10]})

        for end in (good, bad):
            tree.check_out(end)
            runs[end] = make(end)
        if runs[good].evidence not in REPEATS:
            raise UsageError("--board: bisect needs a virtual board, which repeats its boots")
        whole = judge_exact(runs[good], runs[bad], rules)
        if whole.level is not GateLevel.WORSE:
            raise UsageError(
                f"{ends[1]} is not worse than {ends[0]} ({whole.level}), so there is nothing to "
                "find; `perfboard gate --measure A B` shows the figures"
            )
        worst = max(
            (each for each in whole.findings if each.level is GateLevel.WORSE),
            key=lambda each: abs((each.ratio or 2.0) - 1),
        )
        name, limit = worst.metric, (worst.before + worst.after) / 2
        only = replace(rules, patterns=(name,))

        def value_of(run: Run) -> float:
            return judge_exact(runs[good], run, only).findings[0].after

        tried[good] = CommitRun(tree.describe(good), value_of(runs[good]), "good", runs[good].id)
        tried[bad] = CommitRun(tree.describe(bad), value_of(runs[bad]), "bad", runs[bad].id)
        at = tree.bisect("start", bad, good)
        while not at.first:
            commit = tree.describe(tree.head())
            try:
                runs[commit.hash] = run = make(commit.hash)
                value = value_of(run)
                is_bad = (value > limit) == (worst.after > worst.before)
                found = CommitRun(commit, value, "bad" if is_bad else "good", run.id)
            except (BuildError, TargetError, UsageError) as error:
                found = CommitRun(commit, None, "skip", reason=str(error))
            tried[commit.hash] = found
            at = tree.bisect(found.verdict)
        return _culprit(tree, at, tried, runs, good, rules, (name, worst.unit))


def _culprit(
    tree: WorkTree,
    at: GitStep,
    tried: dict[str, CommitRun],
    runs: dict[str, Run],
    good: str,
    rules: Rules,
    metric: tuple[str, str],
) -> Culprit:
    judgement = None
    if len(at.first) == 1 and at.first[0] in runs:
        before = next((one for one in tree.parents(at.first[0]) if one in runs), good)
        judgement = judge_exact(runs[before], runs[at.first[0]], rules)
    first = tuple(map(tree.describe, at.first))
    return Culprit(*metric, first, tuple(tried.values()), judgement)
