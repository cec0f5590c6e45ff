# SPDX-License-Identifier: Apache-2.0
"""A tune's results, as its run has them: metrics, advice, the limit, published figures."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from perfboard.analysis.boot.limit import boot_limit
from perfboard.analysis.boot.metrics import KERNEL_SIZE, counted_metrics, metrics_of
from perfboard.analysis.budget import hold
from perfboard.analysis.statistics.summary import Interval
from perfboard.analysis.tune.combinations import (
    START,
    Combination,
    Known,
    allowed,
    best_of,
    bound,
    effects,
    middle_s,
    saving_interval,
)
from perfboard.factors.choose import perturbations, timing_factors
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.budget import total_limit
from perfboard.model.results.boot import Boot, BootResult
from perfboard.model.results.tune import (
    Advice,
    PublishedChange,
    PublishedRate,
    PublishedTuneBoot,
    TuneLimit,
    TuneResult,
)
from perfboard.model.run import Evidence, Metric
from perfboard.model.units import parse_size
from perfboard.store.recording import Content, Subject
from perfboard.studies.tune.advice import Build, lines_between
from perfboard.studies.tune.flash import FACTOR as FLASH
from perfboard.studies.tune.flash import READ_BANDWIDTH
from perfboard.studies.tune.options import TuneOptions
from perfboard.studies.tune.proof import Proof
from perfboard.studies.tune.sweep import Sweep

FLASH_SIZE = "image.flash.size"
RAM_USED = "boot.ram.used"


def found_by(
    options: TuneOptions, sweep: Sweep, proof: Proof, subject: Subject, notes: Iterable[str] = ()
) -> Content:
    """All that the sweep and the proof of its best found; `subject` is the start."""
    plan, board = sweep.plan, sweep.plan.board
    best = best_of(sweep.space, sweep.known)
    space = sweep.space
    tries, tried, places = sweep.recorded()
    # Published figures belong to the board of the board's file.
    virtual = subject.evidence in (Evidence.TIMED, Evidence.COUNTED)
    tuning = TuneResult(
        titles=plan.titles(),
        start=dict(plan.start.levels),
        max_flash=options.max_flash,
        max_ram=options.max_ram,
        keep=dict(options.keep),
        allow=_by_factor(options),
        tries=tuple(tries),
        best=None if best is None else places[best],
        combinations=len(space.all) or space.count,
        exhaustive=bool(space.all) and all(each in sweep.known for each in space.all),
        bound_s=bound(plan.space, sweep.known),
        advice=() if best is None else tuple(_advice(sweep, best)),
        limit=_limit(sweep) if virtual else None,
        published=tuple(
            PublishedChange(**technique.model_dump(exclude={"kind"}))
            for technique in board.techniques
            if virtual
        ),
        published_boots=tuple(
            PublishedTuneBoot(**boot.model_dump(exclude={"kind", "source"}))
            for boot in board.published_boots
            if virtual
        ),
        published_rates=tuple(_rates(board)) if virtual else (),
        tried=tuple(tried),
    )
    notes = (*notes, *proof.notes)
    if not proof.boots and len(tries) > len(plan.refused):
        ended = len(tries) - len(plan.refused)
        notes += (f"The tries that ended, {ended}, are kept: run the tune again to go on.",)
    # A real board has none of the timing model's.
    others = () if virtual else timing_factors(board)
    chosen = plan.variant(best or START).levels
    levels = {factor: level for factor, level in chosen.items() if factor not in others}
    subject = replace(subject, levels=levels, perturbed=perturbations(levels))
    found = Content(
        subject,
        metrics=proof.metrics,
        results=(*_boots(proof.boots), tuning),
        notes=notes,
        errors=proof.errors,
    )
    if best is None:
        return found
    result = sweep.results[best]
    boots = proof.boots or result.boots
    metrics = (
        *metrics_of(boots),
        *counted_metrics(boots),
        Metric(name=KERNEL_SIZE, unit="B", samples=(float(result.flash["kernel"]),)),
        *_metrics(sweep, places),
        *proof.metrics,
    )
    total = next((metric for metric in metrics if metric.name == "boot.total"), None)
    budget_s = board.boot.budget_s
    limits = options.budget or ([] if budget_s is None else [total_limit(budget_s)])
    evidence = subject.evidence
    timed = subject.board.timed_as if evidence is Evidence.TIMED else None
    held = [
        hold(
            total,
            limit.budget,
            evidence,
            stated=timed.stated(total.name) if timed else None,
            precision=_reset_s(boots),
            has_model=board.timing is not None,
        )
        for limit in limits
        if total is not None
    ]
    return replace(
        found,
        subject=replace(subject, image=result.hashes, packages=result.packages),
        metrics=metrics,
        results=(*_boots(boots), tuning),
        notes=tuple(dict.fromkeys((*result.notes, *notes))),
        verdicts=tuple(verdict for each in held for verdict in each.verdicts),
        no_verdicts=tuple(none for each in held for none in each.no_verdicts),
    )


def _boots(boots: tuple[Boot, ...]) -> tuple[BootResult, ...]:
    return (BootResult(boots=boots),) if boots else ()


def _reset_s(boots: Iterable[Boot]) -> float:
    """How far the instant of the reset, from which the totals count, may be off, in s."""
    resets = (boot.mark("reset") for boot in boots)
    return max((mark.precision_ns for mark in resets if mark), default=0) / 1e9


def _rates(board: VirtualBoard) -> Iterator[PublishedRate]:
    """The published figures of the flash at only one of its set-ups."""
    for figure in board.timing.published if board.timing else ():
        if figure.metric == READ_BANDWIDTH and figure.factors.keys() == {FLASH}:
            size = figure.labels.get("size")
            yield PublishedRate(
                level=figure.factors[FLASH],
                size=parse_size(size) if size else None,
                value=figure.value,
                use=figure.use,
                source=figure.source,
            )


def tries_to(known: Known, best: Combination) -> list[Combination]:
    """From the start to the best, a change at a time: what saves most by itself first."""
    order = sorted(best, key=lambda item: (-(_alone(known, item) or 0.0), item))
    return [frozenset(order[: count + 1]) for count in range(len(order))]


def _alone(known: Known, item: tuple[str, str]) -> float | None:
    base, measured = known.get(START), known.get(frozenset({item}))
    return base.total_s - measured.total_s if base and measured else None


def _by_factor(options: TuneOptions) -> dict[str, tuple[str, ...]]:
    factors = dict.fromkeys(factor for factor, _ in options.allow)
    return {f: tuple(level for factor, level in options.allow if factor == f) for f in factors}


def _metrics(sweep: Sweep, places: Iterable[Combination]) -> Iterator[Metric]:
    """The time, phases and cost of each combination that booted, labelled by its levels."""
    # In the order of the tries: they end in another each time.
    for combination in places:
        measured = sweep.known[combination]
        if measured is None:
            continue
        labels = dict(sorted(combination)) or {"levels": "start"}
        for metric in metrics_of(sweep.results[combination].boots):
            if metric.name == "boot.total" or metric.name in measured.phases:
                yield metric.model_copy(update={"labels": labels})
        sizes = {FLASH_SIZE: measured.flash, RAM_USED: measured.ram}
        for name, size in sizes.items():
            if size is not None:
                yield Metric(name=name, unit="B", labels=labels, samples=(float(size),))


def _advice(sweep: Sweep, best: Combination) -> Iterator[Advice]:
    """Each change of the best, with what it does with those before it."""
    plan, known = sweep.plan, sweep.known
    here, last = START, START
    for one in tries_to(known, best):
        ((factor, level),) = one - here
        here = one
        beside = _beside(sweep, last, one)
        if beside:
            last = one
        yield Advice(
            factor=factor,
            title=plan.titles()[factor],
            old=plan.start.levels[factor],
            new=level,
            alone_s=_alone(known, (factor, level)),
            loses=plan.loses(frozenset({(factor, level)})).get(factor, ""),
            **beside,
        )


def _beside(sweep: Sweep, last: Combination, one: Combination) -> dict[str, Any]:
    """A try's saving and cost after the last that booted; nothing if it does not boot."""
    before, after = sweep.known[last], sweep.known.get(one)
    if before is None or after is None:
        return {}
    saved = _interval(sweep, last, one)
    known_ram = before.ram is not None and after.ram is not None
    return {
        "saving_s": before.total_s - after.total_s,
        "low_s": saved.low if saved else None,
        "high_s": saved.high if saved else None,
        "phases": effects(before, after),
        "flash": after.flash - before.flash,
        "ram": (after.ram or 0) - (before.ram or 0) if known_ram else None,
        "lines": lines_between(_build(sweep, last), _build(sweep, one)),
    }


def _interval(sweep: Sweep, last: Combination, one: Combination) -> Interval | None:
    """The interval of what a try saves, by the start's boots between which both came."""
    before, after = sweep.results[last], sweep.results[one]
    old, new = sweep.beside(before), sweep.beside(after)
    if not new:
        return saving_interval(before.boots, after.boots)
    if not old:
        return saving_interval(new, after.boots)
    return saving_interval(before.boots, after.boots, middle_s(new) - middle_s(old))


def _build(sweep: Sweep, combination: Combination) -> Build:
    result = sweep.results[combination]
    return Build(sweep.plan.variant(combination), result.variables, result.arguments)


def _limit(sweep: Sweep) -> TuneLimit | None:
    timing = sweep.plan.board.timing
    if timing is None or not sweep.plan.start.timed:
        return None
    found = []
    for combination, result in sweep.results.items():
        if result.boot is not None and allowed(sweep.plan.space, combination):
            levels = sweep.plan.variant(combination).levels
            own = {factor: levels[factor] for factor in timing.factors}
            found.append((result.boot, timing.at(own)))
    card = sweep.plan.start.recipe.card
    return boot_limit(found, card.transfer if card else None)
