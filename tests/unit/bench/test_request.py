# SPDX-License-Identifier: Apache-2.0
"""The name of a board by its target, for the folder of its run."""

import pytest

from perfboard.bench.request import Request


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("virtual:./my board.toml", "my-board.toml"),
        ("virtual:../..", "target"),
        ("ssh://me@board.example:22", "board.example"),
    ],
)
def test_a_name_is_of_letters_digits_dots_and_dashes(target: str, name: str) -> None:
    assert Request(target, {}, ()).place == name
