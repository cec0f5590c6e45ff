# SPDX-License-Identifier: Apache-2.0
"""Records a run, however the work that it is of ends."""

import errno
import os
import platform
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType

from perfboard.host.failures import defect_words, keep_details, lack_words
from perfboard.model.errors import (
    Cancelled,
    DefectError,
    EnvironmentLacksError,
    PerfboardError,
    TargetError,
)
from perfboard.model.results.base import Result
from perfboard.model.run import (
    BoardSummary,
    Evidence,
    Metric,
    NoVerdict,
    Provenance,
    Run,
    RunError,
    Status,
    Verdict,
)
from perfboard.store.folder import FULL, disk_words
from perfboard.store.making import RunFolder, new_run

# The errors of a target, of this machine and of the user, which a run records; others are defects.
_ENDS = (PerfboardError, OSError, MemoryError, KeyboardInterrupt, Cancelled)

# A disk with less is full.
_LEAST_FREE = 64 << 10
_NO_TAGS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Subject:
    """The measured board and target, as the head of the run names them."""

    board: BoardSummary
    target: str
    evidence: Evidence
    levels: Mapping[str, str] = field(default_factory=dict)
    # How levels change what is measured, by FACTOR=LEVEL.
    perturbed: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, str] = field(default_factory=dict)
    image: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Content:
    """The results of a study when it ends, early or not."""

    subject: Subject
    metrics: tuple[Metric, ...] = ()
    results: tuple[Result, ...] = ()
    notes: tuple[str, ...] = ()
    # Only a complete run keeps these three.
    verdicts: tuple[Verdict, ...] = ()
    no_verdicts: tuple[NoVerdict, ...] = ()
    errors: tuple[RunError, ...] = ()
    # The work under way, as in "boot 3": an error's message begins with it.
    step: str = ""


class Recording:
    """A run under way: its artifacts go to `folder`; `run` is there when it has ended."""

    run: Run

    def __init__(
        self,
        folder: RunFolder,
        study: str,
        command: tuple[str, ...],
        headline: str,
        tags: Mapping[str, str],
    ) -> None:
        """See `recording`. `command` is Perfboard's own, word by word."""
        self.folder = folder
        self._study, self._command, self._headline = study, command, headline
        self._tags = dict(tags)
        self._started = datetime.now(UTC)
        self._found: Callable[[], Content] | None = None
        self._end: BaseException | None = None

    @contextmanager
    def begin(self, found: Callable[[], Content]) -> Iterator[None]:
        """The measuring itself: an error that ends it is recorded, and not raised.

        `found` is asked once, when the whole recording has ended.
        """
        self._found = found
        with self.ending():
            yield

    @contextmanager
    def ending(self) -> Iterator[None]:
        """Keeps the first error that ends the run, or else a defect. Raises all before `begin`."""
        try:
            yield
        except BaseException as error:
            if self._found is None:
                self.folder.discard()
                raise
            if not isinstance(error, (Exception, KeyboardInterrupt)):
                raise
            if self._end is None or not isinstance(error, _ENDS):
                self._end = error

    def finish(self) -> None:
        """Writes the record. Raises a DefectError where it was no error of those that are foreseen.

        Its cause is the exception that has ended the run.
        """
        if self._found is None:
            raise RuntimeError("a recording ended that has not begun")
        found = self._found()
        subject = found.subject
        status, errors = Status.COMPLETE, found.errors
        if self._end is not None:
            status, error = _failure(self._end, found.step, self.folder.path)
            errors = (error,)
        self.run = Run(
            id=self.folder.id,
            study=self._study,
            board=subject.board,
            target=subject.target,
            evidence=subject.evidence,
            status=status,
            started=self._started,
            finished=datetime.now(UTC),
            factors=dict(subject.levels),
            tags=self._tags,
            provenance=Provenance(
                perfboard=version("perfboard"),
                command=tuple(as_text(word) for word in self._command),
                host={
                    "system": platform.platform(),
                    "processor": platform.machine(),
                    "python": platform.python_version(),
                },
                tools=dict(subject.tools),
                image=dict(subject.image),
                packages=dict(subject.packages),
                notes=found.notes,
            ),
            perturbed=dict(subject.perturbed),
            headline=self._headline or None,
            metrics=found.metrics,
            results=found.results,
            verdicts=found.verdicts if self._end is None else (),
            no_verdicts=found.no_verdicts if self._end is None else (),
            errors=errors,
        )
        self.run = self.folder.finish(self.run, self._without_results)
        if self._end is not None and not isinstance(self._end, _ENDS):
            raise DefectError(
                f"{self.run.errors[0].message}\nThe run is {self.run.id}."
            ) from self._end

    def _without_results(self, error: EnvironmentLacksError) -> Run:
        """The run where the disk has no room for the whole record."""
        refused = RunError(kind=error.kind, message=str(error))
        ended = self._end is not None
        return self.run.model_copy(
            update={
                "status": self.run.status if ended else Status.FAILED,
                "metrics": (),
                "results": (),
                "verdicts": (),
                "errors": (*self.run.errors, refused) if ended else (refused,),
            }
        )


@contextmanager
def recording(
    study: str,
    place: str,
    command: tuple[str, ...],
    headline: str,
    tags: Mapping[str, str] = _NO_TAGS,
) -> Iterator[Recording]:
    """A run of `study` on the board `place`, stored however the block ends.

    `headline` is the metric that the list of runs shows of it, or "". `tags` are the user's own.

    PerfboardError, OSError, MemoryError: failed. KeyboardInterrupt and Cancelled: aborted. Any
    other exception is a defect: failed, and a DefectError is raised. Before `begin` every error is
    raised, and the folder removed.
    """
    record = Recording(new_run(study, place), study, command, headline, tags)
    with record.ending():
        yield record
    record.finish()


def _full(folder: Path) -> str:
    return disk_words(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), folder)


def as_text(word: str) -> str:
    """A word of a command line, whose bytes need be no text."""
    return os.fsencode(word).decode(errors="backslashreplace")


def _failure(error: BaseException, step: str, folder: Path) -> tuple[Status, RunError]:
    """How an error ends a run, in words; `step` is the work that it ended."""
    if isinstance(error, (KeyboardInterrupt, Cancelled)):
        words = f"Interrupted in {step}." if step else "Interrupted."
        return Status.ABORTED, RunError(kind="interrupted", message=words)
    kind = error.kind if isinstance(error, PerfboardError) else EnvironmentLacksError.kind
    words = lack_words(error) or str(error)
    if isinstance(error, DefectError):
        words = f"{words} {keep_details(error)}"
    elif isinstance(error, TargetError) and shutil.disk_usage(folder).free < _LEAST_FREE:
        # A board whose instruments, or whose disk, cannot be written may do anything.
        kind, words = EnvironmentLacksError.kind, f"{_full(folder)}; {words}"
    elif not isinstance(error, _ENDS):
        kind, words = DefectError.kind, defect_words(error)
    elif isinstance(error, OSError) and error.errno in FULL:
        words = disk_words(error, Path(error.filename or folder))
    return Status.FAILED, RunError(kind=kind, message=f"In {step}: {words}" if step else words)
