# SPDX-License-Identifier: Apache-2.0
"""Measures items on a bench, one after the other."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfboard.bench.base import Bench, Facts
from perfboard.bench.job import BoardFailed, Job, NotMeasurable
from perfboard.measures.base import Finding, Measure, Setting, Turn
from perfboard.model.profile import Value
from perfboard.model.results.probes import ProbeProcess
from perfboard.model.units import format_value

if TYPE_CHECKING:
    from perfboard.bench.lab import Lab


@dataclass(frozen=True)
class Item:
    """A measure with all of its parameters; `folder` is as `Setting` has it."""

    measure: Measure
    parameters: Mapping[str, Value]
    folder: Path | None = None

    @classmethod
    def of(
        cls,
        measure: Measure,
        given: Mapping[str, Value] | None = None,
        folder: Path | None = None,
    ) -> "Item":
        """The measure with the parameters `given`, and its defaults for the others."""
        return cls(measure, {**measure.defaults(), **(given or {})}, folder)

    def setting(self, facts: Facts) -> Setting:
        """Its parameters for a board with these facts."""
        return Setting(self.parameters, facts, self.folder)

    @property
    def key(self) -> str:
        """The same for the same work."""
        return key_of(self.measure.name, self.parameters)

    def labels(self) -> dict[str, str]:
        """Those parameters that are not the defaults, and make another thing of the measure."""
        return {
            each.name: str(self.parameters[each.name])
            for each in self.measure.parameters
            if each.labels and self.parameters[each.name] != each.default
        }


def key_of(measure: str, parameters: Mapping[str, Value]) -> str:
    """A text that is the same for the same work."""
    return f"{measure} {sorted(parameters.items())!r}"


@dataclass
class Findings:
    """The finding of each item so far, and the host's seconds for it, by `Item.key`.

    `processes` are those of probes that ran in turn with each other, `facts` are what the target
    told of itself by them, and `notes` are on them.
    """

    found: dict[str, Finding] = field(default_factory=dict)
    host_s: dict[str, float] = field(default_factory=dict)
    processes: tuple[ProbeProcess, ...] = ()
    facts: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    turn: Turn | None = None

    @property
    def place(self) -> str:
        """The work at hand, or ""."""
        return self.turn.place if self.turn else ""


def prepare(bench: Bench, items: Sequence[Item]) -> None:
    """Makes the bench ready for these items, before one is measured.

    An item with a wrong parameter needs nothing. Raises UsageError as `Bench.prepare` does.
    """
    jobs = filter(None, (job_of(item, bench.facts) for item in items))
    bench.prepare(list(jobs), boots=any(item.measure.boots for item in items))


def measure_items(
    items: Sequence[Item],
    bench: Bench,
    into: Findings,
    lab: "Lab",
    times: Mapping[str, float] | None = None,
    folder: str = "",
    enough: Callable[[], bool] = lambda: False,
) -> None:
    """Measures those of the items that are not in `into` yet, until there is `enough`.

    `times` are host seconds that items took before, by their keys, if runs may tell. `folder`
    begins the names of the folders of artifacts.
    """
    items = [item for item in items if item.key not in into.found]
    for number, item in enumerate(items, 1):
        if enough():
            return
        keys = [each.key for each in items[number - 1 :]]
        left = f", {time_left(keys, times)}" if times is not None else ""
        job = job_of(item, bench.facts)
        writes = f"; writes at most {format_value(job.writes, 'B')}" if job and job.writes else ""
        title = f"measuring {item.measure.name} ({number} of {len(items)}{left}{writes})"
        began = lab.clock()
        turn = into.turn = Turn(title, lab.progress, item.measure.name)
        name = f"{folder}{number}-{item.measure.name}"
        try:
            found = item.measure.measure(name, bench, item.setting(bench.facts), turn)
        except NotMeasurable as error:
            failed = isinstance(error, BoardFailed)
            found = replace(turn.found, reason=str(error), failed=failed)
        except BaseException:
            if turn.found.metrics or turn.found.results:
                into.found[item.key] = _labelled(item, turn.found)
            raise
        into.found[item.key] = _labelled(item, found)
        into.host_s[item.key] = lab.clock() - began
        into.turn = None


def _labelled(item: Item, found: Finding) -> Finding:
    """The finding, with labels that set it apart from the same measure with other parameters."""
    labels = item.labels()
    metrics = (
        metric.model_copy(update={"labels": {**labels, **metric.labels}})
        for metric in found.metrics
    )
    return replace(found, metrics=tuple(metrics))


def time_left(keys: Sequence[Any], times: Mapping[Any, float]) -> str:
    """How long these items take from now on, in words."""
    words = time_words(keys, times)
    return f"{words} left" if words else "no earlier run tells how long"


def time_words(keys: Sequence[Any], times: Mapping[Any, float]) -> str:
    """How long these items take, as in "about 4 min"; "" where that is known of none."""
    known = [times[key] for key in keys if key in times]
    if not known:
        return ""
    seconds = sum(known)
    words = f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
    return f"about {words}" if len(known) == len(keys) else f"more than {words}"


def job_of(item: Item, facts: Facts) -> Job | None:
    """The item's job on a board with these facts; None: it has none, or a wrong parameter."""
    with suppress(NotMeasurable):
        return item.measure.job(item.setting(facts))
    return None
