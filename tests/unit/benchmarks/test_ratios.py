# SPDX-License-Identifier: Apache-2.0
"""What `boards verify --json` found is written into the board's file."""

from typing import Any

import pytest
from ratios import with_ratios

HEAD = 'name = "b"\n\n'
ROW = """\
[[timing.published]]
metric = "program.a"
value = 2
use = "{use}"
{lines}source = "somebody"
"""


def row(ratio: float | None, host_s: float | None, use: str = "held-out") -> dict[str, Any]:
    found = {"metric": "program.a", "labels": {}, "factors": {}, "use": use, "modelled": True}
    return {**found, "ratio": ratio, "host_s": host_s}


@pytest.mark.parametrize(
    ("before", "measured", "after"),
    [
        ("", row(1.23456, 12.345), "ratio = 1.235\nhost = 12\n"),
        ("ratio = 1.1\nhost = 99\n", row(1.23456, 345.6), "ratio = 1.235\nhost = 350\n"),
        # A run that failed says nothing of the next one's time.
        ("ratio = 1.1\nhost = 99\n", row(None, None), "host = 99\n"),
        ("", row(1.0, None, "calibration"), ""),
        ("", row(1.2, None), "ratio = 1.2\n"),
    ],
)
def test_a_row_gets_its_ratio_and_its_cost(
    before: str, measured: dict[str, Any], after: str
) -> None:
    texts = [HEAD + ROW.format(use=measured["use"], lines=lines) for lines in (before, after)]
    found, _ = with_ratios(texts[0], [measured])
    assert found == texts[1]
    assert with_ratios(found, [measured])[0] == found
