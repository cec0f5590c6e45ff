# SPDX-License-Identifier: Apache-2.0
"""The options that a distribution's kernel costs any program."""

import pytest

from perfboard.boards.loader import load_board
from perfboard.images.kernel.distribution import (
    chosen,
    distribution_options,
    options_of,
)
from perfboard.images.packages.apt import AptState
from perfboard.images.recipe import Recipe
from perfboard.model.progress import SilentProgress

CONFIG = """\
# Linux/arm 6.1 Kernel Configuration
CONFIG_SMP=y
CONFIG_HZ=250
CONFIG_LSM="landlock,apparmor"
CONFIG_CGROUPS=y
CONFIG_NO_HZ_FULL=y
# CONFIG_NO_HZ_IDLE is not set
CONFIG_SECURITY_APPARMOR=y
CONFIG_FUNCTION_TRACER=y
CONFIG_KPROBES=y
CONFIG_ZSWAP_COMPRESSOR_DEFAULT="lzo"
CONFIG_E1000=m
CONFIG_EXT4_FS=y
CONFIG_SECURITY_PATH=m
CONFIG_SMP_ON_UP=y
# CONFIG_SERIAL_8250 is not set
"""


def test_what_any_program_pays_for_is_taken_and_drivers_are_not() -> None:
    assert chosen(CONFIG) == {
        "CONFIG_SMP": "y",
        "CONFIG_HZ": "250",
        "CONFIG_LSM": '"landlock,apparmor"',
        "CONFIG_CGROUPS": "y",
        "CONFIG_NO_HZ_FULL": "y",
        "CONFIG_NO_HZ_IDLE": "n",
        "CONFIG_SECURITY_APPARMOR": "y",
        "CONFIG_FUNCTION_TRACER": "y",
        "CONFIG_KPROBES": "y",
    }


@pytest.mark.parametrize("text", ["", "nonsense\n", "CONFIG_SMP\n", "CONFIG_HZ=$(reboot)\n"])
def test_other_lines_ask_for_nothing(text: str) -> None:
    assert chosen(text) == {}


def test_the_kernel_of_a_boards_own_distribution_has_its_options_over_debians() -> None:
    timing = load_board("rpi-zero").board.timing
    assert timing is not None and timing.distribution is not None
    assert options_of(CONFIG, timing) == {
        **chosen(CONFIG),
        **timing.distribution.options,
        "CONFIG_SMP": "n",
    }
    other = load_board("orangepi-pc").board.timing
    assert options_of(CONFIG, other) == options_of(CONFIG, None) == chosen(CONFIG)


def test_a_board_that_asks_for_no_distribution_needs_no_package() -> None:
    recipe = Recipe(load_board("rpi2").board)
    assert distribution_options(recipe, AptState("armhf", SilentProgress()), "linux-x") == {}


def test_what_debians_kernel_unwinds_its_stack_by_is_taken_where_it_has_a_choice() -> None:
    assert chosen("CONFIG_UNWINDER_FRAME_POINTER=y\n") == {"CONFIG_UNWINDER_GUESS": "n"}
    assert chosen("# CONFIG_UNWINDER_FRAME_POINTER is not set\n") == {}
