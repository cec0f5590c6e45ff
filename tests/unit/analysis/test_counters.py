# SPDX-License-Identifier: Apache-2.0
"""What the timing model counted: in a boot's record, and as metrics."""

import json

from perfboard.analysis.boot.record import boot_record
from perfboard.analysis.counters import counter_metrics

COUNTERS = {"instructions": 9, "cycles_fs": 5, "core_fs": 4, "l1d_misses": 3, "uart_fs": 2 * 10**12}


def mark(name: str, ns: int, **counters: int) -> str:
    record = {"mark": name, "ns": ns, "instructions": ns, "text": "/etc/last"}
    return json.dumps(record | ({"counters": counters} if counters else {}))


def test_a_boot_has_the_counters_of_its_last_mark() -> None:
    log = "\n".join(
        [
            mark("init.exec", 5, l1d_misses=1),
            mark("exec", 7, l1d_misses=2),
            mark("switch", 9, l1d_misses=3),
        ]
    )
    assert boot_record(log, b"", "exec:last", 1, None).counters == {"l1d_misses": 2}
    assert boot_record(mark("exec", 7), b"", "exec:last", 1, None).counters == {}


def test_misses_are_counts_and_waits_times_with_a_sample_each() -> None:
    later = COUNTERS | {"l1d_misses": 4}
    assert [
        (metric.name, metric.unit, metric.samples)
        for metric in counter_metrics("boot.total", [COUNTERS, later])
    ] == [
        ("boot.total.misses.l1d", "1", (3.0, 4.0)),
        ("boot.total.waits.console", "s", (0.002, 0.002)),
    ]


def test_what_one_boot_lacks_none_has() -> None:
    assert counter_metrics("boot.total", [COUNTERS, {}]) == ()
