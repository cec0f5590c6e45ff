# SPDX-License-Identifier: Apache-2.0
"""The recordings of a boot end with it, however long the emulator ran on."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.reading.ending import until_usable

TEXT = b"Linux version 6.1\r\nready soon\r\nboard login: \r\nmore\r\n"
USABLE = "exec:S99usable"
LOGIN = "console:board login:"


def recorded(size: int, batch: int, console: bytes = TEXT) -> tuple[str, bytes]:
    """The recordings of a board that was ended after it had printed `size` bytes.

    A byte takes 10 ns and 20 instructions, and there is a mark after every third. The scope writes
    stamps in batches, and a mark at once.
    """
    lines: list[object] = []
    stamps: list[int] = []
    for number in range(1, size + 1):
        stamps += [10 * number, 20 * number]
        if len(stamps) == 2 * batch:
            lines.append({"console": stamps})
            stamps = []
        if number % 3 == 0:
            instant = {"ns": 10 * number + 1, "instructions": 20 * number + 2}
            text = "/etc/init.d/S99usable" if number == 30 else "/bin/sh"
            lines.append({"mark": "exec", **instant, "text": text})
            lines.append({"seen": "picture", **instant, "precision_ns": 5})
            lines.append({"beat": 10 * number + 2})
    if stamps:
        lines.append({"console": stamps})
    lines.append({"end": True, "counters": {"instructions": 20 * size}})
    text = "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines)
    return text, console[:size]


@pytest.mark.parametrize(("usable", "size"), [(USABLE, 30), (LOGIN, TEXT.index(b":") + 1)])
@given(more=st.integers(0, len(TEXT)), batch=st.integers(1, 70))
def test_they_are_the_same_however_much_came_after(
    usable: str, size: int, more: int, batch: int
) -> None:
    whole = recorded(min(len(TEXT), size + more), batch)
    scope, console = until_usable(*whole, usable)
    assert console == TEXT[:size]
    records = [json.loads(line) for line in scope.splitlines()]
    assert sum(len(each.get("console", ())) for each in records) == 2 * size
    assert max(each["ns"] for each in records if "mark" in each) <= 10 * size + 1
    assert (until_usable(scope, console, usable)) == (scope, console)
    assert until_usable(*recorded(len(TEXT), batch), usable) == (scope, console)


@given(st.sampled_from([USABLE, LOGIN]), st.integers(0, 29), st.integers(1, 70))
def test_a_boot_that_did_not_end_stays_whole(usable: str, size: int, batch: int) -> None:
    whole = recorded(size, batch)
    assert until_usable(*whole, usable) == whole


def test_a_line_that_is_none_is_left_out() -> None:
    scope, console = recorded(40, 8)
    cut, _ = until_usable(f"{scope}[1]\n7\n{{", console, USABLE)
    assert cut == until_usable(scope, console, USABLE)[0]
