# SPDX-License-Identifier: Apache-2.0
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.reading.console import ConsoleLine
from perfboard.analysis.boot.reading.kernel_log import (
    KernelLine,
    KernelLog,
    instant_of,
    is_first,
    naming_lines,
    parse_console,
)
from perfboard.analysis.boot.reading.records import message
from tests.support.recorded import recorded


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
        ("[    1.234567@0] Amlogic", KernelLine(1_234_567_000, "Amlogic")),
        ("[    1.234567s]Huawei", KernelLine(1_234_567_000, "Huawei")),
        ("[    1.234567 / 01-01 00:00:01.234] LG", KernelLine(1_234_567_000, "LG")),
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


@pytest.mark.parametrize(
    "text",
    [
        "VFS: x",
        "<0>.(0)[1:swapper/0]VFS: x",
        " <5>.(4)[1:swapper/0][name:mtk_wdt&]VFS: x",
        "-(0)[0:swapper/0]VFS: x",
        "[0:      swapper/0:    1] VFS: x",
        "I[0:      swapper/0:    0] VFS: x",
        "[pid:1,cpu0,swapper/0]VFS: x",
        " c0      1 VFS: x",
        "[    T1] <6> VFS: x",
    ],
)
def test_what_vendors_print_before_a_message_is_taken_off(text: str) -> None:
    assert message(text) == "VFS: x"


@pytest.mark.parametrize("text", ["[drm] Initialized", " two spaces", "(unnamed net_device)", "c"])
def test_a_message_in_brackets_stays(text: str) -> None:
    assert message(text) == text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("VFS: Mounted root (ext4 filesystem) on device 179:2.", "root.mounted"),
        ("Freeing unused kernel memory: 1024K", "kernel.freed"),
        ("Freeing unused kernel image (initmem) memory: 1024K", "kernel.freed"),
        ("Freeing init memory: 212K", "kernel.freed"),
        ("Run /sbin/init as init process", "init.exec"),
        ("unknown{7}VFS: Mounted root (nfs filesystem).", "root.mounted"),
        ("Freeing initrd memory: 8192K", None),
        ("Run /sbin/init as init process, they said", None),
    ],
)
def test_the_instants_of_a_boot(text: str, name: str | None) -> None:
    assert instant_of(text) == name


@pytest.mark.parametrize(
    "text",
    ["Linux version 6.6.1 (a@b)", "<0>-(0)[0:swapper]Linux version 3", "[x] Linux version 4"],
)
def test_a_kernels_first_words(text: str) -> None:
    assert is_first(text)
    assert not is_first("no Linux version 6")


def test_a_time_that_no_clock_has_is_left_out() -> None:
    log = KernelLog()
    for line in console("[18446744073.381141] x", "[999999999999.000000] y", "[    1.000000] z"):
        log.add(line)
    assert (list(log.times), log.beyond) == ([10**9], 2)


def test_a_board_is_named_by_its_kernel_alone() -> None:
    lines = ["[    0.000000] Linux version 6.6.1 (a@b)", "no Linux version here", "DMI: QEMU"]
    assert naming_lines(lines) == {"kernel": "Linux version 6.6.1 (a@b)", "board": "QEMU"}
