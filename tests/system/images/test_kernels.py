# SPDX-License-Identifier: Apache-2.0
"""Each factor that changes a kernel's configuration: a kernel of it is built, and boots."""

from contextlib import suppress
from pathlib import Path

import pytest

from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose, image_factors
from perfboard.images.kernel.features import known_features
from perfboard.model.errors import UsageError

from ..conftest import COUNTED, Perfboard

BOARD = "verdex"
# All that 32-bit ARM has, in one kernel.
FEATURES = "+".join(name for name in known_features() if name != "io-ports")
LEVELS = {
    "compression": "xz",
    "config": "slim",
    "delay": "calibrated-2.6",
    "drivers": "deferred",
    "features": FEATURES,
    "kernel": "flash",
    "network": "waited",
    "nodes": "devtmpfs",
    "root": "ubifs",
}


@pytest.mark.kernels
@pytest.mark.parametrize("factor", LEVELS)
def test_a_kernel_of_the_factor_boots(tmp_path: Path, factor: str) -> None:
    command = Perfboard(tmp_path)
    # Its own kernel: the tests' has what some of these would add.
    command.boards = list
    words = ("--board", BOARD, "--boots", "1", "--set", f"{factor}={LEVELS[factor]}", *COUNTED)
    assert command.json("study", "boot", *words)["status"] == "complete"


@pytest.mark.kernels
def test_a_distributions_kernel_has_random_numbers_before_its_first_program(tmp_path: Path) -> None:
    command = Perfboard(tmp_path)
    command.boards = list
    words = ("--board", BOARD, "--boots", "1", "--set", "config=distribution", *COUNTED)
    run = command.json("study", "boot", *words)
    log = command.artifact(run, "boot-1/console.log").read_text(errors="replace")
    assert 0 < log.find("random: crng init done") < log.find("Run /sbin/init")


def test_no_factor_is_forgotten() -> None:
    loaded = load_board(BOARD)
    changing = set()
    for factor in image_factors(loaded.board).values():
        for level in factor.levels:
            # Some levels are refused, with the reason.
            with suppress(UsageError):
                recipe = choose(loaded, {factor.name: level}).recipe
                if recipe.options or recipe.distribution:
                    changing.add(factor.name)
    assert changing == LEVELS.keys()
