# SPDX-License-Identifier: Apache-2.0
"""Phases add up to the whole, whatever marks there are."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.phases import PHASES, cut_boot, cut_phases, firmware_end, total
from perfboard.analysis.boot.steps import cut_userspace
from perfboard.model.results.boot import Boot, Mark

NAMES = [PHASES[0].start, *(phase.end for phase in PHASES)]


def boot_of(*named_times: tuple[str, int]) -> Boot:
    return Boot(
        marks=tuple(
            Mark(name=name, t_ns=t, source="scope", instructions=t // 8) for name, t in named_times
        )
    )


@given(
    st.lists(st.integers(0, 10**12), min_size=len(NAMES), max_size=len(NAMES)).map(sorted),
    st.sets(st.sampled_from(NAMES[1:-1])),
)
def test_phases_add_up_to_the_whole_whichever_marks_are_missing(
    times: list[int], missing: set[str]
) -> None:
    boot = boot_of(*((n, t) for n, t in zip(NAMES, times, strict=True) if n not in missing))
    phases = cut_phases(boot)
    whole = total(boot)
    assert whole is not None
    assert sum(phase.duration_ns for phase in phases) == whole.duration_ns
    assert all(a.end == b.start for a, b in itertools.pairwise(phases))
    assert sum(phase.name.count("+") + 1 for phase in phases) == len(PHASES)


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=9))
def test_steps_of_user_space_add_up_to_it(gaps: list[int]) -> None:
    t, marks = 0, [("init.exec", 0)]
    for number, gap in enumerate(gaps):
        t += gap
        marks.append((f"exec:S{number:02d}step{number}", t))
    boot = boot_of(*marks, ("usable", t + 5))
    steps = cut_userspace(boot)
    assert sum(step.duration_ns for step in steps) == t + 5
    assert [step.title for step in steps] == [
        "init itself",
        *(f"step{n}" for n in range(len(gaps))),
    ]


def test_a_boot_that_never_became_usable_has_no_total() -> None:
    boot = boot_of(("reset", 0), ("bootloader.main", 10), ("boot.command", 12))
    assert total(boot) is None
    assert [phase.name for phase in cut_phases(boot)] == ["boot.bootloader", "boot.delay"]


def test_the_kernels_load_is_split_where_the_kernel_is_entered() -> None:
    times = dict(zip(NAMES, range(0, 700, 100), strict=True))
    boot = boot_of(*times.items(), ("kernel.entry", 250))
    rows = {row.name: row.duration_ns for row in cut_boot(boot)}
    assert rows["boot.kernel.load.copy"] == 50
    assert rows["boot.kernel.load.decompress"] == 50
    assert rows["boot.kernel.load"] == 100


def test_a_kernel_without_symbols_is_cut_by_its_log() -> None:
    boot = boot_of(
        ("reset", 0),
        ("bootloader.main", 100),
        ("boot.command", 200),
        ("kernel.entry", 250),
        ("kernel.clock", 300),
        ("kernel.freed", 500),
        ("init.exec", 510),
        ("usable", 900),
    )
    rows = [(row.name, row.duration_ns) for row in cut_boot(boot) if "kernel" in row.name]
    assert rows == [
        ("boot.kernel.load+kernel.init+root.mount", 310),
        ("boot.kernel.load.copy", 50),
        ("boot.kernel.load.decompress", 50),
        ("boot.kernel.log", 200),
        ("boot.kernel.freed", 10),
    ]


def test_instructions_are_absent_where_a_mark_has_none() -> None:
    marks = (
        Mark(name="init.exec", t_ns=10, source="kernel-log", precision_ns=3),
        Mark(name="usable", t_ns=30, source="scope", precision_ns=8, instructions=9),
    )
    (phase,) = cut_phases(Boot(marks=marks))
    assert phase.instructions is None
    assert phase.precision_ns == 11


def test_a_boot_that_began_again_has_an_earlier_one() -> None:
    boot = boot_of(
        ("reset", 0),
        ("boot.restart", 300),
        ("bootloader.main", 310),
        ("boot.command", 320),
        ("init.exec", 400),
        ("usable", 500),
    )
    assert [(row.name, row.duration_ns) for row in cut_boot(boot)] == [
        ("boot.earlier", 300),
        ("boot.bootloader", 10),
        ("boot.delay", 10),
        ("boot.kernel.load+kernel.init+root.mount", 80),
        ("boot.userspace", 100),
    ]


@given(st.lists(st.tuples(st.sampled_from([*NAMES, "boot.restart"]), st.integers(0, 100))))
def test_no_phase_is_negative_whatever_order_its_marks_are_in(marks: list[tuple[str, int]]) -> None:
    boot = boot_of(
        *marks, *((name, at) for at, name in enumerate(("kernel.entry", "kernel.clock")))
    )
    rows = cut_boot(boot)
    assert all(row.duration_ns >= 0 for row in rows)
    assert all(a.end == b.start for a, b in itertools.pairwise(r for r in rows if not r.depth))


@pytest.mark.parametrize(
    ("missing", "names"),
    [
        ({"kernel.clock"}, ["copy", "freed"]),
        ({"kernel.freed"}, ["copy", "decompress"]),
        ({"kernel.entry"}, ["copy+kernel.load.decompress", "log", "freed"]),
        ({"boot.command", "bootloader.main"}, ["copy", "decompress", "log", "freed"]),
        ({"kernel.entry", "kernel.clock"}, []),
    ],
)
def test_a_step_without_both_marks_is_absent(missing: set[str], names: list[str]) -> None:
    marks = {
        "reset": 0,
        "bootloader.main": 100,
        "boot.command": 200,
        "kernel.entry": 250,
        "kernel.clock": 300,
        "kernel.freed": 500,
        "init.exec": 510,
        "usable": 900,
    }
    boot = boot_of(*((name, t) for name, t in marks.items() if name not in missing))
    steps = [row for row in cut_boot(boot) if row.depth]
    assert [row.name.removeprefix("boot.").split("kernel.", 1)[1] for row in steps] == [
        name if name in ("log", "freed") else f"load.{name}" for name in names
    ]


LOGGED = (("kernel.freed", 500), ("init.exec", 510), ("usable", 900))


@pytest.mark.parametrize(
    ("before", "names"),
    [
        (
            [("reset", 0), ("kernel.clock", 300)],
            {"firmware": 300, "kernel": 210, "userspace": 390, "total": 900},
        ),
        (
            [("reset", 0), ("kernel.entry", 250), ("kernel.clock", 300)],
            {"firmware": 250, "kernel": 260, "userspace": 390, "total": 900},
        ),
        (
            [("console.first", 0), ("kernel.clock", 300)],
            {"firmware.printed": 300, "kernel": 210, "userspace": 390, "printed": 900},
        ),
        (
            [("console.first", 0), ("bootloader.main", 100), ("boot.command", 200)],
            {
                "bootloader.printed": 100,
                "delay": 100,
                "kernel.load+kernel.init+root.mount": 310,
                "userspace": 390,
                "printed": 900,
            },
        ),
        (
            [("kernel.clock", 0)],
            {"kernel": 510, "userspace": 390, "logged": 900},
        ),
    ],
)
def test_a_console_without_a_bootloader_is_cut_by_the_kernel(
    before: list[tuple[str, int]], names: dict[str, int]
) -> None:
    boot = boot_of(*before, *LOGGED)
    end = firmware_end(boot.marks)
    boot = Boot(marks=(*boot.marks, end) if end else boot.marks)
    whole = total(boot)
    assert whole is not None
    rows = [*(row for row in cut_phases(boot)), whole]
    assert {row.name.removeprefix("boot."): row.duration_ns for row in rows} == names
    assert sum(row.duration_ns for row in rows[:-1]) == whole.duration_ns


def test_a_kernel_that_never_starts_init_is_one_phase_with_user_space() -> None:
    boot = boot_of(("reset", 0), ("kernel.clock", 300), ("firmware.end", 300), ("usable", 900))
    assert [row.name for row in cut_phases(boot)] == ["boot.firmware", "boot.kernel+userspace"]
