# SPDX-License-Identifier: Apache-2.0
"""The metrics of a command that was tried on a board, from what the scope counted."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from perfboard.analysis import counters
from perfboard.analysis.program.titles import TITLES
from perfboard.model.run import Metric, Unit
from perfboard.model.timing.lacks import KINDS

# The marks are in whole nanoseconds.
_ROUNDING_S = 1e-8


@dataclass(frozen=True)
class Instant:
    """A mark: the board's clock in ns, instructions, and the model's counters, if any.

    `memory` is what all programs have, in bytes, and `most_memory` the most since the mark
    before; 0 where the kernel does not say. `asleep_ns` is how long threads slept in futex until
    then, all together.
    """

    ns: int
    instructions: int
    counters: Mapping[str, int]
    memory: int = 0
    most_memory: int = 0
    asleep_ns: int = 0


def instants(scope_log: str, mark: str) -> list[Instant]:
    """The hits of the mark that the scope saw, in order."""
    records = (
        json.loads(line)
        for line in scope_log.splitlines()
        if line.startswith('{"mark"') and line.endswith("}")
    )
    return [
        Instant(
            record["ns"],
            record["instructions"],
            record.get("counters", {}),
            memory,
            most_memory,
            record.get("asleep_ns", 0),
        )
        for record in records
        if record["mark"] == mark
        for memory, most_memory in [record.get("memory", (0, 0))]
    ]


def ran(begin: Instant, end: Instant, kinds: Iterable[str]) -> dict[str, int]:
    """How many instructions of each kind ran between two marks; those of which none did are absent.

    The scope counts a kind from its first one on (native/scope/decode/beyond.h).
    """
    counted = {
        kind: end.counters.get(name, 0) - begin.counters.get(name, 0)
        for kind, name in ((kind, f"{kind}_ran") for kind in kinds)
    }
    return {kind: count for kind, count in counted.items() if count}


def how_often(counts: Mapping[str, int]) -> str:
    """The words for what `ran`: "1,234 times: 1,200 of CMOV, FCMOV and FCOMI, 34 of ..."."""
    each = (f"{count:,} of {KINDS.get(kind, kind)}" for kind, count in counts.items())
    return f"{sum(counts.values()):,} times: {', '.join(each)}"


def trial_metrics(
    begin: Instant, end: Instant, user_s: float, system_s: float, resident_bytes: int
) -> tuple[Metric, ...]:
    """Real, user and system time, instructions, memory, and what was waited for.

    Idle time is what is left of the real time of all cores. Waits are parts of the user's and the
    system's time. Memory is the most that all processes had together; `resident_bytes`, the
    most of one of those that were waited for, is beyond it where it grew between two looks.
    """
    real = (end.ns - begin.ns) / 1e9
    cores = counters.core_count(end.counters)
    idle = max(1, cores) * real - user_s - system_s
    together = end.most_memory - begin.memory
    times = [
        _metric("try.time.real", "s", real),
        _metric("try.time.user", "s", user_s),
        _metric("try.time.system", "s", system_s),
        _metric("try.time.idle", "s", idle if idle > _ROUNDING_S else 0.0),
    ]
    if end.asleep_ns > begin.asleep_ns:
        times.append(_metric("try.time.futex", "s", (end.asleep_ns - begin.asleep_ns) / 1e9))
    # Several cores whose instructions alone are counted have no time.
    by_core = cores > 0 and "cycles_fs" not in end.counters
    found = [
        *([] if by_core else times),
        _metric("try.instructions", "1", end.instructions - begin.instructions),
        _metric("try.memory.resident", "B", max(resident_bytes, together)),
    ]
    changes = {name: value - begin.counters.get(name, 0) for name, value in end.counters.items()}
    return (*found, *counters.counter_metrics("try", [changes]))


def _metric(name: str, unit: Unit, value: float) -> Metric:
    return Metric(name=name, title=TITLES[name], unit=unit, samples=(float(value),))
