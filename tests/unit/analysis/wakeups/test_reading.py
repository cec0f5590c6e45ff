# SPDX-License-Identifier: Apache-2.0
"""Reads what the probe printed of playbacks."""

import pytest

from perfboard.analysis.wakeups.reading import read_playbacks


@pytest.mark.parametrize(
    ("refused", "words"),
    [
        ("load burst12: Operation not permitted", " (it needs root)"),
        ("load copy: No space left on device", ""),
        ("a sound card: Operation not permitted", ""),
    ],
)
def test_a_load_that_needs_root_says_so(refused: str, words: str) -> None:
    (playback,) = read_playbacks(f"@wakeups timer 0 burst12\nrefused {refused}\n@end\n")
    assert playback.refused == refused + words
