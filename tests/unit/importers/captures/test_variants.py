# SPDX-License-Identifier: Apache-2.0
"""A virtual boot as a capture, a console log and a trace, each on a clock of its own.

`benchmarks/joined.py` tries a hundred.
"""

import statistics
from pathlib import Path

import pytest

from tests.support.seen_boot import joined_errors, seen_boot


@pytest.mark.parametrize("channels", [1, 2, 3])
def test_the_truth_is_inside_the_stated_errors(channels: int, homes: Path, tmp_path: Path) -> None:
    errors = joined_errors(seen_boot(tmp_path / "seen", channels), channels)
    assert len(errors) == 20
    # The errors of one boot have those of its clocks in common: a part of them may be too large.
    assert all(error <= 2 * stated for error, stated in errors)
    if channels > 1:
        true_ns, stated_ns = map(statistics.median, zip(*errors, strict=True))
        assert true_ns < 2000 and stated_ns < 10_000
