# SPDX-License-Identifier: Apache-2.0
"""What a live target says of itself."""

import pytest

from perfboard.bench.live_facts import LiveFacts
from perfboard.model.run import Evidence
from perfboard.targets.base import Reply, Target
from tests.support.shells import SayingShell


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("armhf\n", "armhf"),
        ("armv6l\n", "armhf"),
        ("armv5tejl\n", "armel"),
        ("aarch64\n", "arm64"),
        ("i686\n", "i386"),
        ("x86_64\n", "amd64"),
        ("sh: dpkg: not found\n", ""),
    ],
)
def test_a_target_says_which_architecture_its_programs_are_of(said: str, known: str) -> None:
    class Shell(SayingShell):
        def run(self, script: str, *, timeout_s: float = 20) -> Reply:
            return Reply(0, said)

    facts = LiveFacts(lambda: Target("local", Evidence.HOST, Shell(), probe="x86_64"))
    assert facts.architecture == known
