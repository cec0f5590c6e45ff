# SPDX-License-Identifier: Apache-2.0
"""What a tune over all factors of verdex finds, and what the boot study of 2009 found by hand.

usage: python benchmarks/tune.py

Runs the tune as a user does, from the boot study's start; kernels and boots that are there already
are not made again, else it takes an hour and more. Then boots what it promises by `study boot`.
Exit code 1 where a bar is missed, a level by itself does not build or boot, or a published
technique is far off without a reason.
"""

import subprocess
import sys
import time

from perfboard.model.results.tune import TuneResult, in_words
from perfboard.model.run import Run
from perfboard.report.sections.tune.published import published_rows
from perfboard.report.sections.tune.rows import best_of, booted, start_of

# The boot study of 2009, its last table: 3356 ms, then 1470 ms.
STUDY_E = 1 - 1470 / 3356
LEAST_SAVING = 0.75
MOST_APART = 1e-4
_START = "delay=calibrated"
# Debian's U-Boot does not survive the copy of all of the kernel's region: docs/boards/factors.md.
_DEAD = ({"load": "region"},)


def perfboard(*words: str) -> Run:
    """The run that the command made; its progress goes to standard error."""
    command = [sys.executable, "-m", "perfboard.cli.main", *words, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1, 5):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    return Run.model_validate_json(done.stdout)


def failed_levels(tuning: TuneResult) -> list[str]:
    """The levels that do not build or boot by themselves, but for those known not to."""
    return [
        f"{in_words(each.levels)}: {each.outcome}"
        for each in tuning.tries
        if each.stage == "alone" and each.outcome in ("not-built", "not-booted")
        if each.levels not in _DEAD
    ]


def unexplained(tuning: TuneResult) -> list[str]:
    """The published techniques that save something else here, of which nobody says why."""
    rows = zip(tuning.published, published_rows(tuning), strict=True)
    return [f"{row.title}: {row.ratio}" for each, row in rows if row.note and not each.differs]


def main() -> int:
    """The tune, its best by hand of the study, and the bars."""
    began = time.monotonic()
    run = perfboard("tune", "boot", "--board", "verdex", "--set", _START)
    took = time.monotonic() - began
    (tuning,) = run.results_of(TuneResult)
    tried = booted(tuning)
    start, best = start_of(tried), best_of(tuning, tried)
    if start is None or best is None:
        sys.exit("no combination is the best")
    levels = tuning.start | best.record.levels
    words = [word for each in levels.items() for word in ("--set", "=".join(each))]
    proof = perfboard("study", "boot", "--board", "verdex", "--boots", "1", *words)
    again = next(metric.samples[0] for metric in proof.metrics if metric.name == "boot.total")
    saving, apart = 1 - best.total_s / start.total_s, abs(again / best.total_s - 1)
    print(f"{took:.0f} s, {len(tried)} boots of {tuning.combinations} combinations")
    print(f"start {start.total_s:.6f} s, best {best.total_s:.6f} s")
    if tuning.limit:
        print(f"limit {tuning.limit.seconds:.3f} s")
    print(f"best: {in_words(best.record.levels)}")
    print(f"saves {saving:.1%} (bar {LEAST_SAVING:.0%}; the boot study by hand {STUDY_E:.0%})")
    print(f"loses {len(best.record.loses)} functions (bar 0)")
    print(f"booted again: {again:.6f} s, {apart:.1e} apart (bar {MOST_APART:.0e})")
    failed, odd = failed_levels(tuning), unexplained(tuning)
    print(f"{len(failed)} levels do not build or boot (bar 0)", *failed, sep="\n  ")
    print(f"{len(odd)} published techniques are off unexplained (bar 0)", *odd, sep="\n  ")
    missed = saving < LEAST_SAVING or best.record.loses or apart > MOST_APART or failed or odd
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
