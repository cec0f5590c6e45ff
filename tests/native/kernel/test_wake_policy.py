# SPDX-License-Identifier: Apache-2.0
"""The kernel's policy of the trigger level is the one that is simulated."""

import subprocess
from pathlib import Path
from random import Random

import pytest

from tests.support.wake_policy import HOLD_NS, Adaptive

from ..sanitized import ROOT, compile_sanitized

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("policy") / "policy"
    return compile_sanitized(program, ROOT / "native/kernel", HERE / "wake_policy_harness.c")


@pytest.mark.parametrize("buffers", [2, 3, 8, 64])
@pytest.mark.parametrize("period", [100_000, 5_804_988, 1_000_000_000])
def test_both_choose_the_same_levels(harness: Path, buffers: int, period: int) -> None:
    random = Random(buffers * period)
    policy, now = Adaptive(buffers, period), 0
    lines, expected = [f"{buffers} {period}"], []
    for _ in range(3000):
        now += random.choice((period, HOLD_NS // 16, random.randrange(HOLD_NS)))
        needed = random.choice((0, period, random.randrange(1 + buffers * period)))
        lines.append(f"{now} {needed}")
        policy.note(now, needed)
        expected.append(policy.choose(now))
    text = "\n".join(lines)
    done = subprocess.run([harness], input=text, capture_output=True, text=True, check=True)
    assert [int(line) for line in done.stdout.split()] == expected
    assert buffers == 2 or len(set(expected)) > 1
