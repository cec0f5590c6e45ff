# SPDX-License-Identifier: Apache-2.0
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.console import ConsoleLine, Stamps, split_lines
from perfboard.analysis.boot.kernel_log import (
    KernelLine,
    Offset,
    Panic,
    clock_offset,
    find_panic,
    kernel_marks,
    parse_console,
)
from tests.support.recorded import kernel_log, recorded, recorded_boot

RECORDS = parse_console(recorded_boot())


def console(*texts: str) -> list[ConsoleLine]:
    """Lines whose first bytes are at 1000, 2000, ..."""
    return [ConsoleLine(text, t * 1000, t * 1000, t * 1000) for t, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("[    1.234567] hello", KernelLine(1_234_567_000, "hello")),
        ("[    0.000000] ", KernelLine(0, "")),
        ("[    0.000000]", KernelLine(0, "")),
        ("[12345.000001] late", KernelLine(12_345_000_001_000, "late")),
        ("[1234567.000001] later", KernelLine(1_234_567_000_001_000, "later")),
        ("[    1.234567][    T1] by a task", KernelLine(1_234_567_000, "by a task")),
        ("[    1.234567][  C0] by a processor", KernelLine(1_234_567_000, "by a processor")),
        ("<6>[    1.234567] level", KernelLine(1_234_567_000, "level")),
        ("<30>[    1.234567][   T12] both", KernelLine(1_234_567_000, "both")),
        ("[    1.234567]  two spaces", KernelLine(1_234_567_000, " two spaces")),
    ],
)
def test_a_record_in_each_form(text: str, record: KernelLine) -> None:
    assert parse_console(console(text)) == [record._replace(console_ns=1000)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "login: ",
        "[  OK  ] Started",
        "[1.234567] not padded",
        "[    1.23456] short",
        "[ 1 2.345678]",
    ],
)
def test_other_text_is_no_record(text: str) -> None:
    assert parse_console(console(text)) == []


def test_a_record_behind_a_programs_text_has_no_stamp_of_its_own() -> None:
    lines = console("random<6>[    0.123400] calling  foo @ 1")
    assert parse_console(lines) == [KernelLine(123_400_000, "calling  foo @ 1")]


def test_records_on_one_line() -> None:
    lines = console("[    0.000001] one[    0.000002] two<6>[    0.000003] three")
    assert parse_console(lines) == [
        KernelLine(1000, "one", 1000),
        KernelLine(2000, "two"),
        KernelLine(3000, "three"),
    ]


def test_a_record_cut_short_gets_its_rest() -> None:
    lines = console("[    0.000001] on[    0.000002] t[    0.000003] three", "wo", "e", "user")
    assert parse_console(lines) == [
        KernelLine(1000, "on", 1000, rest="e"),
        KernelLine(2000, "t", None, rest="wo"),
        KernelLine(3000, "three"),
    ]


def test_no_record_of_a_shared_console_is_lost() -> None:
    records = parse_console(recorded("verdex-glued.log"))
    made_up = [record for record in records if "made_up" in record.text]
    assert len(made_up) == 80
    # Two stand behind the other process's text.
    glued = [record.text for record in made_up if record.console_ns is None]
    assert glued == [
        "initcall made_up_17+0x0/0x10 returned 0 after 17 usecs",
        "calling  made_up_36+0x0/0x10 @ 36",
    ]


@given(st.binary(max_size=300))
def test_any_bytes_parse(data: bytes) -> None:
    lines = split_lines(data, Stamps(array("q", range(len(data)))))
    records = parse_console(lines)
    offset = clock_offset(records)
    if offset is not None:
        kernel_marks(records, offset)
    find_panic(line.text for line in lines)


messages = st.text(st.characters(codec="ascii", categories=["L", "N", "Zs"]), max_size=20)
times = st.integers(0, 10**11)


def printed(time_us: int, text: str) -> str:
    return f"[{time_us // 10**6:5}.{time_us % 10**6:06}] {text}"


@given(st.lists(st.tuples(times, messages, st.lists(messages), messages)))
def test_foreign_text_takes_no_record(plan: list[tuple[int, str, list[str], str]]) -> None:
    lines: list[str] = []
    for time_us, text, foreign_lines, glued in plan:
        lines += [*foreign_lines, glued + printed(time_us, text)]
    records = parse_console(console(*lines))
    expected = [(time_us * 1000, text) for time_us, text, _, _ in plan]
    assert [(record.time_ns, record.text) for record in records] == expected


def test_the_offset_is_the_least_delay_after_the_console_came_up() -> None:
    lines = [
        KernelLine(0, "Booting", 100),
        KernelLine(5_000, "early, printed late", 900_000),
        KernelLine(6_000, "printk: console [ttyAMA0] enabled", 910_000),
        KernelLine(0, "before the clock", 2_000),
        KernelLine(10_000, "slow", 10_000 + 803_000),
        KernelLine(20_000, "quick", 20_000 + 800_000),
        KernelLine(30_000, "usual", 30_000 + 800_500),
        KernelLine(40_000, "behind other text", None),
    ]
    assert clock_offset(lines) == Offset(800_000, 500 + 1_000)


def test_the_boot_console_does_not_hold_records_back() -> None:
    lines = [
        KernelLine(1_000, "printk: bootconsole [pl11] enabled", 51_000),
        KernelLine(2_000, "x", 53_000),
    ]
    assert clock_offset(lines) == Offset(50_000, 1_000)


def test_no_offset_without_stamps() -> None:
    assert clock_offset([]) is None
    assert clock_offset([KernelLine(5, "from a dmesg")]) is None
    assert clock_offset([KernelLine(0, "before the clock", 7)]) is None


def test_marks_lie_as_near_to_the_scopes_as_they_say() -> None:
    lines = RECORDS
    offset = clock_offset(lines)
    assert offset is not None
    marks = {mark.name: mark for mark in kernel_marks(lines, offset)}
    assert list(marks) == ["kernel.clock", "root.mounted", "kernel.freed", "init.exec"]
    # What the scope saw in this boot is in tests/data/README.md.
    clock, init = marks["kernel.clock"], marks["init.exec"]
    assert abs(clock.t_ns - 890482736) <= clock.precision_ns < 100_000
    assert abs(init.t_ns - 1126234976) <= init.precision_ns < 100_000
    assert 1113843864 < marks["root.mounted"].t_ns < marks["kernel.freed"].t_ns < init.t_ns
    assert {mark.source for mark in marks.values()} == {"kernel-log"}


@given(st.integers(-(10**6), 10**12))
def test_later_stamps_give_later_marks(late: int) -> None:
    lines = RECORDS[-100:]
    later = [
        line._replace(console_ns=None if line.console_ns is None else line.console_ns + late)
        for line in lines
    ]
    offset, shifted = clock_offset(lines), clock_offset(later)
    assert offset is not None
    assert shifted == Offset(offset.ns + late, offset.precision_ns)
    assert kernel_marks(later, shifted) == [
        mark.model_copy(update={"t_ns": mark.t_ns + late}) for mark in kernel_marks(lines, offset)
    ]


def test_the_init_that_ran_is_the_last_tried() -> None:
    lines = kernel_log(
        "[    1.000000] Run /sbin/init as init process\n"
        "[    1.000100] Run /bin/sh as init process\n"
    )
    assert [mark.t_ns for mark in kernel_marks(lines, Offset(7, 1))] == [7, 1_000_100_007]


def test_no_records_no_marks() -> None:
    assert kernel_marks([], Offset(0, 0)) == []


def test_a_missing_root_is_told_apart() -> None:
    texts = [line.text for line in recorded("verdex-no-root.log")]
    panic = Panic("VFS: Unable to mount root fs on unknown-block(0,0)", no_root=True)
    assert find_panic(texts) == panic
    assert find_panic(texts[-2:]) == panic  # "---[ end Kernel panic ..." alone


def test_other_panics() -> None:
    text = "[    1.0] Kernel panic - not syncing: No working init found.  Try passing init="
    assert find_panic([text]) == Panic("No working init found.  Try passing init=", no_root=False)
    assert find_panic(line.text for line in RECORDS) is None
