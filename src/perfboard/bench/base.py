# SPDX-License-Identifier: Apache-2.0
"""One board, real or virtual, as measures and studies are given it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from perfboard.bench.job import Job
from perfboard.model.results.base import Result
from perfboard.model.results.boot import Boot
from perfboard.model.run import Evidence, Metric

# The bench is known to all measures, and few of them need what it opens.
if TYPE_CHECKING:
    from perfboard.bench.talk.ends import Ends
    from perfboard.bench.talk.tcp import Talk
    from perfboard.model.board.gpu import Gpu
    from perfboard.model.board.power import Power
    from perfboard.model.published import PublishedValue
    from perfboard.probes.session import Session
    from perfboard.store.recording import Subject
    from perfboard.targets.base import Shell
    from perfboard.targets.serial.boot import SerialBoard

# The board's time so far, in s.
Notify = Callable[[float], None]


class Facts(Protocol):
    """The facts of a board that are known before it is measured."""

    @property
    def evidence(self) -> Evidence:
        """How its numbers are had."""

    @property
    def exact(self) -> bool:
        """Whether the same again takes the same time, so that once is enough, and short is."""

    @property
    def repeats(self) -> int:
        """How often each thing is measured."""

    @property
    def ram(self) -> int:
        """Its memory in bytes; 0: not known."""

    @property
    def sold_ram(self) -> int:
        """The memory that the real board is sold with, of a virtual one; 0: not known."""

    @property
    def gpu(self) -> "Gpu | None":
        """The real board's GPU, of a virtual one, if it is known what that takes."""

    @property
    def architecture(self) -> str:
        """Debian's name of that of its programs, as armhf; "": not known."""

    @property
    def lacks(self) -> frozenset[str]:
        """The kinds of instructions that its part does not have."""

    @property
    def published(self) -> "tuple[PublishedValue, ...]":
        """Figures that somebody published of the real board."""

    @property
    def power(self) -> "Power | None":
        """The model of a board without a meter."""

    @property
    def boot_budget_s(self) -> float | None:
        """The seconds that its boot may take, by its file."""

    @property
    def framebuffer(self) -> tuple[int, int] | None:
        """The pixels of its framebuffer, across and down; None: nobody sees what it draws there."""

    @property
    def has_model(self) -> bool:
        """Whether it can be timed by a model of its part."""


@dataclass(frozen=True)
class KnownFacts:
    """See `Facts`."""

    evidence: Evidence
    exact: bool
    repeats: int
    ram: int = 0
    sold_ram: int = 0
    gpu: "Gpu | None" = None
    architecture: str = ""
    lacks: frozenset[str] = frozenset()
    published: "tuple[PublishedValue, ...]" = ()
    power: "Power | None" = None
    boot_budget_s: float | None = None
    has_model: bool = False
    framebuffer: tuple[int, int] | None = None


@dataclass(frozen=True)
class BootFindings:
    """The findings of boots that are not marks, for the run."""

    metrics: tuple[Metric, ...] = ()
    results: tuple[Result, ...] = ()


class Bench(Protocol):
    """One board, real or virtual, and nothing above it asks which.

    A live bench opens its shell when it is first asked, and lets go of it to boot: a line has one
    user. A virtual one boots a small system of ours for each job; `boots` and `probe` are of the
    board's own image.
    """

    @property
    def facts(self) -> Facts:
        """The facts of the board."""

    def prepare(self, jobs: Sequence[Job], *, boots: bool = False) -> None:
        """Makes ready for all of them before one is run: one kernel with their features, a network
        card of ours for those that talk, and the board's own image or line if it `boots`.

        Raises UsageError where there is no room for one, or for an option or level.
        """

    def run(self, name: str, job: Job, notify: Notify) -> str:
        """Runs the job, and gives what its script prints. Artifacts go to the folder `name`.

        Raises NotMeasurable for what the board lacks, BoardFailed where it breaks down under the
        job.
        """

    def boots(self, levels: Mapping[str, str], count: int) -> Iterator[Boot]:
        """Boots of the board's own image with these levels in place of its own, as each ends.

        Artifacts go to `boot-1` and so on. Raises NotMeasurable where nothing resets the board,
        UsageError for levels or options that it cannot have, TargetError for a boot that fails.
        """

    def line(self) -> "AbstractContextManager[SerialBoard]":
        """The board on its line, to boot images that are written to it.

        Raises NotMeasurable where there is no line, UsageError for an option.
        """

    def boot_findings(self, boots: Sequence[Boot]) -> BootFindings:
        """The limits of boots that `boots` gave, and the findings of instruments."""

    def probe(self) -> "AbstractContextManager[Session]":
        """The probe's server, started on the board's own system, and removed with the context."""

    def shell(self) -> "AbstractContextManager[Shell]":
        """The live board's own shell, to look at files such as a meter's.

        Raises NotMeasurable where there is none.
        """

    def learn(self, session: "Session", facts: Mapping[str, str]) -> None:
        """Takes what probes found out of the board into its description."""

    def check_ends(self, senders: Sequence[str], address: str, *, mine: bool) -> None:
        """Raises UsageError as `ends` does, before anything is measured."""

    def ends(
        self, senders: Sequence[str], address: str, *, mine: bool
    ) -> "AbstractContextManager[Ends]":
        """The board's network, and those targets that talk to it at its address, "" for its own.

        `mine` lets the address be a public one. Raises UsageError for an address that is not the
        user's to flood, or is another machine's, and where there is no way between them.
        """

    def talk(self, run: Callable[[Job], str]) -> "AbstractContextManager[Talk]":
        """A client and a server, one of them on the board; `run` runs a job there.

        Raises NotMeasurable where there is no way between them.
        """

    def subject(self) -> "Subject":
        """The board and target, as the head of the run names them."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the target."""
