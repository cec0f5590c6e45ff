# SPDX-License-Identifier: Apache-2.0
"""The scope's records: marks and stamps."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.reading.scope_log import parse_scope, scope_marks

IDLE, INIT = 0xC0000000, 0xC1000000


def record(mark: str, ns: int, words: tuple[int, ...] = (), text: str | None = None) -> str:
    fields: dict[str, object] = {"mark": mark, "ns": ns, "instructions": ns // 8}
    if words:
        fields["words"] = words
    if text is not None:
        fields["text"] = text
    return json.dumps(fields)


def test_marks_are_named_after_programs_and_accounting_is_left_out() -> None:
    log = parse_scope(
        [
            record("kernel.entry", 80),
            record("switch", 90, (IDLE, IDLE, INIT)),
            record("exec", 100, text="/etc/init.d/S10filesystems"),
        ]
    )
    assert [(mark.name, mark.t_ns) for mark in scope_marks(log, 8)] == [
        ("reset", 0),
        ("kernel.entry", 80),
        ("exec:S10filesystems", 100),
    ]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/etc/init.d/udev", ["exec:udev", "step:udev"]),
        ("/etc/init.d/rcS", ["exec:rcS"]),
        ("/etc/init.d/rc", ["exec:rc"]),
        ("/etc/init.d/S10filesystems", ["exec:S10filesystems"]),
        ("/sbin/udev", ["exec:udev"]),
    ],
)
def test_a_script_of_system_v_init_is_a_step(path: str, names: list[str]) -> None:
    log = parse_scope([record("exec", 100, text=path)])
    assert [mark.name for mark in scope_marks(log, 8)] == ["reset", *names]


def test_what_no_function_shows_is_a_mark_with_its_own_precision() -> None:
    seen = '{"seen":"picture","ns":900,"instructions":7,"precision_ns":120}'
    (_, mark) = scope_marks(parse_scope([seen]), 8)
    assert (mark.name, mark.t_ns, mark.instructions, mark.precision_ns) == ("picture", 900, 7, 120)


def test_console_stamps_stay_in_the_order_of_the_bytes() -> None:
    log = parse_scope(['{"console":[8,1,16,2]}', '{"console":[24,3]}'])
    assert list(log.stamps.ns) == [8, 16, 24]
    assert log.stamps.instructions is not None
    assert list(log.stamps.instructions) == [1, 2, 3]


@given(st.lists(st.text(max_size=80)))
def test_what_is_not_a_record_is_left_out(lines: list[str]) -> None:
    parse_scope(lines)
