# SPDX-License-Identifier: Apache-2.0
"""What the levels of a board's factors ask of its image."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.boards.loader import list_boards, load_board
from perfboard.factors.choose import changed, choose, factors_of, image_factors
from perfboard.images.kernel.drivers import driver_files
from perfboard.images.kernel.features import feature_options
from perfboard.images.recipe import Recipe
from perfboard.model.board.virtual import FlashBoard, VirtualBoard
from perfboard.model.errors import UsageError
from tests.support.board_files import built_kernel
from tests.support.variants import variant_of

BOARD = load_board("verdex").board


def recipe(**levels: str) -> Recipe:
    return variant_of(**levels).recipe


@pytest.mark.parametrize("name", list_boards())
def test_the_default_levels_change_nothing_but_what_cores_and_medium_need(name: str) -> None:
    board = load_board(name).board
    needed = {
        **built_kernel(board).options,
        **(feature_options("smp") if board.machine.cpus > 1 else {}),
    }
    expected = Recipe(board, options=needed)
    if isinstance(board, FlashBoard) and board.medium:
        driven = {"CONFIG_BLK_DEV": "y", "CONFIG_PERFBOARD_DISK": "y"}
        medium = board.medium.name
        expected = Recipe(board, options=needed | driven, environment="tree", medium=medium)
    assert variant_of(name).recipe == expected


@given(st.data())
def test_any_two_levels_make_a_recipe_or_say_why_not(data: st.DataObject) -> None:
    known = factors_of(BOARD)
    names = data.draw(st.lists(st.sampled_from(sorted(known)), min_size=2, max_size=2, unique=True))
    levels = {name: data.draw(st.sampled_from([*known[name].levels])) for name in names}
    try:
        made = recipe(**levels)
    except UsageError as error:
        # It names a factor that is at fault, or the level by its own name.
        assert any(f"{name}=" in str(error) for name in levels)
    else:
        assert recipe(**dict(reversed(levels.items()))) == made


def test_a_level_that_changes_something_is_seen_in_the_recipe() -> None:
    plain, seen = Recipe(BOARD), []
    for name, factor in image_factors(BOARD).items():
        for level in list(factor.levels)[1:]:
            try:
                made = recipe(**{name: level})
            except UsageError:
                continue
            same = {
                ("baud", "115200"),
                ("bootdelay", "0"),
                ("network", "instant"),
                ("ram", "64M"),
                ("wire", "100M"),
            }
            assert (name, level) in same or made != plain, f"{name}={level}"
            seen.append(made)
    distinct = [a for a, b in itertools.combinations(seen, 2) if a == b]
    assert not [made for made in distinct if made != plain]


def test_what_levels_say() -> None:
    assert recipe(console="quiet").arguments == ("quiet",)
    assert recipe(console="off").arguments == ("loglevel=0",)
    assert recipe(baud="9600").board.console.baud == 9600
    assert recipe(bootdelay="3").variables == {"bootdelay": "3"}
    assert recipe(compression="xz").options == {"CONFIG_KERNEL_GZIP": "n", "CONFIG_KERNEL_XZ": "y"}
    assert recipe(compression="none").headed and not recipe(compression="lzo").headed
    assert recipe(delay="calibrated").board.machine.cpu == "cortex-a7,cntfrq=900000"
    assert recipe(delay="preset").arguments == ("lpj=1990656",)


def test_the_older_calibration_is_another_kernel_and_nothing_else() -> None:
    older = recipe(delay="calibrated-2.6")
    assert older.options == {"CONFIG_PERFBOARD_CALIBRATE": "y"}
    assert replace(older, options={}) == recipe(delay="calibrated")
    assert [file.suffix for file in driver_files(older.options)] == [".c", ".Kconfig"]


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ({"compression": "zstd"}, "unpacks no such kernel"),
        ({"compression": "none", "kernel": "flash"}, "needs compression=gzip; found none"),
        ({"compression": "xz", "kernel": "xip"}, "not compressed; found compression=xz"),
        ({"check": "crc32", "kernel": "flash"}, "has no header"),
        ({"check": "crc32", "load": "region"}, "load=region needs"),
        ({"compression": "none", "copy": "bytes"}, "copy=bytes needs"),
        ({"bootloader": "none", "bootdelay": "3"}, "bootloader=none leaves nothing"),
        ({"console": "off", "initcall_debug": "on"}, "what console=off silences"),
    ],
)
def test_what_cannot_be_together_is_refused(levels: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        variant_of(**levels)


def with_slim(slim: dict[str, str]) -> VirtualBoard:
    kernel = BOARD.image.kernel.model_copy(update={"slim": slim})
    return BOARD.model_copy(
        update={"image": BOARD.image.model_copy(update={"kernel": kernel})},
    )


def test_a_slim_kernel_is_asked_for_what_the_board_says() -> None:
    board = with_slim({"CONFIG_EXPERT": "y", "CONFIG_AIO": "n", "CONFIG_MTD_UBI": "n"})
    made = variant_of(board, config="slim").recipe
    assert made.options == built_kernel(board).slim
    # What another level needs is there all the same, whichever comes first.
    both = variant_of(board, config="slim", root="ubifs").recipe
    assert both.options["CONFIG_MTD_UBI"] == "y"
    assert both.options["CONFIG_AIO"] == "n"
    early = with_slim({"CONFIG_KERNEL_XZ": "n"})
    xz = variant_of(early, config="slim", compression="xz").recipe
    assert xz.options["CONFIG_KERNEL_XZ"] == "y"


def test_a_distributions_kernel_has_a_seed_for_its_random_numbers() -> None:
    assert variant_of(config="distribution").recipe.options["CONFIG_PERFBOARD_SEED"] == "y"


def test_a_board_that_says_nothing_of_a_slim_kernel_is_told_how_to_find_it() -> None:
    board = with_slim({})
    with pytest.raises(UsageError, match="`perfboard boards slim BOARD` finds"):
        variant_of(board, config="slim")


def test_a_board_without_a_calibrated_value_has_none_to_preset() -> None:
    kernel = BOARD.image.kernel.model_copy(update={"loops_per_jiffy": None})
    board = BOARD.model_copy(
        update={"image": BOARD.image.model_copy(update={"kernel": kernel})},
    )
    with pytest.raises(UsageError, match=r"no image\.kernel\.loops_per_jiffy; boot it with"):
        variant_of(board, delay="preset")


def test_a_board_with_a_model_is_timed_unless_the_level_is_given() -> None:
    loaded = load_board("verdex")
    timed = choose(loaded, {"flash": "cached"})
    assert (timed.levels["detail"], timed.levels["flash"]) == ("timed", "cached")
    assert timed.timed and " cached 515000000 36000000 " in (timed.timing or "")
    given = choose(loaded, {"detail": "counted"})
    assert not given.timed and given.timing is None
    assert changed(given, {"flash": "cached", "detail": "timed"}) == timed
    # A board without a model counts.
    counted = replace(loaded, board=BOARD.model_copy(update={"timing": None}))
    assert not choose(counted, {}).timed


def test_memory_and_clock_are_those_of_other_parts() -> None:
    own, other = variant_of("converter"), variant_of("converter", ram="24M", clock="1.5x")
    assert (own.board.machine.ram, other.board.machine.ram) == (16 << 20, 24 << 20)
    assert own.board.timing is not None and other.board.timing is not None
    assert other.board.timing.clock.hz == round(own.board.timing.clock.hz * 1.5)
    # Memory is as fast as it was.
    assert other.board.timing.memory == own.board.timing.memory
    assert other.timing != own.timing


def test_a_framebuffer_stays_at_the_end_of_another_memory() -> None:
    other = variant_of("rpi2", ram="128M").board
    assert isinstance(other, FlashBoard) and other.framebuffer is not None
    assert other.machine.ram == 128 << 20
    assert other.framebuffer.address == 0x4000_0000 + (127 << 20)
    with pytest.raises(UsageError, match="ram=32M: the bootloader of board rpi2 copies the kernel"):
        variant_of("rpi2", ram="32M")
