# SPDX-License-Identifier: Apache-2.0
"""The first picture and packet of a boot, and the reasons why a boot has none."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from perfboard.bench.base import Facts
from perfboard.bench.job import NotMeasurable
from perfboard.measures.base import EXACT
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot, Mark
from tests.support.measures import FakeBench, measured

SEEN = replace(EXACT, framebuffer=(640, 480))


class BootingBench(FakeBench):
    """A bench whose boots have these marks, or that refuses all levels."""

    def __init__(self, *marks: Mark, facts: Facts = SEEN, refuses: str = "") -> None:
        super().__init__(lambda job: "", facts)
        self._marks, self._refuses = marks, refuses
        self.levels: list[Mapping[str, str]] = []

    def boots(self, levels: Mapping[str, str], count: int) -> Iterator[Boot]:
        """See `Bench`."""
        self.levels.append(levels)
        if self._refuses:
            raise UsageError(self._refuses)
        yield from [Boot(marks=self._marks)] * count


def mark(name: str, ns: int, precision_ns: int = 0) -> Mark:
    return Mark(name=name, t_ns=ns, source="scope", precision_ns=precision_ns)


def test_the_first_picture_is_that_of_each_boot_of_the_boards_own_image() -> None:
    bench = BootingBench(mark("reset", 0), mark("picture", 3 * 10**9, 1_200_000))
    found = measured("boot.picture", bench, boots=2)
    (metric,) = found.metrics
    assert (metric.name, metric.samples) == ("boot.picture.time", (3.0, 3.0))
    assert found.why == "It is known to 1.200 ms." and bench.levels == [{}]


def test_the_first_packet_is_one_that_a_script_sends() -> None:
    bench = BootingBench(mark("network", 2 * 10**9))
    (metric,) = measured("boot.network", bench).metrics
    assert metric.samples == (2.0,) and bench.levels == [{"network": "announced"}]


@pytest.mark.parametrize(
    ("name", "bench", "said"),
    [
        ("boot.picture", BootingBench(facts=EXACT), "nobody sees its screen"),
        ("boot.picture", BootingBench(mark("usable", 9)), "boot 1: no pixel changed"),
        ("boot.network", BootingBench(mark("usable", 9)), "boot 1: no packet"),
        ("boot.network", BootingBench(refuses="box has no network"), "box has no network"),
    ],
)
def test_a_boot_without_one_is_refused_in_words(name: str, bench: BootingBench, said: str) -> None:
    with pytest.raises(NotMeasurable, match=said):
        measured(name, bench)
