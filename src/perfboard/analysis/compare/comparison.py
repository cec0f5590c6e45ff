# SPDX-License-Identifier: Apache-2.0
"""Two runs compared, metric by metric, and which phase a change came from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from perfboard.analysis.boot.phases import PHASES
from perfboard.analysis.compare.changes import Change, changes_of, percent, sign_of
from perfboard.analysis.statistics.summary import REPEATS, Interval, summary
from perfboard.model.errors import UsageError
from perfboard.model.results.probes import ProbeResult
from perfboard.model.run import TIMED_UNITS, Evidence, Metric, Run, Status
from perfboard.model.units import format_value

TOTAL = "boot.total"
_PHASE_NAMES = [phase.name for phase in PHASES]
# Parts of the set-up that differ each time.
_NEVER_THE_SAME = {("fact", "temperature")}
# Identifies a metric across runs: name, unit, labels.
_Key = tuple[str, str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class Side:
    """One of the two runs; `margin` is the share that its times may be wrong by, where timed."""

    id: str
    study: str
    board: str
    evidence: Evidence
    margin: float | None


@dataclass(frozen=True)
class Contribution:
    """One phase's share of the difference of boot.total, in s."""

    name: str
    difference: float


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
    first; they add up to it. `words` says the same in a sentence, and is empty
    where a run has no boot.total.
    """

    before: Side
    after: Side
    changes: tuple[Change, ...]
    contributions: tuple[Contribution, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    differences: tuple[Difference, ...]
    words: str


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
        if not any(metric.samples for metric in run.metrics):
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
    common = sorted((key for key in before if key in after), key=_rank)
    repeats = a.evidence in REPEATS and b.evidence in REPEATS
    changes = changes_of([(before[key], after[key]) for key in common], repeats)
    if a.evidence != b.evidence:
        changes = tuple(_with_margins(each, a.margin or 0.0, b.margin or 0.0) for each in changes)
    total = next((change for change in changes if change.name == TOTAL), None)
    contributions = _contributions(before, after, total) if total else ()
    return Comparison(
        before=Side(a.id, a.study, a.board.name, a.evidence, a.margin),
        after=Side(b.id, b.study, b.board.name, b.evidence, b.margin),
        changes=changes,
        contributions=contributions,
        only_before=tuple(label_name(before[key]) for key in before if key not in after),
        only_after=tuple(label_name(after[key]) for key in after if key not in before),
        differences=tuple(_differences(a, b)),
        words=_words(total, contributions) if total else "",
    )


def label_name(metric: Metric | Change) -> str:
    """The metric's name, with its labels in braces where it has any."""
    labels = ", ".join(f"{key}={value}" for key, value in sorted(metric.labels.items()))
    return f"{metric.name}{{{labels}}}" if labels else metric.name


def _with_margins(change: Change, before: float, after: float) -> Change:
    """The interval of a difference beyond both runs' margins, each a share of that run's times."""
    if change.interval is None or change.unit not in TIMED_UNITS:
        return change
    off = before * abs(change.before.mean) + after * abs(change.after.mean)
    interval = Interval(change.interval.low - off, change.interval.high + off)
    shown = change.shown and not interval.low <= 0 <= interval.high
    return replace(change, interval=interval, shown=shown)


def _by_key(run: Run) -> dict[_Key, Metric]:
    return {
        (metric.name, metric.unit, tuple(sorted(metric.labels.items()))): metric
        for metric in run.metrics
        if metric.samples
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
    before: Mapping[_Key, Metric], after: Mapping[_Key, Metric], total: Change
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


def _words(total: Change, contributions: tuple[Contribution, ...]) -> str:
    amount, change = format_value(abs(total.difference), "s"), percent(total.ratio)
    interval = total.interval
    if total.difference == 0 and (interval is None or interval.low == interval.high):
        return f"{TOTAL} is the same in both: {format_value(total.after.mean, 's')}"
    if interval is not None and interval.low <= 0 <= interval.high:
        return (
            f"{TOTAL}: no change shown; the means differ by {_signed(total.difference)} "
            f"({change}), interval {_signed(interval.low)} to {_signed(interval.high)}"
        )
    fell = total.difference < 0
    large = [part for part in contributions if abs(part.difference) >= 0.05 * abs(total.difference)]
    along = [part for part in large if (part.difference < 0) == fell][:3]
    against = [part for part in large if (part.difference < 0) != fell][:3]
    parts = [
        f"{format_value(abs(part.difference), 's')} {'in' if place else 'of it in'} {part.name}"
        for place, part in enumerate(along)
    ]
    words = f"{TOTAL} {'fell' if fell else 'rose'} by {amount} ({change})"
    if parts:
        words += ": " + ", ".join(parts)
    for part in against:
        size = format_value(abs(part.difference), "s")
        words += f"; against it, {part.name} {'rose' if fell else 'fell'} by {size}"
    if interval is None:
        words += " (no interval: a run has a single boot)"
    return words


def _signed(seconds: float) -> str:
    return sign_of(seconds) + format_value(abs(seconds), "s")


def _differences(a: Run, b: Run) -> Iterator[Difference]:
    """The differences of the set-ups: the runs first, then factors, image, tools and facts."""
    runs = [
        ("study", a.study, b.study),
        ("board", a.board.name, b.board.name),
        ("target", a.target, b.target),
        ("evidence", a.evidence, b.evidence),
        ("status", a.status, b.status),
        ("perfboard", a.provenance.perfboard, b.provenance.perfboard),
    ]
    for what, first, second in runs:
        if first != second:
            yield Difference(what, str(first), str(second))
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
        for result in run.results_of(ProbeResult)
        for process in result.processes
        if process.cpu is not None
    }
    return ", ".join(map(str, sorted(cpus))) or None
