# SPDX-License-Identifier: Apache-2.0
"""The command, called in the test's own process."""

from perfboard.cli.command import main


def call(*words: str) -> int:
    """The exit code of `perfboard WORDS`."""
    try:
        return main(words)
    except SystemExit as leaving:
        assert isinstance(leaving.code, int)
        return leaving.code
