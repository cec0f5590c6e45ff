# SPDX-License-Identifier: Apache-2.0
"""The work of a boot on several cores: the least that one of them has."""

from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.cores import CoreWork, worked_s
from perfboard.model.results.boot import Boot, CoreTime, Mark, ProcessTime, Stretch


def mark(name: str, t_ns: int, instructions: int) -> Mark:
    return Mark(name=name, t_ns=t_ns, source="scope", instructions=instructions)


def boot(cores: int, chain: int) -> Boot:
    return Boot(
        marks=(mark("kernel.rest_init", 100, 1000), mark("usable", 200, 9000)),
        processes=(ProcessTime(name="init", time_ns=50, instructions=chain),),
        cores=tuple(CoreTime(core=core, busy_ns=0, instructions=0) for core in range(cores)),
    )


def until_usable(cores: int, chain: int) -> CoreWork:
    made = boot(cores, chain)
    return CoreWork.until(made, made.marks[-1], 9000)


def test_the_start_of_the_kernel_is_of_one_core() -> None:
    assert until_usable(4, 0).least == 1000 + 8000 / 4


def test_a_program_is_of_one_core() -> None:
    assert until_usable(4, 5000).least == 1000 + 5000
    assert "5,000 of them of one program, on 4 cores" in until_usable(4, 5000).words


def test_before_there_are_several_all_is_of_one() -> None:
    made = boot(4, 0)
    assert CoreWork.until(made, made.marks[0], 700).least == 700


@given(st.integers(2, 8), st.integers(0, 20_000))
def test_more_cores_never_need_longer(cores: int, chain: int) -> None:
    one = CoreWork.until(boot(0, chain), boot(0, chain).marks[-1], 9000)
    assert until_usable(cores, chain).least <= until_usable(cores - 1, chain).least
    assert one.least == 9000 >= until_usable(cores, chain).least >= 9000 / cores


def test_the_time_that_any_core_works_counts_once() -> None:
    def core(number: int, *stretches: tuple[int, int]) -> CoreTime:
        found = tuple(
            Stretch(process="a", start_ns=start, duration_ns=end - start)
            for start, end in stretches
        )
        return CoreTime(core=number, busy_ns=0, instructions=0, stretches=found)

    made = Boot(marks=(), cores=(core(0, (0, 100), (300, 500)), core(1, (50, 150), (450, 900))))
    assert worked_s(made, mark("a", 20, 0), mark("b", 600, 0)) == (130 + 300) / 1e9
