# SPDX-License-Identifier: Apache-2.0
"""The least that a boot could take, from what boots did."""

import pytest

from perfboard.analysis.boot.limit import boot_limit, byte_s
from perfboard.analysis.boot.metrics import counted_metrics
from perfboard.boards.loader import load_board
from perfboard.model.results.boot import Boot
from perfboard.model.timing.part import Timing
from tests.support.runs import MARKS, make_boot

TIMING = load_board("verdex").board.timing
assert TIMING is not None
INSTRUCTIONS = MARKS["usable"] // 8


def _at(level: str) -> Timing:
    assert TIMING is not None
    return TIMING.at({"flash": level})


def _boot(waited_s: float) -> Boot:
    return make_boot(counters={"flash_fs": round(waited_s * 1e15)})


def test_a_byte_of_flash_at_each_set_up() -> None:
    """Uncached an access each; through the cache a line of 32 bytes, a burst or eight accesses."""
    assert byte_s(_at("tuned")) == pytest.approx(515e-9)
    assert byte_s(_at("asynchronous")) == pytest.approx(515e-9)
    assert byte_s(_at("delivered")) == pytest.approx(679e-9)
    assert byte_s(_at("cached")) == pytest.approx(1.436e-6 / 32)
    assert byte_s(_at("asynchronous-cached")) == pytest.approx(8 * 515e-9 / 32)
    assert byte_s(_at("delivered-cached")) == pytest.approx(8 * 679e-9 / 32)


def test_a_board_without_such_flash_reads_nothing() -> None:
    bare = _at("tuned").model_copy(update={"flash": None})
    assert byte_s(bare) is None
    limit = boot_limit([(_boot(1.0), bare)])
    assert limit is not None
    assert limit.read_bytes == 0


def test_the_fewest_bytes_at_the_fastest_set_up_and_the_instructions() -> None:
    limit = boot_limit([(_boot(0.515), _at("tuned")), (_boot(0.1631), _at("cached"))])
    assert limit is not None
    # 1 MB at 515 ns a byte, 3.2 MB at 51 ns a byte.
    assert limit.read_bytes == pytest.approx(1e6)
    assert limit.seconds == pytest.approx(1e6 * 1.436e-6 / 32 + INSTRUCTIONS / 400e6)


def test_no_boot_is_no_limit() -> None:
    assert boot_limit([]) is None
    assert boot_limit([(Boot(marks=()), _at("tuned"))]) is None


def test_what_was_counted_of_a_small_part_alone_is_no_limit() -> None:
    """Without a System.map the last counters are those at the kernel's entry."""
    counted = {"flash_fs": 10**14}
    early, late = (
        make_boot(
            counters=counted, counted={"usable": {**counted, "ns": MARKS["usable"] * n // 100}}
        )
        for n in (20, 95)
    )
    for boot, read in ((early, False), (late, True)):
        limit = boot_limit([(boot, _at("tuned"))])
        assert limit is not None and bool(limit.read_bytes) == read
        assert bool([m for m in counted_metrics([boot]) if "waits" in m.name]) == read
