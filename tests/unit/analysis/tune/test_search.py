# SPDX-License-Identifier: Apache-2.0
"""The search for the best combination, against boards that are formulas."""

import itertools
from collections.abc import Callable
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from perfboard.analysis.tune.combinations import (
    FEW,
    OTHER_PHASES,
    START,
    Combination,
    Cost,
    Known,
    Space,
    allowed,
    best_of,
    bound,
    effects,
    narrowed,
    nearest,
)
from perfboard.analysis.tune.search import predicted, search

_PHASES = ("load", "init", "user")
_Board = Callable[[Combination], Cost | None]


def _run(space: Space, board: _Board, narrow: bool = False) -> Known:
    """The whole sweep: each level alone, then what the search asks for."""
    known: Known = {START: board(START)}
    for factor, levels in space.levels.items():
        for level in levels:
            if level:
                single = frozenset({(factor, level)})
                known[single] = board(single)
    space = narrowed(space, known) if narrow else space
    for batch in search(space, known):
        assert batch
        assert not set(batch) & known.keys()
        for combination in batch:
            assert space.possible(combination)
            known[combination] = board(combination)
    return known


def _space(counts: list[int], **fields: object) -> Space:
    levels = {f"f{n}": (None, *(f"l{k}" for k in range(count))) for n, count in enumerate(counts)}
    return Space(levels=levels, **fields)  # type: ignore[arg-type]


def _all(space: Space) -> list[Combination]:
    names = list(space.levels)
    return [
        frozenset((n, level) for n, level in zip(names, each, strict=True) if level)
        for each in itertools.product(*space.levels.values())
    ]


def _additive(seed: st.DataObject, space: Space) -> _Board:
    """Each level takes its own times and bytes off, whatever stands beside it."""
    amounts = st.integers(-300, 300)
    effect = {
        (factor, level): (seed.draw(st.tuples(amounts, amounts, amounts)), seed.draw(amounts))
        for factor, levels in space.levels.items()
        for level in levels
        if level
    }

    def board(combination: Combination) -> Cost:
        effects = [effect[item] for item in combination]
        phases = {
            name: 10.0 - sum(times[place] for times, _ in effects) / 1024
            for place, name in enumerate(_PHASES)
        }
        flash = 10_000 - sum(size for _, size in effects)
        return Cost(sum(phases.values()), phases, flash, flash // 2)

    return board


@given(st.lists(st.integers(1, 3), min_size=4, max_size=7), st.data())
@settings(max_examples=60)
def test_where_savings_add_up_it_finds_the_best(counts: list[int], data: st.DataObject) -> None:
    space = _space(counts)
    board = _additive(data, space)
    known = _run(space, board)
    best = best_of(space, known)
    assert best is not None
    least = min(measured.total_s for each in _all(space) if (measured := board(each)))
    found = known[best]
    assert found is not None
    assert abs(found.total_s - least) < 1e-9
    floor = bound(space, known)
    assert floor is not None
    assert floor <= found.total_s + 1e-9


@given(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.data())
def test_few_combinations_are_all_tried(counts: list[int], data: st.DataObject) -> None:
    """Whatever they do to each other, and though some do not boot."""
    space = _space(counts)
    assert space.count <= FEW
    times = {each: data.draw(st.integers(1, 1000)) for each in _all(space)}
    dead = data.draw(st.sets(st.sampled_from(sorted(times, key=sorted)), max_size=3)) - {START}

    def board(combination: Combination) -> Cost | None:
        if combination in dead:
            return None
        return Cost(times[combination], {"load": times[combination]}, 1, None)

    known = _run(space, board)
    assert known.keys() == set(_all(space))
    best = best_of(space, known)
    assert best is not None
    assert times[best] == min(time for each, time in times.items() if each not in dead)


def test_two_levels_that_cost_alone_are_found_where_they_pay_together() -> None:
    """As a kernel that runs in flash, and flash that is cached: each gains in one phase."""
    space = _space([2, 2, 2, 2, 2])
    pair = {("f1", "l1"), ("f3", "l0")}

    def board(combination: Combination) -> Cost:
        both = pair <= combination
        phases = {
            "load": 10.0 - (1.0 if ("f1", "l1") in combination else 0.0),
            "init": 10.0 - (1.0 if ("f3", "l0") in combination else 0.0),
            "user": 10.0 + (0.0 if both else 3.0 * len(pair & combination)),
        }
        phases["user"] -= 0.2 * sum(
            level == "l0" for factor, level in combination if factor != "f3"
        )
        return Cost(sum(phases.values()), phases, 1, 1)

    known = _run(space, board, narrow=True)
    best = best_of(space, known)
    assert best == frozenset({*pair, ("f0", "l0"), ("f2", "l0"), ("f4", "l0")})


def test_levels_that_only_cost_are_not_combined() -> None:
    space = _space([3, 3, 3, 3])

    def board(combination: Combination) -> Cost:
        load = 10.0 + sum(-0.5 if level == "l0" else 1.0 for _, level in combination)
        return Cost(load, {"load": load}, 1, 1)

    known = _run(space, board, narrow=True)
    assert {level for each in known if len(each) > 1 for _, level in each} == {"l0"}


@given(st.lists(st.integers(1, 3), min_size=1, max_size=6), st.data())
@settings(max_examples=60)
def test_the_best_holds_the_limits(counts: list[int], data: st.DataObject) -> None:
    limit = data.draw(st.integers(9_000, 11_000))
    space = _space(counts, max_flash=limit)
    board = _additive(data, space)
    known = _run(space, board)
    best = best_of(space, known)
    if best is None:
        assert all((one := board(each)) and one.flash > limit for each in known)
        return
    found = known[best]
    assert found is not None
    assert found.flash <= limit


def test_a_level_that_is_kept_is_in_what_is_tried_first() -> None:
    space = Space(levels={"slow": ("on",), "other": (None, "fast")})
    known: Known = {
        START: Cost(10.0, {"load": 10.0}, 1, 1),
        frozenset({("slow", "on")}): Cost(12.0, {"load": 12.0}, 1, 1),
        frozenset({("other", "fast")}): Cost(9.0, {"load": 9.0}, 1, 1),
    }
    assert predicted(space, known) == {("slow", "on"), ("other", "fast")}
    assert best_of(space, known) == frozenset({("slow", "on")})
    assert not allowed(space, START)


def test_what_cannot_be_together_is_not_tried() -> None:
    def possible(combination: Combination) -> bool:
        return not {("f0", "l0"), ("f1", "l0")} <= combination

    space = _space([1, 1], possible=possible)
    known = _run(space, lambda each: Cost(5.0 - len(each), {}, 1, 1))
    assert frozenset({("f0", "l0"), ("f1", "l0")}) not in known


def test_levels_that_do_nothing_or_do_not_boot_are_left_out() -> None:
    base = Cost(5.0, {"load": 5.0, "user": 0.0}, 1, 1)
    space = Space(
        levels={
            "f": (None, "same", "dead", "slower", "worse", "waits", "smaller", "never alone"),
            "kept": ("same",),
        }
    )
    known: Known = {
        START: base,
        frozenset({("f", "same")}): base,
        frozenset({("f", "dead")}): None,
        frozenset({("f", "slower")}): Cost(6.0, {"load": 2.0, "user": 4.0}, 1, 1),
        frozenset({("f", "worse")}): Cost(9.0, {"load": 9.0}, 1, 1),
        frozenset({("f", "waits")}): Cost(9.9, {"load": 4.9, "user": 5.0}, 1, 1),
        frozenset({("f", "smaller")}): Cost(6.0, {"load": 6.0}, 0, 1),
        frozenset({("kept", "same")}): base,
    }
    levels = narrowed(space, known).levels
    assert levels == {"f": [None, "slower", "never alone"], "kept": ["same"]}
    tight = replace(space, max_flash=0)
    assert "smaller" in narrowed(tight, known).levels["f"]


def test_a_level_that_pays_beside_another_alone_stays() -> None:
    """As xz does on slow flash, and no compression on fast flash."""
    space = Space(levels={"compression": (None, "none", "bad"), "flash": (None, "fast")})
    none, bad, fast = (("compression", "none"), ("compression", "bad"), ("flash", "fast"))
    known: Known = {
        START: Cost(5.0, {"load": 5.0}, 1, 1),
        frozenset({none}): Cost(8.0, {"load": 8.0}, 1, 1),
        frozenset({bad}): Cost(8.0, {"load": 8.0}, 1, 1),
        frozenset({fast}): Cost(2.0, {"load": 2.0}, 1, 1),
        frozenset({none, fast}): Cost(1.0, {"load": 1.0}, 1, 1),
        frozenset({bad, fast}): Cost(3.0, {"load": 3.0}, 1, 1),
    }
    assert narrowed(space, known).levels["compression"] == [None, "none"]


def test_memory_that_is_not_known_holds_no_limit() -> None:
    space = _space([1], max_ram=100)
    known: Known = {START: Cost(1.0, {}, 1, None)}
    assert best_of(space, known) is None


def test_no_more_is_tried_than_allowed() -> None:
    space = _space([3, 3, 3, 3, 3], most=7)
    singles = 1 + 15
    known = _run(space, lambda each: Cost(100.0 - len(each), {"load": 1.0}, 1, 1))
    assert len(known) <= singles + 7


def test_the_bound_is_the_same_in_whichever_order_the_phases_are_added_up() -> None:
    # Ten times 0.1 is 0.9999999999999999 where each sum is rounded.
    measured = Cost(1.0, {f"phase {n}": 0.1 for n in range(10)}, flash=0, ram=None)
    assert bound(Space({}), {START: measured}) == 1.0


def test_what_a_change_does_is_taken_from_where_it_is_to_be_made() -> None:
    """As small files where flash is slow, and files to unpack where it is fast."""
    space = _space([1, 2, 1])
    fast, small, plain, other = ("f0", "l0"), ("f1", "l0"), ("f1", "l1"), ("f2", "l0")
    times = {
        START: 10.0,
        frozenset({small}): 8.0,
        frozenset({plain}): 12.0,
        frozenset({fast}): 5.0,
        frozenset({fast, small}): 4.0,
        frozenset({fast, plain}): 2.5,
        frozenset({other}): 9.9,
    }
    known: Known = {each: Cost(s, {"user": s}, 1, 1) for each, s in times.items()}
    # By what single levels do, small would be best beside fast.
    assert predicted(space, known) == {fast, plain, other}


def test_a_change_may_be_known_by_way_of_a_third_level() -> None:
    """As code that runs in flash, which costs beside programs that are linked as they start."""
    space = _space([3, 1, 1, 1, 1, 1])
    packed, plain, in_flash = (("f0", level) for level in ("l0", "l1", "l2"))
    static, quiet = ("f1", "l0"), ("f2", "l0")
    times = {
        START: 10.0,
        frozenset({packed}): 9.0,
        frozenset({plain}): 9.5,
        frozenset({in_flash}): 10.5,
        frozenset({static}): 7.0,
        frozenset({quiet}): 9.0,
        frozenset({packed, static, quiet}): 5.0,
        frozenset({plain, static, quiet}): 5.2,
        frozenset({plain, static}): 6.2,
        frozenset({in_flash, static}): 5.8,
    }
    known: Known = {each: Cost(s, {"user": s}, 1, 1) for each, s in times.items()}
    # Beside static programs plain saves 0.4 s to in_flash, and costs 0.2 to packed.
    assert next(search(space, known))[0] == {in_flash, static, quiet}


@given(st.lists(st.integers(1, 3), min_size=5, max_size=7), st.data())
@settings(max_examples=30)
def test_kernels_are_built_for_what_may_be_better_alone(
    counts: list[int], data: st.DataObject
) -> None:
    """Where savings add up none is built but the best's, and those in doubt beside it."""

    def kernel(combination: Combination) -> Combination:
        return frozenset(item for item in combination if item[0] in ("f0", "f1", "f2"))

    space = _space(counts, kernel=kernel)
    board = _additive(data, space)
    known = _run(space, board)
    if space.count - sum(counts) - 1 <= FEW:
        assert len(known) == space.count
        return
    best = best_of(space, known)
    assert best is not None
    single = {kernel(each) for each in known if len(each) < 2}
    for built in {kernel(each) for each in known} - single:
        assert len({factor for factor, _ in built ^ kernel(best)}) <= 1


def test_of_what_takes_the_same_the_search_goes_on_from_fewer_changes() -> None:
    """Else it adds level after level that does nothing, with a kernel for each."""
    plain, more = frozenset({("f5", "l1")}), frozenset({("f0", "l0"), ("f5", "l1")})
    known: Known = {each: Cost(9.0, {}, 1, 1) for each in (more, plain)}
    known[START] = Cost(9.1, {}, 1, 1)
    assert nearest(_space([1, 1, 1, 1, 1, 2]), known) == plain


def test_a_phase_that_one_boot_lacks_does_not_make_the_best_its_own_bound() -> None:
    """As a root file system in memory, which is not mounted."""
    lacks = frozenset({("root", "memory")})
    known: Known = {
        START: Cost(6.0, {"load": 3.0, "mount": 1.0, "user": 2.0}, 1, 1),
        lacks: Cost(8.0, {"load": 7.0, "user": 1.0}, 1, 1),
    }
    assert bound(Space({"root": (None, "memory")}), known) == 4.0
    assert bound(Space({"root": (None,)}), known) == 6.0


def test_a_change_of_which_nothing_is_known_is_tried_beside_the_best() -> None:
    """As a level that cannot be beside the start."""

    def possible(combination: Combination) -> bool:
        return ("f0", "l0") not in combination or ("f1", "l0") in combination

    space = _space([1, 1, 2, 2, 2, 2], possible=possible)

    def board(combination: Combination) -> Cost:
        seconds = 10.0 - sum(1.0 for _, level in combination if level == "l0")
        return Cost(seconds, {"user": seconds}, 1, 1)

    known: Known = {START: board(START)}
    for factor, levels in space.levels.items():
        for level in levels:
            if level and possible(single := frozenset({(factor, level)})):
                known[single] = board(single)
    for batch in search(space, known):
        known.update({each: board(each) for each in batch})
    best = best_of(space, known)
    assert best is not None
    assert best == {(f"f{n}", "l0") for n in range(6)}


def test_phases_that_a_missing_mark_joins_are_told_as_one() -> None:
    before = Cost(10.0, {"load": 4.0, "init": 3.0, "user": 3.0}, 1, 1)
    after = Cost(7.0, {"load": 3.5, "init+user": 3.5}, 1, 1)
    assert effects(before, after) == {"load": 0.5, OTHER_PHASES: 2.5}
    assert effects(before, before) == {"load": 0.0, "init": 0.0, "user": 0.0}


def test_there_is_no_bound_where_a_missing_mark_joins_phases_of_some() -> None:
    whole = Cost(10.0, {"load": 4.0, "init": 3.0, "user": 3.0}, 1, 1)
    joined = Cost(7.0, {"load": 3.5, "init+user": 3.5}, 1, 1)
    other, space = frozenset({("console", "quiet")}), Space({"console": (None, "quiet")})
    assert bound(space, {START: whole, other: joined}) is None
    assert bound(space, {START: joined, other: joined}) == 7.0
