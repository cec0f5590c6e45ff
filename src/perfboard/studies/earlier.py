# SPDX-License-Identifier: Apache-2.0
"""Earlier runs on a board, and whether what they measured is of the same set-up."""

from collections.abc import Iterator, Mapping
from importlib.metadata import version

from perfboard.model.errors import UsageError
from perfboard.model.run import Run
from perfboard.store.index import list_runs
from perfboard.store.reading import load_run
from perfboard.store.recording import Subject


def runs_on(study: str, board: str) -> Iterator[Run]:
    """The runs of the study on that board, the newest first."""
    for row in list_runs():
        if row.study == study and row.board == board:
            try:
                yield load_run(row.path)
            except UsageError:
                # A run that was damaged since tells nothing.
                continue


def is_of_setup(run: Run, subject: Subject) -> bool:
    """Whether target, levels, model and Perfboard were the same; of facts nothing is asked."""
    own, its = subject.board.timed_as, run.board.timed_as
    return (
        run.target == subject.target
        and run.evidence is subject.evidence
        and run.factors == dict(subject.levels)
        and (its and its.model) == (own and own.model)
        and run.provenance.perfboard == version("perfboard")
    )


def images_agree(known: Mapping[str, str], image: Mapping[str, str]) -> bool:
    """Whether what is known of both images, by their hashes, is the same."""
    return all(image.get(name, value) == value for name, value in known.items())
