# SPDX-License-Identifier: Apache-2.0
"""The measures: one class for each thing that can be measured."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Self

from perfboard.bench.base import Bench, Facts, KnownFacts, Notify
from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.reading import absences
from perfboard.model.blocks import Block
from perfboard.model.profile import Value
from perfboard.model.progress import Progress, Step
from perfboard.model.results.base import Result
from perfboard.model.results.probes import ProbeProcess
from perfboard.model.run import TIMED_UNITS, Evidence, Metric, Unit
from perfboard.model.timed_as import SEVERAL
from perfboard.model.work import work_of

# Debian Policy, section 5.6.1.
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]{1,99}")


@dataclass(frozen=True)
class Quantity:
    """A metric that a measure gives: its name, its unit, its meaning, and which way is better."""

    name: str
    unit: Unit
    help: str
    better: Literal["lower", "higher"] = "lower"

    @property
    def work(self) -> str:
        """The class of work that a time or a rate is of; "" of a size or a count."""
        return (work_of(self.name) or SEVERAL) if self.unit in TIMED_UNITS else ""

    def metric(
        self, samples: Iterable[float], labels: Mapping[str, str] = MappingProxyType({})
    ) -> Metric:
        """A metric of it with these samples."""
        return Metric(
            name=self.name,
            unit=self.unit,
            better=self.better,
            labels=dict(labels),
            samples=tuple(samples),
        )


@dataclass(frozen=True)
class Parameter:
    """A setting of a measure: its name, its default, and its meaning with its unit.

    `labels` says whether it makes another thing of what is measured, so that metrics have it as a
    label: a number of repetitions does not.
    """

    name: str
    default: Value
    help: str
    labels: bool = True


@dataclass(frozen=True)
class Setting:
    """The parameters that a measure is given, and what is known of the board.

    `folder` is that of the profile which has them: files that they name lie there or below it.
    None: they are the user's own, and name any.
    """

    parameters: Mapping[str, Value]
    facts: Facts
    folder: Path | None = None

    @property
    def repeats(self) -> int:
        """How often each thing is measured."""
        return self.facts.repeats

    def text(self, name: str) -> str:
        """A parameter that is text. Raises NotMeasurable."""
        value = self.parameters[name]
        if not isinstance(value, str) or "\0" in value:
            raise NotMeasurable(f"{name} is {value!r}; give text")
        return value

    def whole(self, name: str, least: int = 1) -> int:
        """A parameter that is a whole number. Raises NotMeasurable."""
        value = self.parameters[name]
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise NotMeasurable(f"{name} is {value!r}; give a whole number of at least {least}")
        return value

    def packages(self) -> tuple[str, ...]:
        """The Debian packages that the parameter `packages` names. Raises NotMeasurable."""
        names = self.text("packages").split()
        for name in names:
            if not _PACKAGE.fullmatch(name):
                raise NotMeasurable(f"packages: {name!r} is no name of a Debian package")
        return tuple(names)


@dataclass(frozen=True)
class ShownMetric:
    """A figure of the first screen: its words, its metric, and the processor's share, if known."""

    title: str
    metric: Metric
    busy: Metric | None = None


# A note begins so that says why a part of a measure, as one cipher of several, has no figure.
NOT_MEASURED = "Not measured: "


@dataclass(frozen=True)
class Finding:
    """The findings of a measure, or the reason why it has none.

    `short` says it in a few words, `limit` names what held the board back, `why` how that is known.
    `absent` has the reasons why the target gave none of a metric, by its name. `reason` says why
    nothing was measured, and `failed` whether the board broke down under it. `blocks` are its own
    section of the report. `results` are those that a study concludes from.
    """

    metrics: tuple[Metric, ...] = ()
    figures: tuple[ShownMetric, ...] = ()
    short: str = ""
    limit: str = ""
    why: str = ""
    notes: tuple[str, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    failed: bool = False
    blocks: tuple[Block, ...] = ()
    results: tuple[Result, ...] = ()
    processes: tuple[ProbeProcess, ...] = ()


class Turn:
    """A measure under way: it tells how far it is, and what is found so far.

    `place` names the work at hand, as in "boot 3": an error's message begins with it.
    """

    def __init__(self, title: str, progress: Progress, place: str = "") -> None:
        self._title, self._progress, self.place = title, progress, place
        self.found = Finding()

    def step(self, total: float) -> AbstractContextManager[Step]:
        """The progress of a measure that knows how much it does."""
        return self._progress.step(self._title, total)

    @contextmanager
    def running(self) -> Iterator[Notify]:
        """The progress of jobs: they tell how long the board has run, and nobody how long yet."""
        with self.step(inf) as step:
            yield lambda now_s: step.update(now_s, f"{now_s:.0f} s of the board's time")

    def keep(self, found: Finding) -> None:
        """Has this recorded if the measure does not come to its end."""
        self.found = found


# A board that repeats exactly, for examples.
EXACT = KnownFacts(Evidence.TIMED, exact=True, repeats=1, ram=64 << 20)


@dataclass(frozen=True)
class Example:
    """An output of a script, and the first sample of each metric that it gives."""

    output: str
    figures: Mapping[str, float]
    parameters: Mapping[str, Value] = field(default_factory=dict)
    facts: Facts = EXACT


class Measure:
    """One thing that can be measured. A module of this room has one or more as MEASURES.

    Class attributes say what it is. The common test reads `examples` back.
    """

    # As in "disk.dd": in profiles, on the command line, in runs.
    name: str
    title: str
    metrics: tuple[Quantity, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    # The labels of its metrics that are no parameters, each with its values; none: they are not
    # known before it is measured.
    labels: Mapping[str, Sequence[str]] = MappingProxyType({})
    examples: tuple[Example, ...] = ()
    # Whether it boots the board's own image.
    boots: bool = False
    # Needs beyond those of its job at the defaults, in words.
    needs: tuple[str, ...] = ()

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        """The user's own commands among the parameters, which run on the target."""
        return ()

    def given(self, parameters: Mapping[str, Value]) -> Self:
        """The measure whose metrics are as these parameters say; without such ones it itself."""
        return self

    def job(self, setting: Setting) -> Job | None:
        """The script and its needs, for which the bench is prepared; None: it has none of its own.

        Raises NotMeasurable for a parameter.
        """
        return None

    def read(self, output: str, setting: Setting) -> Finding:
        """Reads what the script printed. Raises NotMeasurable."""
        raise NotImplementedError

    def blocks(self, output: str, setting: Setting) -> tuple[Block, ...]:
        """Blocks for the report that an output has, whether or not it can be read."""
        return ()

    def measure(self, name: str, bench: Bench, setting: Setting, turn: Turn) -> Finding:
        """Runs the job and reads it; a measure that boots, talks or runs again does so here.

        `name` is that of the folder of its artifacts. Raises NotMeasurable.
        """
        job = self.job(setting)
        if job is None:
            raise NotImplementedError
        turn.keep(Finding(notes=job.notes))
        with turn.running() as notify:
            output = bench.run(name, job, notify)
        absent = absences(output, {each.name for each in self.metrics})
        # The run has these even where the rest is refused.
        turn.keep(Finding(absent=absent, blocks=self.blocks(output, setting), notes=job.notes))
        found = self.read(output, setting)
        kept = turn.found
        blocks, notes = (*found.blocks, *kept.blocks), (*found.notes, *kept.notes)
        return replace(found, absent={**absent, **found.absent}, blocks=blocks, notes=notes)

    def quantity(self, metric: str) -> Quantity | None:
        """The quantity of that name; None: it gives no such metric."""
        return next((each for each in self.metrics if each.name == metric), None)

    def defaults(self) -> dict[str, Value]:
        """The value of each parameter that nobody gives."""
        return {each.name: each.default for each in self.parameters}
