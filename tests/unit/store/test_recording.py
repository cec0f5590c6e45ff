# SPDX-License-Identifier: Apache-2.0
"""A run is recorded however the work ends."""

import errno
import os
from pathlib import Path

import pytest

from perfboard.model.errors import Cancelled, DefectError, TargetError, UsageError, defects
from perfboard.model.results.boot import BootResult
from perfboard.model.run import Run, RunError, Status
from perfboard.store.folder import find_run, finished_folders, runs_folder
from perfboard.store.reading import load_run
from perfboard.store.recording import Content, Subject, recording
from tests.support.runs import make_boot, make_run

SUBJECT = Subject(make_run().board, "virtual:verdex", make_run().evidence)
BOOTS = BootResult(boots=(make_boot(),))


def record(found: Content, error: BaseException | None = None) -> Run:
    """A run that one boot was made for, after which the error came."""
    command = ("perfboard", "caf\udce9")
    with recording("boot", "verdex", command, "boot.total") as run, run.begin(lambda: found):
        run.folder.write_artifact("console.log", b"U-Boot")
        if error is not None:
            raise error
    assert load_run(find_run(run.run.id)).metrics == run.run.metrics
    return run.run


def test_a_complete_run_has_all_that_was_found() -> None:
    undecided = RunError(kind="inconclusive", message="Too few.")
    run = record(Content(SUBJECT, results=(BOOTS,), notes=("A note.",), errors=(undecided,)))
    assert (run.status, run.errors, run.results) == (Status.COMPLETE, (undecided,), (BOOTS,))
    assert run.provenance.notes == ("A note.",)
    assert run.provenance.command == ("perfboard", "caf\\xe9")


@pytest.mark.parametrize(
    ("error", "status", "kind", "words"),
    [
        (TargetError("panic", "It panics."), Status.FAILED, "panic", "In boot 2: It panics."),
        (UsageError("No such key."), Status.FAILED, "usage", "In boot 2: No such key."),
        (ConnectionError("reset"), Status.FAILED, "environment", "In boot 2: reset"),
        (
            OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/nowhere/log"),
            Status.FAILED,
            "environment",
            "In boot 2: the disk is full: cannot write /nowhere/log, ",
        ),
        (MemoryError(), Status.FAILED, "environment", "In boot 2: there is too little memory"),
        (
            OSError(errno.EMFILE, os.strerror(errno.EMFILE)),
            Status.FAILED,
            "environment",
            "In boot 2: Too many open files; raise the limit",
        ),
        (KeyboardInterrupt(), Status.ABORTED, "interrupted", "Interrupted in boot 2."),
        (Cancelled(), Status.ABORTED, "interrupted", "Interrupted in boot 2."),
    ],
)
def test_an_early_end_keeps_what_was_found(
    error: BaseException, status: Status, kind: str, words: str
) -> None:
    undecided = RunError(kind="inconclusive", message="Too few.")
    run = record(Content(SUBJECT, results=(BOOTS,), errors=(undecided,), step="boot 2"), error)
    (recorded,) = run.errors
    assert (run.status, recorded.kind, run.results) == (status, kind, (BOOTS,))
    assert recorded.message.startswith(words)
    assert run.verdicts == ()


@pytest.mark.parametrize("error", [TargetError("lost", "gone"), KeyboardInterrupt(), OSError()])
def test_nothing_is_left_of_a_run_that_has_not_begun(error: BaseException) -> None:
    with pytest.raises(type(error)), recording("boot", "verdex", (), ""):
        raise error
    assert list(runs_folder().iterdir()) == []


def test_a_defect_is_recorded_and_raised(homes: Path) -> None:
    with pytest.raises(DefectError) as raised:
        record(Content(SUBJECT, results=(BOOTS,), step="boot 2"), ZeroDivisionError("by nought"))
    run = load_run(finished_folders()[0])
    (recorded,) = run.errors
    assert (run.status, recorded.kind, run.results) == (Status.FAILED, "defect", (BOOTS,))
    assert "In boot 2: a defect of Perfboard" in recorded.message and run.id in str(raised.value)
    (details,) = (homes / "cache/perfboard/errors").iterdir()
    assert str(details) in str(raised.value)
    assert "ZeroDivisionError: by nought" in details.read_text()
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


def test_a_defect_that_was_expected_is_recorded_with_its_details(homes: Path) -> None:
    with pytest.raises(DefectError) as raised, defects("reading it"):
        raise KeyError("mark")
    (recorded,) = record(Content(SUBJECT), raised.value).errors
    (details,) = (homes / "cache/perfboard/errors").iterdir()
    assert recorded.kind == "defect" and str(details) in recorded.message
    assert "KeyError: 'mark'" in details.read_text()


@pytest.mark.parametrize("late", [TargetError("lost", "gone"), KeyboardInterrupt()])
def test_the_first_error_is_what_ended_it(late: BaseException) -> None:
    with recording("boot", "verdex", (), "") as run:
        with run.begin(lambda: Content(SUBJECT)):
            raise TargetError("hang", "silent")
        raise late
    assert [error.kind for error in run.run.errors] == ["hang"]
