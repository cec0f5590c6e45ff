# SPDX-License-Identifier: Apache-2.0
"""Whether what an import answers of made-up boots holds their truth."""

import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from perfboard.analysis.boot.metrics import boot_rows
from perfboard.analysis.boot.phases import cut_boot, total
from perfboard.model.results.boot import Boot, BootResult
from perfboard.model.run import Run
from perfboard.store.folder import finished_folders, runs_folder
from perfboard.store.reading import load_run
from tests.support.fuzzed_imports import Trial, by_main, run_faults
from tests.support.log_forms import LogForm, choose_form
from tests.support.true_boots import PrintedLine, TrueBoard, TrueBoot, lines_of

_SILENCE_NS = 30 * 10**9
# Marks of before the kernel's clock, which its own times cannot show.
_BEFORE = ("reset", "console.first", "stage:", "bootloader.", "boot.command", "kernel.entry")


def try_boots(seed: int, folder: Path) -> Trial:
    """Imports a made-up log of that seed; the run is removed."""
    chance = random.Random(seed)
    boots, form = TrueBoard(chance).boots(), choose_form(chance)
    if form.name.startswith("dmesg"):
        # The kernel's log is of one boot.
        boots = boots[-1:]
    path = folder / "boot.log"
    late_ns = chance.choice([0, 0, 2_000_000, 16_000_000]) if form.clock == "host" else 0
    path.write_bytes(b"".join(form.write([*_delivered(chance, boots, late_ns)])))
    answer = by_main(["import", str(path), "--usable", "login:"])
    trial = Trial(seed, answer.code, answer.took_s, [*answer.faults((0, 2, 4))])
    runs = [load_run(each) for each in finished_folders()]
    for run in runs:
        trial.faults += run_faults(finished_folders()[0], answer)
        trial.faults += [f"{form.name}: {words}" for words in untruths(run, boots, form, late_ns)]
    if answer.code == 2 and _shows_boot(boots, form):
        trial.faults.append(f"{form.name}: refused: {answer.err[:300]}")
    shutil.rmtree(runs_folder(), ignore_errors=True)
    return trial


def _shows_boot(boots: Sequence[TrueBoot], form: LogForm) -> bool:
    """Whether it shows more than a kernel's first words, as a log that is shown again has."""
    has_times = form.name != "kernel" or any(
        b"[    0.000000]" in line.text for line in boots[0].lines
    )
    hung = boots[0].ending == "hung" and "bootloader.main" not in boots[0].at
    return not hung if form.clock == "host" else has_times


def _delivered(chance: random.Random, boots: list[TrueBoot], late_ns: int) -> Iterator[PrintedLine]:
    """The lines as a host gets them, each up to so much later, in their order."""
    free_ns = 0
    for line in lines_of(boots):
        first_ns = max(free_ns, line.first_ns + chance.randint(0, late_ns))
        free_ns = max(first_ns, line.last_ns + chance.randint(0, late_ns))
        yield replace(line, first_ns=first_ns, last_ns=free_ns)


def untruths(run: Run, boots: Sequence[TrueBoot], form: LogForm, late_ns: int = 0) -> Iterator[str]:
    """What of the run's boots is not true, or cannot be known from a log of that form.

    No log shows that its host got lines up to `late_ns` later.
    """
    answered = [boot for result in run.results_of(BootResult) for boot in result.boots]
    usable = [boot for boot in boots if boot.ending == "usable"]
    if form.name.startswith("dmesg"):
        usable = []
    expected = usable or [*boots]
    if len(answered) != len(expected):
        yield f"{len(answered)} boots for {len(expected)}"
        return
    truths = [_truth(each, boots, form) for each in expected]
    for boot, true, truth in zip(answered, expected, truths, strict=True):
        yield from _wrong_marks(boot, true, truth, form, _SLACK_NS + late_ns)
        yield from _wrong_spans(boot, true, form, late_ns)
    yield from _wrong_metrics(run, answered, truths, _SLACK_NS + late_ns)


def _truth(true: TrueBoot, boots: Sequence[TrueBoot], form: LogForm) -> dict[str, int]:
    """The instants of a boot on the clock of its answer."""
    place = [*boots].index(true)
    if form.clock == "kernel":
        zero_ns = true.zero_ns
    elif place:
        last = boots[place - 1].lines[-1]
        zero_ns = last.last_ns if form.at_end else last.first_ns
    else:
        zero_ns = true.lines[0].last_ns if form.at_end else true.lines[0].first_ns
    found = {name: ns - zero_ns for name, ns in true.at.items()}
    loaders = ("bootloader.main", "boot.command")
    end = "kernel.entry" if "kernel.entry" in found else "kernel.clock"
    if form.clock == "kernel" or not any(name in found for name in loaders):
        found["firmware.end"] = found.get(end if form.clock == "host" else "kernel.clock", 0)
    return found


def _wrong_marks(
    boot: Boot, true: TrueBoot, truth: dict[str, int], form: LogForm, slack_ns: int
) -> Iterator[str]:
    for mark in boot.marks:
        if mark.name not in truth or (form.clock == "kernel" and mark.name.startswith(_BEFORE)):
            yield f"{mark.name} cannot be known"
            continue
        at_ns, latest_ns = truth[mark.name], mark.latest_ns
        if not mark.earliest_ns <= at_ns + slack_ns or (
            latest_ns is not None and at_ns > latest_ns + slack_ns
        ):
            yield f"{mark.name} at {at_ns} is not in {mark.earliest_ns} to {latest_ns}"
    usable = boot.mark("usable")
    if usable is None or form.clock == "host":
        return
    if form.name != "kernel" or true.ending != "usable":
        yield "usable cannot be known"
    bound_ns, at_ns = true.bound_ns, truth["usable"]
    silent = bound_ns is None or bound_ns - true.zero_ns - at_ns > _SILENCE_NS
    if silent and usable.latest_ns is not None:
        yield f"usable, by {usable.latest_ns}, has no bound"


_SLACK_NS = 2_000


def _wrong_spans(boot: Boot, true: TrueBoot, form: LogForm, late_ns: int) -> Iterator[str]:
    for span in boot.spans:
        if span.name not in true.spans:
            yield f"a span {span.name}"
            continue
        start, end = true.spans[span.name]
        most_ns = span.duration_ns if span.most_ns is None else span.most_ns
        # A stamp states no precision for a span: that of two stamps, and of the lines themselves.
        slack_ns = (
            2 * (form.unit_ns + late_ns) + 100_000_000 * form.at_end
            if span.kind == "service"
            else 2000
        )
        if not span.duration_ns - slack_ns <= end - start <= most_ns + slack_ns:
            yield f"span {span.name} of {end - start} is not in {span.duration_ns} to {most_ns}"


def _wrong_metrics(
    run: Run, boots: Sequence[Boot], truths: Sequence[dict[str, int]], slack_ns: int
) -> Iterator[str]:
    rows = {row.name: row for row in boot_rows(boots)}
    for metric in run.metrics:
        row = rows.get(metric.name)
        if row is None:
            yield f"a metric {metric.name}"
            continue
        for number, (boot, truth) in enumerate(zip(boots, truths, strict=True)):
            true_s = _phase_ns(metric.name, boot, truth) / 1e9
            if metric.between is not None:
                least, most = metric.between
            else:
                precision_s = row.precision_ns / 1e9
                least, most = (metric.samples[number] + sign * precision_s for sign in (-1, 1))
            slack_s = 2 * slack_ns / 1e9
            if true_s < least - slack_s or (most is not None and true_s > most + slack_s):
                yield f"{metric.name} of {true_s:.6f} s is not in {least:.6f} to {most} s"


def _phase_ns(name: str, boot: Boot, truth: dict[str, int]) -> int:
    whole = total(boot)
    phases = [each for each in (*cut_boot(boot), whole) if each is not None and each.name == name]
    return sum(truth.get(each.end.name, 0) - truth.get(each.start.name, 0) for each in phases)
