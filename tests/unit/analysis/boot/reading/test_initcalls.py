# SPDX-License-Identifier: Apache-2.0
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.reading.initcalls import InitcallLog, parse_initcalls
from perfboard.analysis.boot.reading.kernel_log import KernelLine, parse_console
from perfboard.model.results.boot import Span
from tests.support.recorded import kernel_log, recorded


def records(name: str) -> list[KernelLine]:
    return parse_console(recorded(name))


def one(text: str) -> Span:
    """The span of one record, logged 1 s after the clock's zero."""
    (span,) = parse_initcalls([KernelLine(10**9, text)]).spans
    return span


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("initcall foo+0x0/0x1c returned 0 after 123 usecs", "foo"),
        ("initcall foo+0x1/0x1c [mod] returned 0 after 123 usecs", "foo [mod]"),
        ("initcall init_module.part.0+0x0/0x1000 returned 0 after 123 usecs", "init_module.part.0"),
        ("initcall 0xc0a01234 returned 0 after 123 usecs", "0xc0a01234"),
        (
            "initcall __initcall__kmod_foo__123_45_bar6+0x0/0x8 returned 0 after 123 usecs",
            "__initcall__kmod_foo__123_45_bar6",
        ),
        ("initcall 7_async_port_probe+0x0/0x40 returned after 123 usecs", "7_async_port_probe"),
        (
            "initcall foo+0x0/0x1c returned 0 with preemption imbalance after 123 usecs",
            "foo",
        ),
        (
            "initcall foo+0x0/0x1c returned 0 with disabled interrupts after 123 usecs",
            "foo",
        ),
        ("initcall foo+0x0/0x1c returned 0 after 123 usecs with disabled interrupts", "foo"),
    ],
)
def test_an_initcall_of_each_name(text: str, name: str) -> None:
    assert one(text) == Span(
        kind="initcall", name=name, start_ns=999_877_000, duration_ns=123_000, returned=0
    )


@pytest.mark.parametrize(
    ("device", "returned"),
    [
        ("9000000.pl011", 0),
        ("LNXSYSTM:00", 1),
        ("platform-bus@c000000", 19),
        ("soc:leds", -517),
        ("soc/leds", 517),
        ("a device", -19),
    ],
)
def test_a_probe_of_each_device(device: str, returned: int) -> None:
    assert one(f"probe of {device} returned {returned} after 2 usecs") == Span(
        kind="probe", name=device, start_ns=999_998_000, duration_ns=2_000, returned=returned
    )


def test_older_kernels_print_milliseconds() -> None:
    assert one("initcall foo+0x0/0x1c returned 0 after 12 msecs").duration_ns == 12_000_000


@pytest.mark.parametrize(
    "text",
    [
        "initcall foo+0x0/0x1c returned with preemption imbalance ",
        "initcall foo blacklisted",
        "calling card",
        "foo: probe of bar failed with error -22",
        "PM: calling  foo+ @ 1, parent: bar",
        f"initcall foo returned 0 after {'9' * 5000} usecs",
    ],
)
def test_what_gives_no_span(text: str) -> None:
    assert parse_initcalls([KernelLine(10**9, text)]) == InitcallLog((), ())


def test_a_span_starts_where_the_initcall_did_not_where_it_was_announced() -> None:
    lines = kernel_log(
        "[    1.000000] calling  foo+0x0/0x1c @ 1\n"
        "[    1.000500] initcall foo+0x0/0x1c returned 0 after 300 usecs\n"
    )
    (span,) = parse_initcalls(lines, offset_ns=7).spans
    assert (span.start_ns, span.duration_ns) == (1_000_200_007, 300_000)


def test_no_span_starts_before_it_was_announced() -> None:
    lines = kernel_log(
        "[    1.000000] calling  foo+0x0/0x1c @ 1\n"
        "[    1.000500] initcall foo+0x0/0x1c returned 0 after 501 usecs\n"
    )
    assert parse_initcalls(lines).spans[0].start_ns == 10**9


def test_a_start_that_cannot_be_known_is_absent() -> None:
    text = "initcall foo+0x0/0x1c returned 0 after 300 usecs"
    stopped, short = KernelLine(0, text), KernelLine(200_000, text)
    spans = parse_initcalls([stopped, short], offset_ns=5).spans
    assert [(span.start_ns, span.duration_ns) for span in spans] == [(None, 300_000)] * 2


def test_a_start_beyond_all_range_is_absent() -> None:
    """Found by made-up consoles: a stamp near 2^63 ns, on a clock that begins later."""
    line = KernelLine(2**63 - 1, "initcall foo+0x0/0x10 returned 0 after 12 usecs")
    (span,) = parse_initcalls([line], offset_ns=2_000_000_000).spans
    assert span.start_ns is None and span.duration_ns == 12_000


def test_calls_of_several_tasks_interleave() -> None:
    lines = kernel_log(
        "[    1.000000] calling  a+0x0/0x1c @ 1\n"
        "[    1.000010] calling  b+0x0/0x1c [m] @ 77\n"
        "[    1.000020] calling  c+0x0/0x1c @ 1\n"
        "[    1.000100] initcall a+0x0/0x1c returned 0 after 90 usecs\n"
        "[    1.000200] initcall b+0x0/0x1c [m] returned -19 after 180 usecs\n"
    )
    log = parse_initcalls(lines)
    assert [(span.name, span.returned) for span in log.spans] == [("a", 0), ("b [m]", -19)]
    assert log.unfinished == ("c",)


def test_a_record_cut_by_another_is_made_whole() -> None:
    lines = [
        KernelLine(10**9, "calling  fo", rest="o+0x0/0x1c @ 1"),
        KernelLine(2 * 10**9, "initcall foo+0x0/0x1c returned 0 aft", rest="er 5 usecs"),
        KernelLine(2 * 10**9, "probe of x returned 0 after 5 usecs", rest="a program's line"),
    ]
    log = parse_initcalls(lines)
    assert [(span.name, span.duration_ns) for span in log.spans] == [("foo", 5_000), ("x", 5_000)]
    assert log.unfinished == ()


def test_a_log_shown_again_counts_once() -> None:
    once = records("verdex-initcall.log")
    assert parse_initcalls(once + once) == parse_initcalls(once)


def test_until_the_clocksource_is_switched_the_records_times_count() -> None:
    lines = kernel_log(
        "[    1.000000] calling  foo+0x0/0x1c @ 1\n"
        "[    1.000100] probe of x returned 0 after 0 usecs\n"
        "[    1.000300] initcall foo+0x0/0x1c returned 0 after 10000 usecs\n"
        "[    1.000400] calling  bar+0x0/0x1c @ 1\n"
        "[    1.000500] clocksource: Switched to clocksource tsc\n"
        "[    1.000600] initcall bar+0x0/0x1c returned 0 after 2 usecs\n"
        "[    1.000610] probe of y returned 0 after 7 usecs\n"
    )
    log = parse_initcalls(lines)
    assert [(span.name, span.start_ns, span.duration_ns) for span in log.spans] == [
        ("foo", 1_000_000_000, 300_000),
        ("bar", 1_000_400_000, 200_000),
        ("y", 1_000_603_000, 7_000),
    ]
    assert log.untimed == ("x",)


def test_a_recorded_boot() -> None:
    log = parse_initcalls(records("verdex-initcall.log"))
    kinds = [span.kind for span in log.spans]
    # As many as `grep -c` counts of "initcall .* returned" and "probe of .* returned".
    assert (kinds.count("initcall"), kinds.count("probe") + len(log.untimed)) == (206, 39)
    assert log.untimed == ("9000000.pl011",)
    assert log.unfinished == ()
    # The kernel printed "after 10000 usecs" between records 354 us apart.
    early = next(span for span in log.spans if span.name == "genhd_device_init")
    assert early.duration_ns == 354_000
    flash = next(span for span in log.spans if span.name == "0.flash")
    assert (flash.kind, flash.returned) == ("probe", 0)


def test_a_recorded_boot_with_modules() -> None:
    log = parse_initcalls(records("armmp-modules.log"))
    (module,) = [span for span in log.spans if span.name == "virtio_mmio_init [virtio_mmio]"]
    assert (module.start_ns, module.duration_ns) == (21_775_340_000, 73_747_000)
    assert len([s for s in log.spans if s.name.endswith(".virtio_mmio") and s.returned == 19]) == 31
    # Its "calling" record lies before the excerpt.
    assert log.unfinished == ()


def test_recorded_spans_follow_or_hold_one_another() -> None:
    # Task 1 alone ran initcalls and probes here. Times and durations are cut to microseconds.
    spans = parse_initcalls(records("verdex-initcall.log")).spans
    earlier: list[tuple[int, int]] = []
    for span in spans:
        assert span.start_ns is not None
        end = span.start_ns + span.duration_ns
        assert all(
            span.start_ns >= other_end - 2_000 or span.start_ns <= other_start + 2_000
            for other_start, other_end in earlier
        )
        earlier.append((span.start_ns, end))


def test_a_shared_console() -> None:
    log = parse_initcalls(records("verdex-glued.log"))
    assert [(s.name, s.duration_ns) for s in log.spans] == [
        (f"made_up_{i}", i * 1000) for i in range(1, 41)
    ]
    assert log.unfinished == ()


@given(st.lists(st.text(max_size=60)))
def test_any_text_parses(texts: list[str]) -> None:
    for prefix in ("calling  ", "initcall ", "probe of ", "", "initcall a returned "):
        parse_initcalls([KernelLine(10**9, prefix + text, rest=text) for text in texts])


names = st.from_regex(r"[a-z_][a-z0-9_.]{0,20}( \[[a-z_]{1,8}\])?", fullmatch=True)


@given(
    st.lists(
        st.tuples(
            names,
            st.integers(0, 10**6),
            st.integers(-600, 600),
            st.booleans(),
            st.text(st.characters(codec="ascii", categories=["L", "Zs"]), max_size=10),
        ),
        max_size=20,
    ),
    st.integers(-(10**9), 10**12),
)
def test_a_printed_log_comes_back(
    plan: list[tuple[str, int, int, bool, str]], offset_ns: int
) -> None:
    now_us = 10**6
    # Behind this line, no duration is taken for a tick.
    lines = ["[    0.500000] clocksource: Switched to clocksource tsc"]
    expected, unfinished = [], []

    def log(text: str, glued: str) -> None:
        lines.append(f"{glued}[{now_us // 10**6:5}.{now_us % 10**6:06}] {text}")

    for name, duration_us, returned, finished, foreign in plan:
        function, _, module = name.partition(" ")
        symbol = f"{function}+0x0/0x1c {module}".rstrip()
        now_us += 10
        log(f"calling  {symbol} @ 1", foreign)
        now_us += duration_us + 50
        lines.append(foreign)
        if not finished:
            unfinished.append(name)
            continue
        log(f"initcall {symbol} returned {returned} after {duration_us} usecs", foreign)
        expected.append(
            Span(
                kind="initcall",
                name=name,
                start_ns=(now_us - duration_us) * 1000 + offset_ns,
                duration_ns=duration_us * 1000,
                returned=returned,
            )
        )
    found = parse_initcalls(kernel_log("\n".join(lines)), offset_ns)
    assert list(found.spans) == expected
    # A later call of the same name may take an earlier one's place.
    assert sorted(found.unfinished) == sorted(unfinished)


def test_a_probe_names_its_driver() -> None:
    text = "probe of a600000.usb with driver dwc3-qcom returned -517 after 2 usecs"
    assert (one(text).name, one(text).driver) == ("a600000.usb", "dwc3-qcom")


@pytest.mark.parametrize("before", [" sdc:", "foo...done", "<0>.(0)[1:swapper/0]"])
def test_an_initcall_behind_another_text(before: str) -> None:
    assert one(f"{before}initcall foo+0x0/0x1c [m] returned 0 after 5 usecs").name == "foo [m]"


def test_the_forms_of_old_kernels() -> None:
    log = parse_initcalls(
        kernel_log(
            "[    1.000000] Calling initcall 0xc03fe890: .a_init+0x0/0x10()\n"
            "[    1.100000] initcall 0xc03fe890: .a_init+0x0/0x10() returned -19.\n"
            "[    1.100000] initcall 0xc03fe890 ran for 99 msecs: .a_init+0x0/0x10()\n"
            "[    1.200000] Calling initcall 0xc03fe8a0 b_init\n"
            "[    1.300000] calling  c_init+0x0/0x3a\n"
        )
    )
    assert [(span.name, span.duration_ns, span.returned) for span in log.spans] == [
        ("a_init", 99_000_000, -19)
    ]
    assert log.unfinished == ("b_init", "c_init")


def test_no_call_takes_longer_than_the_boot() -> None:
    lines = [KernelLine(10**9, f"initcall foo returned 0 after {'9' * 15} msecs")]
    log = parse_initcalls(lines, longest_ns=10**12)
    assert log.spans == () and "longer than the boot: 1." in " ".join(log.notes)
