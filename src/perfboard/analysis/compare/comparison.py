# SPDX-License-Identifier: Apache-2.0
"""Two runs compared, metric by metric, and which phase a change came from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from perfboard.analysis.boot.phases import PHASES
from perfboard.analysis.compare.answer import TOTAL, Contribution, answer
from perfboard.analysis.compare.changes import RunChange, changes_of
from perfboard.analysis.compare.guides import (
    AreaChange,
    area_changes,
    area_of,
    areas_of,
    guide_words,
    shown_of_guide,
)
from perfboard.analysis.compare.margins import margins_of, with_margins
from perfboard.analysis.statistics.summary import REPEATS, summary
from perfboard.model.errors import UsageError
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.run import Evidence, Metric, Run, Status
from perfboard.model.timed_as import StatedMargin
from perfboard.model.units import format_between, format_value

_PHASE_NAMES = [phase.name for phase in PHASES]
# Parts of the set-up that differ each time.
_NEVER_THE_SAME = {("fact", "temperature")}
# Identifies a metric across runs: name, unit, labels.
_Key = tuple[str, str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class Side:
    """One of the two runs; `margin` is that of its work of several classes, where it is timed."""

    id: str
    study: str
    board: str
    evidence: Evidence
    margin: StatedMargin | None


@dataclass(frozen=True)
class Difference:
    """A difference of the two set-ups; None if a run lacks the item."""

    what: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Comparison:
    """`after` compared with `before`.

    `changes` begin with the phases in the order of the boot and boot.total.
    `contributions` are the phases' parts of boot.total's change, the largest
    first; they add up to it. `bounded` are sentences on metrics that are known only between two
    values in one of the runs. `words` answers in sentences whether the runs differ.
    """

    before: Side
    after: Side
    changes: tuple[RunChange, ...]
    contributions: tuple[Contribution, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    differences: tuple[Difference, ...]
    words: str
    bounded: tuple[str, ...] = ()
    # Two guides have these.
    areas: tuple[AreaChange, ...] = ()


def compare(a: Run, b: Run, across_evidence: bool = False) -> Comparison:
    """Run `b` compared with run `a`.

    Raises UsageError where a run failed or has no metrics, and where their
    evidence differs unless `across_evidence`.
    """
    for run in (a, b):
        if run.status == Status.FAILED:
            raise UsageError(
                f"run {run.id} failed, so it cannot be compared; "
                f"see `perfboard show {run.id}`, and choose a complete run"
            )
        if not any(metric.extent for metric in run.metrics):
            raise UsageError(
                f"run {run.id} has no metrics (its status is {run.status}), so it cannot be "
                "compared; choose a complete run"
            )
    for run in (a, b):
        if run.evidence == Evidence.UNKNOWN:
            raise UsageError(
                f"run {run.id} has unknown evidence, which is compared with nothing. Import its "
                "files again, and say of what they are: `perfboard import FILE --evidence silicon`"
            )
    if a.evidence != b.evidence and not across_evidence:
        raise UsageError(
            f"run {a.id} is {a.evidence} and run {b.id} is {b.evidence}: numbers of different "
            "evidence are compared only on demand; add --across-evidence"
        )
    before, after = _by_key(a), _by_key(b)
    both = sorted((key for key in before if key in after), key=_rank)
    common = [key for key in both if before[key].samples and after[key].samples]
    bounded = {
        key: bounded_words(before[key], after[key]) for key in both if key not in set(common)
    }
    headlines = [words for key, words in bounded.items() if key[0] in (TOTAL, b.headline)]
    repeats = a.evidence in REPEATS and b.evidence in REPEATS
    pairs = [(before[key], after[key]) for key in common]
    changes = changes_of(pairs, repeats)
    of_guides = areas_of(a) and areas_of(b)
    owners = [area_of(b, metric) or area_of(a, old) for old, metric in pairs]
    if of_guides:
        changes = tuple(shown_of_guide(changes, pairs, owners, repeats))
    left_out = frozenset({*a.left_out, *b.left_out})
    changes = tuple(with_margins(each, margins_of(a, b, each.name), left_out) for each in changes)
    total = next((change for change in changes if change.name == TOTAL), None)
    contributions = _contributions(before, after, total) if total and not of_guides else ()
    gone, new = (
        [(label_name(metric), area_of(run, metric)) for key, metric in own.items() if key not in of]
        for run, own, of in ((a, before, after), (b, after, before))
    )
    areas = area_changes(a, b, list(zip(changes, pairs, owners, strict=True)), gone, new)
    words = guide_words(areas, repeats) if of_guides else answer(a, b, changes, contributions)
    return Comparison(
        before=Side(a.id, a.study, a.board.name, a.evidence, _several(a)),
        after=Side(b.id, b.study, b.board.name, b.evidence, _several(b)),
        changes=changes,
        contributions=contributions,
        only_before=tuple(name for name, _ in gone),
        only_after=tuple(name for name, _ in new),
        differences=tuple(_differences(a, b)),
        words=(not of_guides and " ".join(headlines)) or words,
        bounded=tuple(words for words in bounded.values() if of_guides or words not in headlines),
        areas=areas,
    )


def bounded_words(before: Metric, after: Metric) -> str:
    """A metric that one of two runs knows only between two values: different only if these say."""
    sides = [metric.extent or (0.0, None) for metric in (before, after)]
    (low, high), (other_low, other_high) = sides
    apart = (high is not None and high < other_low) or (other_high is not None and other_high < low)
    first, second = (
        format_value(least, before.unit)
        if least == most
        else format_between(least, most, before.unit)
        for least, most in sides
    )
    says = "they differ" if apart else "which is not enough to tell them apart"
    return f"{label_name(before)} is {first} before, and {second} after: {says}."


def label_name(metric: Metric | RunChange) -> str:
    """The metric's name, with its labels in braces where it has any."""
    labels = ", ".join(f"{key}={value}" for key, value in sorted(metric.labels.items()))
    return f"{metric.name}{{{labels}}}" if labels else metric.name


def _by_key(run: Run) -> dict[_Key, Metric]:
    # A modelled figure never meets a measured one.
    return {
        (
            metric.name,
            metric.unit,
            (
                *sorted(metric.labels.items()),
                *([("evidence", metric.evidence)] if metric.evidence else []),
            ),
        ): metric
        for metric in run.metrics
        if metric.extent
    }


def _rank(key: _Key) -> int:
    """Phases in the order of the boot, then the total, then the rest as recorded."""
    span = _phase_span(key)
    if span is not None:
        return span.start
    return len(PHASES) if key == (TOTAL, "s", ()) else len(PHASES) + 1


def _phase_span(key: _Key) -> range | None:
    """The places in PHASES that a metric times: one, or the run of a "+" name."""
    name, unit, labels = key
    first, *others = name.split("+")
    names = [first, *(f"boot.{other}" for other in others)]
    if unit != "s" or labels or first not in _PHASE_NAMES:
        return None
    start = _PHASE_NAMES.index(first)
    span = range(start, start + len(names))
    return span if names == _PHASE_NAMES[start : span.stop] else None


def _contributions(
    before: Mapping[_Key, Metric], after: Mapping[_Key, Metric], total: RunChange
) -> tuple[Contribution, ...]:
    """The total's difference, divided among the phases that both runs can tell apart.

    A cut that only one run has joins the phases around it. A part that no phase accounts for, since
    a boot lacked a mark, keeps its own name.
    """
    sides = [
        {span: metric for key, metric in side.items() if (span := _phase_span(key)) is not None}
        for side in (before, after)
    ]
    found: list[Contribution] = []
    start = 0
    for stop in range(1, len(PHASES) + 1):
        if any(span.start < stop < span.stop for side in sides for span in side):
            continue
        means = [
            [
                (len(span), summary(metric.samples).mean)
                for span, metric in side.items()
                if start <= span.start and span.stop <= stop
            ]
            for side in sides
        ]
        if all(sum(width for width, _ in side) == stop - start for side in means):
            name = "+".join(
                [_PHASE_NAMES[start]]
                + [name.removeprefix("boot.") for name in _PHASE_NAMES[start + 1 : stop]]
            )
            first, second = (sum(mean for _, mean in side) for side in means)
            found.append(Contribution(name, second - first))
        start = stop
    rest = total.difference - sum(part.difference for part in found)
    # Sums of floats differ in their last digits; that is not time spent anywhere.
    if abs(rest) > 1e-9 * max(total.before.mean, total.after.mean):
        found.append(Contribution("time that no common phase covers", rest))
    return tuple(sorted(found, key=lambda part: -abs(part.difference)))


def _differences(a: Run, b: Run) -> Iterator[Difference]:
    """The differences of the set-ups: the runs first, then factors, image, tools and facts."""
    runs = [
        ("study", a.study, b.study),
        ("board", a.board.name, b.board.name),
        ("target", a.target, b.target),
        ("evidence", a.evidence, b.evidence),
        ("status", a.status, b.status),
        ("timing model", _model(a), _model(b)),
        ("perfboard", a.provenance.perfboard, b.provenance.perfboard),
    ]
    for what, first, second in runs:
        if first != second:
            yield Difference(what, first and str(first), second and str(second))
    cpus = _cpus(a), _cpus(b)
    if cpus[0] != cpus[1]:
        yield Difference("CPU", *cpus)
    tables = [
        ("factor", a.factors, b.factors),
        ("image", a.provenance.image, b.provenance.image),
        ("package", a.provenance.packages, b.provenance.packages),
        ("tool", a.provenance.tools, b.provenance.tools),
        ("host", a.provenance.host, b.provenance.host),
        ("fact", a.board.facts, b.board.facts),
    ]
    for kind, old, new in tables:
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name) and (kind, name) not in _NEVER_THE_SAME:
                yield Difference(f"{kind} {name}", old.get(name), new.get(name))


def _cpus(run: Run) -> str | None:
    """The processors that probes were pinned to."""
    cpus = {
        process.cpu
        for result in run.results_of(MeasuresResult)
        for process in result.processes
        if process.cpu is not None
    }
    return ", ".join(map(str, sorted(cpus))) or None


def _several(run: Run) -> StatedMargin | None:
    return run.timed.several if run.timed else None


def _model(run: Run) -> str | None:
    return run.timed.model[:12] if run.timed and run.timed.model else None
