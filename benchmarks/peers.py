# SPDX-License-Identifier: Apache-2.0
"""The probe's figures next to those of the distribution's tools, from one run.

usage: python benchmarks/peers.py [--repetitions N] [--budget SECONDS] [--only TEXT]

Each repetition runs `perfboard study standard --target local`, and then every peer: mbw,
sysbench, stress-ng, fio and perf bench, of Debian's packages mbw, sysbench, stress-ng, fio
and linux-perf. For each quantity that both measure it prints the median over the
repetitions, ours over the peer's, and how far each varied: from the least to the greatest,
as a share of the median. Then the bars, of which `level` is met where ours is no worse,
`variation` where it varied no more than half as much. A peer whose figure is better for a
wrong reason has the reason next to it.
Then, for each repetition, the seconds that our study took, the steps of its latency curve
next to the caches that lscpu names, and why it stopped, at which precision. Its bars: no more
seconds than the budget, and a step at the size of each cache. Last stands what the latency is at
half of each cache and at twice its size, from a measurement that has time for the whole curve.
Exit code 1 where a bar is missed, or was not looked at: a peer is not installed, or left out
by --only, a figure is missing, or there is but one repetition, which has no variation. It says
which.
Run it on an idle machine, as a user who may use SCHED_FIFO (or that row is not looked at).
"""

import argparse
import json
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from peer_rows import Row, rows

from perfboard.analysis.statistics.cache_steps import find_steps
from perfboard.analysis.statistics.curves import cache_curve
from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.cli.progress import progress
from perfboard.model.progress import SilentProgress
from perfboard.model.run import Metric, Run
from perfboard.model.units import format_size, format_value
from perfboard.report.charts.graphs import size_span

# About how long a peer runs, for the time that is left.
PEER_S = 3.0
WORDS = {True: "met", False: "NOT", None: "-"}
PERFBOARD = Path(sys.executable).with_name("perfboard")


def our_value(run: Run, row: Row) -> float | None:
    """The best matching metric's median: over processes, of their own medians.

    Where a quantity has several loops it is the best one's, which in another repetition may be
    another.
    """
    found = [
        middle(metric)
        for metric in run.metrics
        if metric.name == row.metric and row.labels.items() <= metric.labels.items()
    ]
    if not found:
        return None
    better = next(metric.better for metric in run.metrics if metric.name == row.metric)
    return max(found) if better == "higher" else min(found)


def middle(metric: Metric) -> float:
    by_process: dict[int, list[float]] = {}
    for sample, process in zip(metric.samples, metric.processes, strict=True):
        by_process.setdefault(process, []).append(sample)
    return statistics.median(statistics.median(samples) for samples in by_process.values())


def spread(values: Sequence[float]) -> float:
    return (max(values) - min(values)) / statistics.median(values)


def repeat(
    compared: Sequence[Row], budget: str, said: str, begin: Callable[[str, float], None]
) -> Run:
    """One repetition: our study, and then each peer once.

    `begin` is told of each as it begins, with the seconds that it is planned to take.
    """
    command = [str(PERFBOARD), "study", "standard", "--target", "local", "--budget", budget]
    begin(f"{said}: perfboard", float(budget))
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    run = Run.model_validate_json(done.stdout)
    outputs: dict[tuple[str, ...], str] = {}
    for row in compared:
        ours = our_value(run, row)
        if ours is None:
            print(f"{row.peer}: we have no {row.metric} {row.labels}", file=sys.stderr)
            continue
        arguments = tuple(row.command)
        if arguments not in outputs:
            begin(f"{said}: {row.peer}", PEER_S)
            peer = subprocess.run(arguments, capture_output=True, text=True, check=False)
            outputs[arguments] = peer.stdout + (
                "" if "--output-format=json" in arguments else peer.stderr
            )
        try:
            row.theirs.append(row.read(outputs[arguments]))
            row.ours.append(ours)
        except ValueError as error:
            print(f"{row.peer}: {error}", file=sys.stderr)
    return run


def bars(row: Row, better: str) -> tuple[bool, bool | None]:
    """Whether ours is no worse than the peer's, and varied no more than half as much.

    Of one repetition nobody knows how much it varies.
    """
    ratio = statistics.median(row.ours) / statistics.median(row.theirs)
    level = ratio >= 1 if better == "higher" else ratio <= 1
    varied = spread(row.ours) <= spread(row.theirs) / 2 if len(row.ours) > 1 else None
    return level, varied


def quantity(row: Row) -> str:
    labels = ",".join(f"{name}={value}" for name, value in row.labels.items())
    return f"{row.metric} {labels}".rstrip()


def table(compared: Sequence[Row], run: Run) -> bool:
    """Prints the rows and their bars; whether all are met."""
    metrics = {metric.name: metric for metric in run.metrics}
    print(
        f"{'quantity':<60} {'ours':>12} {'peer':>12} {'ours/peer':>9} "
        f"{'varies':>13}  {'better':<6} level variation peer"
    )
    shown = [row for row in compared if row.ours]
    met = [bars(row, metrics[row.metric].better) for row in shown]
    for row, (level, variation) in zip(shown, met, strict=True):
        unit, better = metrics[row.metric].unit, metrics[row.metric].better
        ours, theirs = statistics.median(row.ours), statistics.median(row.theirs)
        wrong = row.wrong and f"WRONG: {row.wrong}"
        remarks = "; ".join(remark for remark in (row.note, wrong) if remark)
        print(
            f"{quantity(row):<60} {format_value(ours, unit):>12} "
            f"{format_value(theirs, unit):>12} {ours / theirs:>9.3f} "
            f"{spread(row.ours):>5.1%} /{spread(row.theirs):>6.1%}  {better:<6} "
            f"{WORDS[level]:<5} {WORDS[variation]:<9} "
            f"{row.peer}{f' ({remarks})' if remarks else ''}"
        )
    varied = [variation for _, variation in met if variation is not None]
    right = [level for row, (level, _) in zip(shown, met, strict=True) if not row.wrong]
    print(
        f"bars: level met in {sum(right)} of {len(right)} rows whose peer is right; variation "
        f"met in {sum(varied)} of {len(varied)} rows"
    )
    return all(right) and all(varied)


def caches() -> dict[str, int]:
    """The bytes of each cache that data is in, by the name that lscpu gives it."""
    command = ["lscpu", "--json", "--bytes", "--caches=NAME,TYPE,ONE-SIZE"]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["caches"]
    return {row["name"]: int(row["one-size"]) for row in found if row["type"] != "Instruction"}


def study_bars(runs: Sequence[Run], budget_s: float, named: Mapping[str, int]) -> bool:
    """Prints how long each of our runs took, and its steps; whether all bars are met."""
    words = ", ".join(f"{name} {format_size(size)}" for name, size in named.items())
    print(f"\ncaches, as lscpu -C names them: {words}")
    met = True
    for number, run in enumerate(runs, 1):
        seconds = (run.finished - run.started).total_seconds()
        steps = find_steps(cache_curve(run.metrics))
        missed = [
            name
            for name, size in named.items()
            if not any(step.low <= size <= step.high for step in steps)
        ]
        in_time = round(seconds) <= budget_s
        met = met and in_time and not missed
        found = ", ".join(size_span(step.low, step.high) for step in steps) or "none"
        print(
            f"repetition {number}: {seconds:.1f} s (bar: {budget_s:g} s, {WORDS[in_time]}); "
            f"steps {found} ({'NOT at ' + ', '.join(missed) if missed else 'met'})"
        )
        for note in run.provenance.notes:
            if note.startswith("Stopped after"):
                print(f"  {note}")
    return met


def latencies_around(named: Mapping[str, int], budget: str) -> None:
    """Prints the latency at half of each cache, and at twice, with all the time for the curve.

    What a guest has of a cache that others share is less than lscpu says; then nothing ends there.
    """
    command = [str(PERFBOARD), "measure", "memory.latency", "--budget", budget, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    run = Run.model_validate_json(done.stdout)
    curve = cache_curve(run.metrics)
    steps = ", ".join(size_span(step.low, step.high) for step in find_steps(curve)) or "none"
    print(f"perfboard measure memory.latency --budget {budget}: steps {steps}")
    for name, size in named.items():
        below = max((point for point in curve if point[0] <= size / 2), default=None)
        above = min((point for point in curve if point[0] >= size * 2), default=None)
        if below is None or above is None:
            print(f"  {name}: the curve does not go from half of it to twice")
            continue
        said = " to ".join(
            f"{format_value(latency, 's')} at {format_size(at)}" for at, latency in (below, above)
        )
        print(f"  {name}, {format_size(size)}: {said}, {above[1] / below[1]:.2f} times")


def chosen(every: Sequence[Row], only: str) -> list[Row]:
    """The rows whose programs are installed and whose peer's name has the text `only`."""
    compared = []
    for row in every:
        programs = [word for word in (row.command[0], row.peer.split()[0]) if "," not in word]
        missing = [word for word in programs if not shutil.which(word)]
        if missing:
            print(f"{row.peer}: {missing[0]} is not installed", file=sys.stderr)
        elif only in row.peer:
            compared.append(row)
    return compared


def not_looked_at(
    every: Sequence[Row], only: str, count: int, named: Mapping[str, int]
) -> Iterator[str]:
    """Which rows were not compared in each of `count` repetitions, and what else has no bar.

    `named` are the caches.
    """
    for row in every:
        if only not in row.peer:
            yield f"{quantity(row)} ({row.peer}): left out by --only"
        elif len(row.ours) < count:
            yield f"{quantity(row)} ({row.peer}): {len(row.ours)} of {count} figures"
    if count == 1:
        yield "the variation: one repetition has none"
    if not named:
        yield "the caches: lscpu names none"


def conclude(met: bool, unseen: Sequence[str]) -> int:
    """Prints whether all bars that were looked at are `met`, and which were not; the exit code."""
    for what in unseen:
        print(f"not looked at: {what}")
    if not met:
        print("a bar is missed")
    else:
        print("not every bar was looked at" if unseen else "every bar is met")
    return 0 if met and not unseen else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--budget", default="60", help="of our study, in seconds")
    parser.add_argument("--only", default="", help="peers whose name has this text")
    options = parser.parse_args()
    # On a new machine it is built first, which is no part of a study's time.
    find_binary(architecture_of(platform.machine()), SilentProgress())
    with tempfile.TemporaryDirectory(dir=".") as name:
        every = rows(Path(name))
        compared = chosen(every, options.only)
        count = options.repetitions
        runs: list[Run] = []
        commands = {tuple(row.command) for row in compared}
        planned_s = count * (float(options.budget) + PEER_S * len(commands))
        done_s = 0.0
        with progress().step("repetitions", planned_s) as step:

            def begin(said: str, seconds: float) -> None:
                nonlocal done_s
                step.update(done_s, said)
                done_s += seconds

            for index in range(count):
                runs.append(repeat(compared, options.budget, f"{index + 1} of {count}", begin))
    met = table(compared, runs[-1])
    named = caches()
    met &= study_bars(runs, float(options.budget), named)
    latencies_around(named, options.budget)
    return conclude(met, [*not_looked_at(every, options.only, count, named)])


if __name__ == "__main__":
    sys.exit(main())
