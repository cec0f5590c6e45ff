# SPDX-License-Identifier: Apache-2.0
"""What is said of packets agrees with the rates below it."""

import pytest

from perfboard.model.results.packets import EchoResult, FloodRow, PacketsResult, TrialRow
from perfboard.report.html import render
from perfboard.report.text import run_text
from tests.support.runs import make_run


def trial(answered: int) -> TrialRow:
    return TrialRow(
        load=50_000, duration_s=3, sent=150_000, answered=answered, late=0, behind_s=0, counts=True
    )


@pytest.mark.parametrize(
    ("answered", "flooded", "said"),
    [
        (9, 1000, "settled on no highest rate without loss, though a trial of 237,341 packets/s"),
        (150_000, 999, "though a trial of 100,000 packets/s lost none"),
        (9, 999, "no rate without loss was found"),
    ],
)
def test_a_rate_without_loss_is_not_denied(answered: int, flooded: int, said: str) -> None:
    flood = FloodRow(payload=1, senders=1, window=8, rate=237_341, sent=1000, answered=flooded)
    echo = EchoResult(protocol="udp", flood=(flood,), trials=(trial(answered),))
    result = PacketsResult(address="127.0.0.1", senders=("local",), echoes=(echo,))
    run = make_run(study="packets", headline=None, metrics=(), results=(result,))
    for text in (run_text(run), render(run)):
        words = " ".join(text.split())
        assert said in words
        assert ("no rate without loss" in words) == said.startswith("no rate")
