# SPDX-License-Identifier: Apache-2.0
"""Measures on boards that are only told about: their jobs, and what they read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager

from perfboard.bench.base import BootFindings, Facts, KnownFacts, Notify
from perfboard.bench.job import Job
from perfboard.bench.talk.ends import Ends
from perfboard.bench.talk.tcp import Talk
from perfboard.measures.base import Example, Finding, Measure, Setting, Turn
from perfboard.measures.catalogue import get_measure
from perfboard.model.profile import Value
from perfboard.model.progress import SilentProgress
from perfboard.model.results.boot import Boot
from perfboard.model.run import Evidence, Metric
from perfboard.probes.session import Session
from perfboard.store.recording import Subject
from perfboard.targets.base import Shell
from perfboard.targets.serial.boot import SerialBoard

# A live target, where each thing is measured more than once.
LIVE = KnownFacts(Evidence.HOST, exact=False, repeats=5, ram=64 << 20)


class FakeBench:
    """A `Bench` with these facts, whose jobs print what `prints` says of them."""

    notes: tuple[str, ...] = ()

    def __init__(
        self,
        prints: Callable[[Job], str],
        facts: Facts = LIVE,
        talks: Callable[[Callable[[Job], str]], AbstractContextManager[Talk]] | None = None,
    ) -> None:
        self.facts, self._prints, self._talks = facts, prints, talks
        self.jobs: list[Job] = []

    def prepare(self, jobs: object, *, boots: bool = False) -> None:
        """Nothing has to be made ready."""

    def run(self, name: str, job: Job, notify: Notify) -> str:
        """See `Bench`."""
        self.jobs.append(job)
        return self._prints(job)

    def boots(self, levels: Mapping[str, str], count: int) -> Iterator[Boot]:
        """No test boots it."""
        raise NotImplementedError

    def line(self) -> AbstractContextManager[SerialBoard]:
        """No test writes to it."""
        raise NotImplementedError

    def boot_findings(self, boots: Sequence[Boot]) -> BootFindings:
        """No test boots it."""
        raise NotImplementedError

    @contextmanager
    def probe(self) -> Iterator[Session]:
        """No test probes it."""
        raise NotImplementedError
        yield

    @contextmanager
    def shell(self) -> Iterator[Shell]:
        """No test looks at its files."""
        raise NotImplementedError
        yield

    def learn(self, session: Session, facts: Mapping[str, str]) -> None:
        """No test probes it."""

    def ends(
        self, senders: Sequence[str], address: str, *, mine: bool
    ) -> AbstractContextManager[Ends]:
        """No test has ends."""
        raise NotImplementedError

    def check_ends(self, senders: Sequence[str], address: str, *, mine: bool) -> None:
        """No test has ends."""

    def talk(self, run: Callable[[Job], str]) -> AbstractContextManager[Talk]:
        """See `Bench`."""
        if self._talks is None:
            raise NotImplementedError
        return self._talks(run)

    def subject(self) -> Subject:
        """No test records it."""
        raise NotImplementedError


def setting_of(measure: Measure, parameters: Mapping[str, Value], facts: Facts) -> Setting:
    """Those parameters, and the defaults of the others."""
    return Setting({**measure.defaults(), **parameters}, facts)


def job_of(name: str, parameters: Mapping[str, Value], facts: Facts = LIVE) -> Job:
    """The job of the measure of that name."""
    measure = get_measure(name)
    job = measure.job(setting_of(measure, parameters, facts))
    assert job is not None
    return job


def metrics_of(
    name: str, output: str, parameters: Mapping[str, Value], facts: Facts = LIVE
) -> tuple[Metric, ...]:
    """What the measure of that name reads from an output."""
    measure = get_measure(name)
    return measure.read(output, setting_of(measure, parameters, facts)).metrics


def read_example(measure: Measure, example: Example, output: str | None = None) -> Finding:
    """What a measure finds in an example, or in another output in its place."""
    setting = setting_of(measure, example.parameters, example.facts)
    return measure.read(example.output if output is None else output, setting)


def read(name: str, output: str, facts: Facts = LIVE, **parameters: Value) -> Finding:
    """What the measure of that name finds in an output."""
    measure = get_measure(name)
    return measure.read(output, setting_of(measure, parameters, facts))


def measured(name: str, bench: FakeBench, **parameters: Value) -> Finding:
    """What the measure of that name finds on the bench."""
    measure = get_measure(name)
    asked = setting_of(measure, parameters, bench.facts)
    return measure.measure(name, bench, asked, Turn(name, SilentProgress()))
