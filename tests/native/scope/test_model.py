# SPDX-License-Identifier: Apache-2.0
"""The timing model's memory and console: caches, TLBs, buffers, streams, flash, the line."""

from collections import OrderedDict, deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import Drive, table

few = settings(max_examples=40)


def memory(latency: int, stream: int, write: int, buffer: int, **others: int) -> str:
    given = {"latency": latency, "stream": stream, "write": write, "buffer": buffer}
    return table("memory", **given, **others)


def cache(level: str, size: int, ways: int, line: int, **others: object) -> str:
    given = {"size": size, "ways": ways, "line": line, "write": "back", "allocate": "both"}
    return table(f"caches.{level}", **given, **others)


@few
@given(
    lines=st.lists(st.tuples(st.integers(0, 40), st.booleans()), max_size=120),
    ways=st.sampled_from([1, 2, 4]),
    policy=st.sampled_from(["lru", "fifo"]),
)
def test_a_cache_holds_what_a_simple_one_holds(
    drive: Drive, lines: list[tuple[int, bool]], ways: int, policy: str
) -> None:
    """Against sets that are ordered dictionaries, oldest first."""
    sets: list[OrderedDict[int, bool]] = [OrderedDict() for _ in range(4)]
    expected = []
    for line, write in lines:
        held = sets[line % 4]
        hit, left, dirty = line in held, -1, False
        if not hit:
            if len(held) == ways:
                left, dirty = held.popitem(last=False)
            held[line] = False
        elif policy == "lru":
            held.move_to_end(line)
        held[line] |= write
        expected.append([int(hit), left, int(dirty)])
    shape = cache("l1d", 4 * ways * 32, ways, 32, replacement=policy)
    assert drive("cache", shape, [f"{line} {int(write)}" for line, write in lines]) == expected


def test_a_random_cache_repeats_itself_and_keeps_its_size(drive: Drive) -> None:
    shape = cache("l1d", 256, 8, 32, replacement="random")
    lines = [f"{line % 11} 0" for line in range(500)]
    first = drive("cache", shape, lines)
    assert drive("cache", shape, lines) == first
    held: set[int] = set()
    for (hit, left, _), line in zip(first, lines, strict=True):
        number = int(line.split()[0])
        assert (number in held) == bool(hit)
        held.discard(left)
        held.add(number)
        assert len(held) <= 8


@few
@given(st.lists(st.integers(1, 12), max_size=120), st.sampled_from([(4, 4), (8, 2), (4, 1)]))
def test_a_tlb_replaces_in_turn(drive: Drive, keys: list[int], shape: tuple[int, int]) -> None:
    entries, ways = shape
    sets: list[deque[int]] = [deque(maxlen=ways) for _ in range(entries // ways)]
    expected = []
    for key in keys:
        held = sets[key % len(sets)]
        expected.append([int(key in held)])
        if key not in held:
            held.append(key)
    file = table("tlbs.d", entries=entries, ways=ways, miss=1000)
    assert drive("tlb", file, [str(key) for key in keys]) == expected


@few
@given(st.integers(1, 60), st.integers(1, 12))
def test_writes_wait_once_the_buffer_is_full(drive: Drive, count: int, buffer: int) -> None:
    lines = []
    for number in range(count):
        # All at one instant: the core would be held up by the waits between.
        lines.append(f"write {number * 32} 32 0")
    waits = [wait for (wait,) in drive("memory", memory(9, 9, 100, buffer), lines)]
    assert waits == [max(0, number - buffer + 1) * 100 for number in range(count)]


def test_writes_to_one_line_go_as_one(drive: Drive) -> None:
    lines = [f"write {place} 32 0" for place in (0, 4, 31, 32, 0)]
    assert drive("memory", memory(9, 9, 100, 2), lines) == [[0], [0], [0], [0], [100]]


def test_words_go_out_one_by_one_where_the_part_writes_them_so(drive: Drive) -> None:
    words = ["write 64 4 0"] * 3
    assert drive("memory", memory(9, 9, 100, 2, word=30), words) == [[0], [0], [30]]
    # A line is still one write of its own cost.
    assert drive("memory", memory(9, 9, 100, 1, word=30), [words[0], "write 0 32 0"]) == [[0], [30]]


def test_a_stream_that_is_halted_goes_on_later(drive: Drive) -> None:
    lines = ["read 0 32 0", "halt 0 0 50", "read 32 32 0", "read 64 32 127"]
    file = memory(70, 7, 1, 4, streams=1)
    assert drive("memory", file, lines) == [[70], [50], [127], [7]]


def test_stores_that_leave_by_themselves_wait_for_each_other_alone(drive: Drive) -> None:
    """Not for lines that are written, nor these for them."""
    lines = ["write 0 32 0", "send 0 0 0", "send 0 0 0", "send 0 0 0", "write 32 32 0"]
    file = memory(9, 9, 100, 2, store=30)
    assert drive("memory", file, lines) == [[0], [0], [0], [30], [0]]
    assert drive("memory", file, ["send 0 0 0"] * 2 + ["send 0 0 50"]) == [[0], [0], [0]]


def test_without_a_buffer_each_write_is_waited_for(drive: Drive) -> None:
    assert drive("memory", "memory.write 100\n", ["write 0 32 0"] * 3) == [[100]] * 3


@few
@given(st.lists(st.integers(1, 50), min_size=1, max_size=4), st.integers(0, 4))
def test_streams_are_seen_up_to_their_number(
    drive: Drive, lengths: list[int], streams: int
) -> None:
    """Rows of lines read in turn, each long after the one before but for the stream's own time."""
    lines = [
        f"read {(row << 20) + 32 * step} 32 {1000 * step + 100 * row}"
        for step in range(max(lengths))
        for row, length in enumerate(lengths)
        if step < length
    ]
    waits = [wait for (wait,) in drive("memory", memory(70, 7, 1, 4, streams=streams), lines)]
    if len(lengths) <= streams:
        assert sum(waits) == 70 * len(lengths)
    if streams == 0:
        assert set(waits) == {70}


@few
@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=40),
    st.integers(1, 5),
)
def test_a_stream_comes_at_its_rate_and_no_more_than_so_far_ahead(
    drive: Drive, busy: list[int], ahead: int
) -> None:
    """Against the times at which each line was asked for and came."""
    now, come, lines, expected = 0, 70, ["read 0 32 0"], [70]
    now = 70
    for number, gap in enumerate(busy, 1):
        now += gap
        # The line before it came when this one was begun, or would have, so far ahead.
        come += 7
        lines.append(f"read {32 * number} 32 {now}")
        expected.append(max(0, come - now))
        come = max(come, now - 7 * (ahead - 1))
        now = max(now, come)
    said = drive("memory", memory(70, 7, 1, 4, streams=1, ahead=ahead), lines)
    assert [wait for (wait,) in said] == expected


def test_lines_of_all_streams_come_one_after_the_other(drive: Drive) -> None:
    """A core that waits for each has a line in 7 of both together, not of each."""
    now, waits, lines = 0, [], []
    for step in range(40):
        for row in range(2):
            lines.append(f"read {(row << 20) + 32 * step} 32 {{}}")
    asked: list[str] = []
    for line in lines:
        asked.append(line.format(now))
        waits = [
            wait for (wait,) in drive("memory", memory(70, 7, 1, 4, streams=2, ahead=4), asked)
        ]
        now += waits[-1]
    assert sum(waits[-40:]) == 40 * 7


@pytest.mark.parametrize("step", [1, -1, 4, -4, 5, -5])
def test_a_stream_may_go_in_steps_up_and_down(drive: Drive, step: int) -> None:
    lines = [f"read {65536 + 32 * step * number} 32 {1000 * number}" for number in range(5)]
    waits = [wait for (wait,) in drive("memory", memory(70, 7, 1, 4, streams=2, stride=4), lines)]
    # Up by a line is what is expected at once.
    first = {1: 1, 5: 5, -5: 5}.get(step, 2)
    assert waits == [70] * first + [0] * (5 - first)


def test_lines_for_stores_are_of_no_stream(drive: Drive) -> None:
    lines = [
        line.format(32 * number, 1000 * number)
        for number in range(3)
        for line in ("read {} 32 {}", "store 1{:05} 32 {}")
    ]
    waits = [wait for (wait,) in drive("memory", memory(70, 7, 1, 4, streams=1, stride=4), lines)]
    assert waits == [70, 70, 0, 70, 0, 70]


def test_a_line_is_read_after_the_writes_that_wait_where_the_part_keeps_their_order(
    drive: Drive,
) -> None:
    lines = ["write 0 32 0", "write 32 32 0", "read 64 32 150", "read 96 32 500"]
    assert drive("memory", memory(70, 70, 100, 4), lines) == [[0], [0], [70], [70]]
    ordered = memory(70, 70, 100, 4) + "memory.ordered true\n"
    assert drive("memory", ordered, lines) == [[0], [0], [50 + 70], [70]]


def test_a_line_found_in_between_may_begin_a_stream(drive: Drive) -> None:
    """Which says that the next of it was one: 1."""
    lines = ["found 64 32 0", "found 96 32 0", "found 1024 32 0", "begin 64 32 0", "begin 96 32 0"]
    file = memory(70, 7, 1, 4, streams=1)
    assert drive("memory", file, lines) == [[0], [0], [0], [0], [1]]


def test_a_line_read_keeps_writes_from_memory_for_its_time_on_the_bus(drive: Drive) -> None:
    writes = [f"write {32 * number} 32 0" for number in range(3)]
    lines = [*writes[:2], "read 4096 32 0", writes[2]]
    assert drive("memory", memory(70, 70, 100, 2, bus=5), lines) == [[0], [0], [70], [105]]
    assert drive("memory", memory(70, 70, 100, 2), lines) == [[0], [0], [70], [100]]


@pytest.mark.parametrize("kind", ["flash", "card"])
def test_flash_is_quicker_within_its_open_page_and_a_card_within_a_request(
    drive: Drive, kind: str
) -> None:
    region = f"region boot 0x1000 0x1000 {kind} cached 100 10 2 16\n"
    lines = ["read 4096 32 0", "read 4096 4 0", "read 4100 2 0", "pass 4102 1 0", "read 64 32 0"]
    # Two pages of eight halfwords; then the first again; the last is memory.
    assert drive("memory", memory(70, 7, 1, 4) + region, lines) == [
        [2 * (100 + 7 * 10)],
        [100 + 10],
        [10],
        [10],
        [70],
    ]


def test_a_line_may_come_from_flash_as_a_burst(drive: Drive) -> None:
    region = "region boot 0x1000 0x1000 flash code 100 10 2 16 33\n"
    lines = ["read 4096 32 0", "pass 4102 1 0"]
    assert drive("memory", memory(70, 7, 1, 4) + region, lines) == [[33], [100]]


@pytest.mark.parametrize(
    ("address", "cached"),
    [
        (0xFFF, False),
        (0x1000, True),
        (0x1FFF, True),
        (0x2000, False),
        (0x8000, True),
        (0x8004, False),
        (0xBFFFFFFC, False),
        (0xC0004000, True),
    ],
)
def test_each_access_waits_until_a_kernel_runs(drive: Drive, address: int, cached: bool) -> None:
    file = memory(9, 9, 100, 8, uncached=70) + "kernel 0x1000 0x1000\nkernel 0x8000 4\n"
    file += table("big_pages", start="0xc0000000", size="0x100000")
    file += "region boot 0x100000 0x1000 flash code 500 500 1 4\n"
    word, flash, reached = "pass 64 4 0", "pass 1048576 1 0", f"reach {address} 0 0"
    after = [9] if cached else [70]
    assert drive("memory", file, [word, word, flash, reached, word])[-1] == after
    # What runs later does not turn the cache off again.
    assert drive("memory", file, [word, flash, reached, "reach 0 0 0", word]) == [
        [70],
        [500],
        [500],
        [500],
        after,
    ]


L1D = cache("l1d", 32768, 4, 64)


@pytest.mark.parametrize(
    ("way", "step", "within", "fills"),
    [
        ("up", 1, 0, True),
        ("up", -1, 0, False),
        ("up", 2, 0, False),
        ("either", -1, 56, True),
        ("blocks", 1, 8, True),
        # From the end of each line, or of its lower block, to the beginning.
        ("blocks", -1, 56, False),
        ("blocks", -1, 24, False),
        ("blocks", -1, 32, True),
    ],
)
def test_stores_to_line_after_line_fill_memory(
    drive: Drive, way: str, step: int, within: int, fills: bool
) -> None:
    lines = [f"{65536 + 64 * step * number + within} 64" for number in range(6)]
    # A second store to a line that has been missed in is no new line.
    lines.insert(2, lines[1])
    said = [
        fill for (fill,) in drive("filling", L1D + table("caches.l1d", filling=4, fills=way), lines)
    ]
    assert said == ([0, 0, 0, 0, 1, 1, 1] if fills else [0] * 7)


def test_lines_that_are_stored_to_in_part_are_read(drive: Drive) -> None:
    """From the first that was not read and was not whole, until another run begins."""
    file = L1D + table("caches.l1d", filling=2)
    halves = [f"{4096 + 64 * number + 32 * half} 32" for number in range(4) for half in (0, 1)]
    assert [fill for (fill,) in drive("filling", file, halves)] == [0, 0, 1, 1, 1, 1, 1, 1]
    parts = [f"{4096 + 64 * number} 32" for number in range(5)] + ["65536 64", "65600 64"]
    assert [fill for (fill,) in drive("filling", file, parts)] == [0, 1, 0, 0, 0, 0, 1]


def test_loads_of_a_group_wait_together(drive: Drive) -> None:
    file = L1D + cache("l2", 65536, 4, 64, hit=9, next=3)
    file += memory(100, 10, 1, 4) + table("core", misses=2)

    def spared(*lines: str, more: str = "") -> list[int]:
        return [fs for (fs,) in drive("loads", file + more, lines)]

    # Those of memory may come together sooner than those of a stream.
    assert spared("7 1 100 1", "7 1 100 1", more=table("memory", together=4)) == [0, 96]
    # The second comes a stream's line after the first; the third begins a group of its own.
    assert spared("7 1 100 1", "7 1 100 1", "7 1 100 1") == [0, 90, 0]
    assert spared("7 1 9 0", "7 1 9 0") == [0, 6]
    # A longer wait than the first's is waited for beyond that.
    assert spared("7 1 9 0", "7 1 100 1") == [0, 9]
    # Another group, or another block, is after it.
    assert spared("7 1 100 1", "7 2 100 1") == [0, 0]
    assert spared("7 1 100 1", "8 1 100 1") == [0, 0]
    # What is on its way already takes no less.
    assert spared("7 1 100 1", "7 1 5 1") == [0, 0]


@few
@given(st.lists(st.integers(0, 300), max_size=80), st.integers(1, 5))
def test_a_serial_line_is_never_ahead_of_its_rate(drive: Drive, gaps: list[int], fifo: int) -> None:
    now, given_at = 0, []
    sent = 0
    for gap in gaps:
        now += gap
        # The byte goes in when no more than `fifo` are still to be sent.
        now = max(now, sent - fifo * 100)
        sent = max(sent, now) + 100
        given_at.append(now)
    lines, expected, at = [], [], 0
    for gap, when in zip(gaps, given_at, strict=True):
        lines.append(str(at + gap))
        expected.append([when - at - gap])
        at = when
    assert drive("uart", f"uart 1 {100 * 10**6}\nuart.fifo {fifo}\n", lines) == expected
