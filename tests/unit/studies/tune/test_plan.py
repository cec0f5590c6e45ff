# SPDX-License-Identifier: Apache-2.0
"""What a tune refuses before anything runs, and what it will try."""

import math
from typing import Any

import pytest

from perfboard.analysis.tune.combinations import START
from perfboard.model.errors import UsageError
from perfboard.studies.tune.plan import check_smallest, tools_of
from tests.support.tunes import plan_of


def test_each_level_but_the_starts_is_tried_alone() -> None:
    plan = plan_of(start={"flash": "delivered"})
    assert plan.alone[0] == START
    levels = {factor: [] for factor in plan.space.levels}  # type: dict[str, list[str]]
    for ((factor, level),) in plan.alone[1:]:
        levels[factor].append(level)
    cached = ["asynchronous-cached", "cached", "delivered-cached"]
    assert levels["flash"] == ["tuned", "asynchronous", *cached]
    assert levels["kernel"] == ["flash", "xip"]
    # What shows where the time goes is no technique.
    assert {"initcall_debug", "detail", "features"} & plan.space.levels.keys() == set()
    assert plan.start.timed


def test_what_loses_something_is_tried_but_in_the_best_only_where_allowed() -> None:
    off = ("console", "off")
    plan = plan_of()
    assert frozenset({off}) in plan.alone
    assert plan.space.levels["console"] == [None, "quiet"]
    assert plan.loses(frozenset({off}))["console"]
    assert "off" in plan_of(allow=(off,)).space.levels["console"]
    kept = plan_of(keep={"console": "off"})
    assert kept.space.levels["console"] == ["off"]
    based = plan_of(start={"console": "off"})
    assert based.space.levels["console"] == [None, "full", "quiet"]


def test_another_timer_is_no_technique() -> None:
    """The kernel's delay loop is: a part that has no such timer does not get one."""
    plan = plan_of(start={"delay": "calibrated"})
    assert plan.space.levels["delay"] == [None, "preset"]
    assert plan_of().space.levels["delay"] == [None]


def test_what_is_only_there_to_be_compared_with_is_tried_where_it_is_asked_for() -> None:
    older = ("delay", "calibrated-2.6")
    for start in ({}, {"delay": "calibrated"}):
        plan = plan_of(start=start)
        assert older not in {item for each in plan.alone for item in each}
        assert "calibrated-2.6" not in plan.space.levels["delay"]
        assert {each.levels.get("delay") for each in plan.refused} == {None}
    started = plan_of(start=dict([older]))
    assert started.space.levels["delay"] == [None, "calibrated", "preset"]
    kept = plan_of(keep=dict([older]))
    assert kept.space.levels["delay"] == ["calibrated-2.6"]
    assert kept.excluded_because(frozenset({older})) == ""


def test_another_wire_is_no_technique_but_beside_one() -> None:
    """A board that has no wire is not made faster by one, whatever its kernel's size does."""
    plan = plan_of()
    assert frozenset({("network", "parallel")}) in plan.alone
    assert plan.space.levels["network"] == [None]
    waits = plan_of(start={"network": "waited"})
    assert "parallel" in waits.space.levels["network"]
    # Nor is it to do without.
    assert "board" not in waits.space.levels["network"]
    wanted = plan_of(keep={"network": "parallel"})
    assert wanted.space.levels["network"] == ["parallel"]


def test_a_level_that_is_kept_leaves_no_other_to_try() -> None:
    plan = plan_of(keep={"kernel": "copied"})
    assert plan.space.levels["kernel"] == [None]
    assert not any(factor == "kernel" for each in plan.alone for factor, _ in each)


def test_a_level_that_cannot_be_is_a_row_with_the_reason() -> None:
    plan = plan_of()
    refused = {next(iter(one.levels.items())): one for one in plan.refused}
    assert "32-bit Arm" in refused["compression", "zstd"].problem
    assert refused["compression", "zstd"].outcome == "refused"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"keep": {"colour": "red"}}, '--keep: .* has no factor "colour"'),
        ({"keep": {"console": "loud"}}, '--keep: factor console has no level "loud"'),
        ({"keep": {"detail": "timed"}}, '--keep: .* has no factor "detail"'),
        ({"allow": (("console", "loud"),)}, '--allow: factor console has no level "loud"'),
        ({"start": {"console": "loud"}}, 'factor console has no level "loud"'),
        ({"keep": {"kernel": "xip", "compression": "lz4"}}, "kernel=xip is not compressed"),
        # Without --allow libraries=musl.
        ({"keep": {"order": "functions"}}, "linked here, by libraries=musl"),
        ({"board": "teres", "max_ram": 1 << 24}, "--max-ram: .* has a 64-bit kernel"),
        ({"board": "nowhere"}, 'there is no board "nowhere"'),
    ],
)
def test_what_contradicts_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        plan_of(**fields)


@pytest.mark.parametrize(
    ("fields", "factor", "levels"),
    [
        ({"start": {"compression": "lz4"}, "keep": {"kernel": "xip"}}, "compression", ["gzip"]),
        (
            {"keep": {"order": "functions"}, "allow": (("libraries", "musl"),)},
            "libraries",
            ["musl"],
        ),
    ],
)
def test_what_is_kept_is_met_by_leaving_the_start_where_that_is_at_odds(
    fields: dict[str, Any], factor: str, levels: list[str]
) -> None:
    plan = plan_of(**fields)
    assert plan.space.levels[factor] == levels
    kept = frozenset({*fields["keep"].items(), (factor, levels[0])})
    assert plan.space.possible(kept) and plan.excluded_because(kept) == ""
    other = {"compression": "xz", "libraries": "static"}[factor]
    kept_by = plan.excluded_because(frozenset({*fields["keep"].items(), (factor, other)}))
    assert kept_by == f"without {factor}={levels[0]}"


def test_two_levels_of_the_start_may_be_at_odds_with_what_is_kept() -> None:
    start = {"environment": "tree", "bootdelay": "3"}
    plan = plan_of(start=start, keep={"bootloader": "none"})
    assert plan.space.levels["environment"] == ["flash"]
    assert "3" not in plan.space.levels["bootdelay"] and None not in plan.space.levels["bootdelay"]


def test_a_limit_below_the_smallest_parts_together_is_refused() -> None:
    sizes = [{"kernel": 2_000_000, "root": 3_000_000}, {"kernel": 3_000_000, "root": 1_000_000}]
    check_smallest(plan_of(max_flash=3_000_000), sizes)
    with pytest.raises(UsageError, match=r"--max-flash 2.861 MiB: the smallest .* 2.861 MiB"):
        check_smallest(plan_of(max_flash=2_999_999), sizes)


def test_what_can_never_be_is_not_among_the_combinations() -> None:
    plan = plan_of()
    refused = {next(iter(one.levels.items())) for one in plan.refused}
    assert {("compression", "zstd"), ("root", "axfs"), ("libraries", "prelinked")} <= refused
    for factor, level in refused:
        assert level not in plan.space.levels[factor]
    assert plan.space.count == math.prod(len(levels) for levels in plan.space.levels.values())


def test_what_can_be_beside_another_level_is_among_them() -> None:
    allow = [("kernel", "xip")]
    plan = plan_of(start={"compression": "lz4"}, allow=allow)
    refused = {next(iter(one.levels.items())) for one in plan.refused}
    assert ("kernel", "xip") in refused
    assert "xip" in plan.space.levels["kernel"]
    assert plan.space.possible(frozenset({("kernel", "xip"), ("compression", "gzip")}))


def test_why_a_combination_may_not_be_the_best() -> None:
    plan = plan_of(keep={"delay": "preset"})
    preset, off = ("delay", "preset"), ("console", "off")
    assert plan.excluded_because(frozenset({preset, ("console", "quiet")})) == ""
    assert plan.excluded_because(START) == "without delay=preset"
    assert plan.excluded_because(frozenset({preset, off})).startswith("loses ")
    other = plan.excluded_because(frozenset({("network", "parallel")}))
    assert other == "without delay=preset, network=parallel is other hardware"
    assert plan_of(allow=(off,)).excluded_because(frozenset({off})) == ""


def test_the_tools_of_every_level_are_wanted() -> None:
    assert {"romfs", "erofs", "mtd", "compression", "kernel"} <= tools_of(plan_of())
    assert not {"romfs", "erofs", "mtd"} & tools_of(plan_of(keep={"root": "squashfs"}))


def test_a_real_board_is_tried_with_what_an_image_changes() -> None:
    real = {"usable": "x", "write": ("true",), "reset": ("true",)}
    plan = plan_of("serial:///dev/ttyUSB0", start={"delay": "calibrated"}, **real)
    alone = {item for each in plan.alone for item in each}
    refused = {item: each.problem for each in plan.refused for item in each.levels.items()}
    assert {("console", "quiet"), ("delay", "preset"), ("root", "cramfs")} <= alone
    assert "no image changes it" in refused["flash", "cached"]
    assert "read at one speed" in refused["baud", "9600"]
    assert "other hardware" in refused["delay", "timer"]
    assert "other hardware" in refused["network", "instant"]
    assert plan.space.levels["flash"] == [None]
    assert plan.space.resolution > plan_of().space.resolution
