# SPDX-License-Identifier: Apache-2.0
"""The command, called in the test's own process."""

from perfboard.cli.command import main
from perfboard.model.run import Run
from perfboard.store.folder import finished_folders
from perfboard.store.reading import load_run


def call(*words: str) -> int:
    """The exit code of `perfboard WORDS`."""
    try:
        return main(words)
    except SystemExit as leaving:
        assert isinstance(leaving.code, int)
        return leaving.code


def imported(*words: str) -> Run:
    """The run that `perfboard import WORDS` makes."""
    before = set(finished_folders())
    assert call("import", *words) == 0
    (made,) = set(finished_folders()) - before
    return load_run(made)
