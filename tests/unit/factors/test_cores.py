# SPDX-License-Identifier: Apache-2.0
"""The factor `cores`: what it makes of a board and its kernel, and what it refuses."""

import pytest

from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose, factors_of
from perfboard.model.errors import UsageError


def test_a_kernel_for_several_cores_has_what_they_need() -> None:
    loaded = load_board("rpi2")
    four = choose(loaded, {"cores": "4"}).recipe
    assert four.board.machine.cpus == 4
    assert four.options["CONFIG_SMP"] == "y"


@pytest.mark.parametrize("board", ["rpi2", "orangepi-pc", "rpi-zero2", "teres"])
def test_a_board_has_all_cores_of_its_part(board: str) -> None:
    as_it_is = choose(load_board(board), {}).recipe
    assert as_it_is.board.machine.cpus == 4
    assert as_it_is.options["CONFIG_SMP"] == "y"


def test_one_core_has_the_kernel_of_a_board_of_one() -> None:
    one = choose(load_board("rpi2"), {"cores": "1", "medium": "flash"}).recipe
    assert one.board.machine.cpus == 1
    assert one.options == choose(load_board("verdex"), {}).recipe.options


@pytest.mark.parametrize("cores", ["board", "2"])
def test_several_cores_that_are_counted_take_turns_by_instructions(cores: str) -> None:
    variant = choose(load_board("rpi2"), {"cores": cores, "detail": "counted"})
    assert not variant.timed
    assert (variant.timing or "").endswith("counted\n")
    one = choose(load_board("rpi2"), {"cores": "1", "detail": "counted"})
    assert one.timing is None


def test_a_board_whose_part_has_one_core_has_no_such_factor() -> None:
    board = load_board("verdex").board
    assert "cores" not in factors_of(board)
    with pytest.raises(UsageError, match='board verdex has no factor "cores"'):
        choose(load_board("verdex"), {"cores": "2"})


def test_it_is_never_a_way_to_make_a_board_faster() -> None:
    factor = factors_of(load_board("rpi2").board)["cores"]
    assert factor.other_hardware and factor.beyond_image
    assert not any(level.technique for name, level in factor.levels.items() if name != "board")


def test_more_cores_than_the_part_has_are_refused() -> None:
    loaded = load_board("rpi2")
    timing = loaded.board.timing
    assert timing is not None
    core = timing.core.model_copy(update={"cores": 2})
    board = loaded.board.model_copy(update={"timing": timing.model_copy(update={"core": core})})
    level = factors_of(board)["cores"].levels["4"]
    recipe = choose(loaded, {}).recipe
    with pytest.raises(UsageError, match="cores=4: the part of board rpi2 has 2"):
        level.change(type(recipe)(board))
